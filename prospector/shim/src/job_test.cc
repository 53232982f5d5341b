// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace vef::shim {
namespace {

std::string job_of(std::int32_t world_size, const char* given = nullptr) {
  Job job;
  find_job(given, world_size, job);
  return job.name;
}

class JobTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID", "FLUX_JOB_ID", "PMI_JOBID",
                             "PMI_FD", "OMPI_PARENT_PORT"}) {
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
  EXPECT_EQ(job_of(8, "given\nname"), "given name prterun-host-55@1");  // one line in the marker
}

TEST_F(JobTest, IsTheSameForRanksOfOneLauncherAndAnotherForAnotherProcess) {
  EXPECT_EQ(job_of(2), job_of(2));
  EXPECT_FALSE(job_of(1).empty());
}

TEST_F(JobTest, SpawnedProcessesNameTheJobOfTheirParents) {
  setenv("PMIX_NAMESPACE", "1018232834", 1);
  setenv("OMPI_PARENT_PORT", "1018232833.0:342589738", 1);
  Job job;
  find_job("given", 2, job);
  EXPECT_STREQ(job.name, "given 1018232834");
  EXPECT_STREQ(job.parent, "given 1018232833");
}

TEST_F(JobTest, UnderHydraTheGivenNameAndTheSizeStandForTheJob) {
  setenv("PMI_FD", "6", 1);
  Job job;
  find_job("given", 4, job);
  EXPECT_STREQ(job.name, "given 4");
  EXPECT_STRNE(job.launcher, "");
  EXPECT_EQ(job_of(4), job.launcher);
}

TEST_F(JobTest, NamesADirectoryWithPlainCharacters) {
  char path[1024];
  default_directory("/opt/my app/lmp", "prterun-host@1/2", path, sizeof path);
  EXPECT_STREQ(path, "lmp-prterun-host_1_2");
}

}  // namespace
}  // namespace vef::shim
