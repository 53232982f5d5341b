// SPDX-License-Identifier: Apache-2.0
// What the environment tells of the job this process belongs to: one MPI_COMM_WORLD. Processes that were
// spawned are a job of their own, and so is a second mpirun of one script.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vef::shim {

struct Job {
  /// The same in all ranks of the job. Differs between jobs, but for those of hydra under one VEF_JOB: they
  /// are told apart by `launcher`.
  char name[1024] = "";
  /// The launcher's process on this host, where the name says nothing of the launcher; else, or where it
  /// cannot be seen (a container for each rank), empty.
  char launcher[320] = "";
  /// The name of the job that spawned this one; empty: none did, or the library does not say.
  char parent[1024] = "";
  /// The rank in it that was the root of the call.
  std::int32_t parent_rank = -1;
};

/// Absolute path of the program.
void find_program(char* path, std::size_t size);

/// VEF_JOB (`given`; set by `vef record`; may be null) and the launcher's job id (PMIX_NAMESPACE,
/// SLURM_JOB_ID and step, FLUX_JOB_ID, PMI_JOBID), else the node's launcher process (hydra), else this
/// process.
void find_job(const char* given, std::int32_t world_size, Job& job);

/// <program>-<job> in the working directory, of characters that are safe in file names.
void default_directory(const char* program, const char* job, char* path, std::size_t size);

}  // namespace vef::shim
