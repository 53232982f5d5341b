// SPDX-License-Identifier: Apache-2.0
#include "environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

namespace vef::shim {
namespace {

bool kept(const char* name) { return is_kept_variable(name, std::strlen(name)); }

TEST(EnvironmentTest, KeepsWhatExplainsTheRunAndNoSecret) {
  for (const char* name : {"OMPI_MCA_pml", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "UCX_TLS",
                           "OMP_NUM_THREADS", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "VEF_DIR"}) {
    EXPECT_TRUE(kept(name)) << name;
  }
  for (const char* name :
       {"PATH", "HOME", "SLURM_JWT", "OMPI_MCA_some_token", "UCX_SECRET", "FI_API_KEY", "MPICH_PASSPHRASE",
        "I_MPI_AUTH_METHOD", "OMPI_MCA_orte_precondition_transports", "AWS_ACCESS_KEY_ID", "XUCX_TLS"}) {
    EXPECT_FALSE(kept(name)) << name;
  }
}

TEST(EnvironmentTest, IsAnObject) {
  setenv("UCX_TLS", "a \"quoted\" value", 1);
  setenv("UCX_TOKEN", "hidden", 1);
  char buffer[1U << 16];
  JsonText json(buffer, sizeof buffer);
  json.open();
  json.number("before", 1);
  write_environment(json);
  json.number("after", 2);
  json.close();
  const auto read = nlohmann::json::parse(std::string(buffer, json.length()));
  EXPECT_EQ(read["environment"]["UCX_TLS"], "a \"quoted\" value");
  EXPECT_FALSE(read["environment"].contains("UCX_TOKEN"));
  EXPECT_EQ(read["after"], 2);
}

}  // namespace
}  // namespace vef::shim
