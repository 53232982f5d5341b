// SPDX-License-Identifier: Apache-2.0
#include "environment.h"

#include <strings.h>
#include <unistd.h>

#include <cstring>

namespace vef::shim {
namespace {

constexpr const char* kPrefixes[] = {
    "OMPI_MCA_",
    "PMIX_MCA_",
    "PRTE_MCA_",
    "MPIR_CVAR_",
    "MPICH_",
    "MV2_",
    "MVP_",
    "I_MPI_",
    "UCX_",
    "UCC_",
    "FI_",
    "PSM2_",
    "PSM3_",
    "NCCL_",
    "OMP_",
    "GOMP_",
    "KMP_",
    "VEF_",
    "MKL_NUM_",
    "OPENBLAS_NUM_",
    "SLURM_NTASKS",
    "SLURM_NNODES",
    "SLURM_CPUS_",
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
    "SLURM_NODELIST",
    "SLURM_JOB_NUM_NODES",
    "SLURM_DISTRIBUTION",
    "SLURM_CPU_BIND",
    "PBS_JOBID",
    "PBS_NUM_",
    "LSB_JOBID",
    "FLUX_JOB_ID",
    "CUDA_VISIBLE_",
    "ROCR_VISIBLE_",
    "HIP_VISIBLE_",
};

// Secrets, and what the launcher tells its own processes, which differs from run to run.
constexpr const char* kNever[] = {"TOKEN",  "KEY", "PASS",  "JWT",        "SECRET",   "CREDENTIAL",  "AUTH",
                                  "COOKIE", "URI", "ORTE_", "TRANSPORTS", "ESS_BASE", "INITIAL_WDIR"};

bool contains(const char* name, std::size_t length, const char* word) {
  const std::size_t size = std::strlen(word);
  for (std::size_t i = 0; i + size <= length; ++i) {
    if (strncasecmp(name + i, word, size) == 0) return true;
  }
  return false;
}

}  // namespace

bool is_kept_variable(const char* name, std::size_t length) {
  for (const char* word : kNever) {
    if (contains(name, length, word)) return false;
  }
  for (const char* prefix : kPrefixes) {
    const std::size_t size = std::strlen(prefix);
    if (length >= size && std::memcmp(name, prefix, size) == 0) return true;
  }
  return false;
}

void write_environment(JsonText& json) {
  json.open_object("environment");
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::size_t length = std::strcspn(*entry, "=");
    if ((*entry)[length] == '=' && is_kept_variable(*entry, length)) {
      json.text(*entry, length, *entry + length + 1);
    }
  }
  json.close_object();
}

}  // namespace vef::shim
