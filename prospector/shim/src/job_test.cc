// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace vef::shim {
namespace {

/// What a rank that hydra started finds: a session of its own whose parent, here the test, is the launcher.
/// The test's own session may have begun outside of its process namespace, as in a container.
Job job_of_a_rank(std::int32_t world_size, const char* given = nullptr) {
  Job job;
  int ends[2];
  if (pipe(ends) != 0) return job;
  const pid_t rank = fork();
  if (rank == 0) {
    setsid();
    find_job(given, world_size, job);
    _exit(write(ends[1], &job, sizeof job) == sizeof job ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &job, sizeof job) != sizeof job) job = Job{};
  close(ends[0]);
  waitpid(rank, nullptr, 0);
  return job;
}

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
    char self[32] = "";
    const ssize_t length = readlink("/proc/self", self, sizeof self - 1);
    sees_processes_ = length > 0 && std::atoi(self) == getpid();
  }

  bool sees_processes_ = false;  ///< /proc is mounted, and of this process namespace
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
  if (!sees_processes_) GTEST_SKIP() << "no /proc of this process namespace";
  const std::string name = job_of_a_rank(2).name;
  EXPECT_NE(name.find("-" + std::to_string(getpid()) + "-"), std::string::npos) << name;
  EXPECT_EQ(job_of_a_rank(2).name, name);
  EXPECT_FALSE(job_of(1).empty());
  EXPECT_NE(job_of(1), name);
}

TEST_F(JobTest, SpawnedProcessesNameTheJobOfTheirParents) {
  setenv("PMIX_NAMESPACE", "1018232834", 1);
  setenv("OMPI_PARENT_PORT", "1018232833.0:342589738", 1);
  Job job;
  find_job("given", 2, job);
  EXPECT_STREQ(job.name, "given 1018232834");
  EXPECT_STREQ(job.parent, "given 1018232833");
  EXPECT_EQ(job.parent_rank, 0);
  setenv("OMPI_PARENT_PORT", "prterun-n1.site.org-55@1.13:342589738", 1);
  find_job("given", 2, job);
  EXPECT_STREQ(job.parent, "given prterun-n1.site.org-55@1");
  EXPECT_EQ(job.parent_rank, 13);
}

TEST_F(JobTest, UnderHydraTheGivenNameAndTheSizeStandForTheJob) {
  if (!sees_processes_) GTEST_SKIP() << "no /proc of this process namespace";
  setenv("PMI_FD", "6", 1);
  const Job job = job_of_a_rank(4, "given");
  EXPECT_STREQ(job.name, "given 4");
  EXPECT_STRNE(job.launcher, "");
  EXPECT_STREQ(job_of_a_rank(4).name, job.launcher);
}

TEST_F(JobTest, TheGivenNameAndTheSizeStandForTheJobAlsoWhereTheLauncherIsNotSeen) {
  EXPECT_EQ(job_of(4, "given"), "given 4");  // whatever this test's session is
}

TEST_F(JobTest, NamesADirectoryWithPlainCharacters) {
  char path[1024];
  default_directory("/opt/my app/lmp", "prterun-host@1/2", path, sizeof path);
  EXPECT_STREQ(path, "lmp-prterun-host_1_2");
}

}  // namespace
}  // namespace vef::shim
