// SPDX-License-Identifier: Apache-2.0
// What the environment tells of the job this process belongs to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vef::shim {

/// Absolute path of the program.
void find_program(char* path, std::size_t size);

/// Text that is the same in all ranks of a job and differs between jobs: VEF_JOB (set by `vef record`), else
/// the launcher's job id (PMIX_NAMESPACE, SLURM_JOB_ID and step, FLUX_JOB_ID, PMI_JOBID), else the node's
/// launcher process (hydra), else this process.
void find_job(std::int32_t world_size, char* job, std::size_t size);

/// <program>-<job> in the working directory, of characters that are safe in file names.
void default_directory(const char* program, const char* job, char* path, std::size_t size);

}  // namespace vef::shim
