// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace vef::shim {
namespace {

std::string job_of(std::int32_t world_size) {
  char job[512];
  find_job(world_size, job, sizeof job);
  return job;
}

class JobTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"VEF_JOB", "PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID", "FLUX_JOB_ID", "PMI_JOBID"}) {
      unsetenv(name);
    }
  }
};

TEST_F(JobTest, TakesTheLaunchersName) {
  setenv("SLURM_JOB_ID", "123", 1);
  setenv("SLURM_STEP_ID", "4", 1);
  EXPECT_EQ(job_of(8), "123.4");
  setenv("PMIX_NAMESPACE", "prterun-host-55@1", 1);
  EXPECT_EQ(job_of(8), "prterun-host-55@1");
  setenv("VEF_JOB", "given\nname", 1);
  EXPECT_EQ(job_of(8), "given name");  // one line in the marker
}

TEST_F(JobTest, IsTheSameForRanksOfOneLauncherAndAnotherForAnotherProcess) {
  EXPECT_EQ(job_of(2), job_of(2));
  EXPECT_FALSE(job_of(1).empty());
}

TEST_F(JobTest, NamesADirectoryWithPlainCharacters) {
  char path[1024];
  default_directory("/opt/my app/lmp", "prterun-host@1/2", path, sizeof path);
  EXPECT_STREQ(path, "lmp-prterun-host_1_2");
}

}  // namespace
}  // namespace vef::shim
