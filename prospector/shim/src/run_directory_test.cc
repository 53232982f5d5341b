// SPDX-License-Identifier: Apache-2.0
#include "run_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_folder.h"

namespace vef::shim {
namespace {

namespace fs = std::filesystem;

Job job_named(const char* name, const char* launcher = "") {
  Job job;
  std::snprintf(job.name, sizeof job.name, "%s", name);
  std::snprintf(job.launcher, sizeof job.launcher, "%s", launcher);
  return job;
}

class RunDirectoryTest : public testing::Test {
 protected:
  /// The directory that a process of the job gets, without the folder's path.
  std::string opened(const Job& job, const char* reserved_for = nullptr, const char* host = "n1") {
    RunDirectory directory;
    if (!directory.open((folder_ / "run").c_str(), reserved_for, job, host)) return directory.error();
    return fs::path(directory.path()).filename();
  }
  void reserve(const std::string& name) {
    fs::create_directory(folder_ / "run");
    std::ofstream(folder_ / "run" / "capture.reserved") << name << "\n";
  }

  test_support::TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
};

TEST_F(RunDirectoryTest, RanksOfOneJobShareItAndOthersGetASuffix) {
  EXPECT_EQ(opened(job_named("a")), "run");
  EXPECT_EQ(opened(job_named("a")), "run");
  EXPECT_EQ(opened(job_named("b")), "run.1");
  EXPECT_EQ(opened(job_named("c")), "run.2");
  EXPECT_EQ(opened(job_named("b")), "run.1");
}

TEST_F(RunDirectoryTest, TheFirstJobTakesTheReservedOne) {
  reserve("vef-1");
  EXPECT_EQ(opened(job_named("stranger"), nullptr), "run.1");
  EXPECT_EQ(opened(job_named("vef-1 100"), "vef-1"), "run");
  EXPECT_EQ(opened(job_named("vef-1 101"), "vef-1"), "run.2");  // spawned by it, or started after it
  EXPECT_EQ(opened(job_named("vef-1 100"), "vef-1"), "run");
}

TEST_F(RunDirectoryTest, TheLaunchersOfAHostTellJobsOfOneNameApart) {
  reserve("vef-1");
  EXPECT_EQ(opened(job_named("vef-1 4", "n1-10"), "vef-1", "n1"), "run");
  EXPECT_EQ(opened(job_named("vef-1 4", "n2-77"), "vef-1", "n2"), "run");    // another host of the same job
  EXPECT_EQ(opened(job_named("vef-1 4", "n1-20"), "vef-1", "n1"), "run.1");  // a second mpiexec
  EXPECT_EQ(opened(job_named("vef-1 4", "n1-10"), "vef-1", "n1"), "run");
}

TEST_F(RunDirectoryTest, MakesTheDirectoriesAboveIt) {
  RunDirectory directory;
  ASSERT_TRUE(directory.open((folder_ / "a" / "b" / "run").c_str(), nullptr, job_named("x"), "n1"));
  EXPECT_TRUE(fs::exists(folder_ / "a" / "b" / "run" / "capture.job"));
}

TEST_F(RunDirectoryTest, SaysWhyItCannotBeMade) {
  RunDirectory directory;
  EXPECT_FALSE(directory.open("/proc/no/such", nullptr, job_named("a"), "n1"));
  EXPECT_STREQ(directory.error(), "/proc/no/such: cannot be made: No such file or directory");
}

TEST_F(RunDirectoryTest, LogsLieInScratchAndTheDirectorySaysWhere) {
  fs::create_directory(folder_ / "scratch");
  RunDirectory directory;
  ASSERT_TRUE(directory.open((folder_ / "run").c_str(), nullptr, job_named("a"), "n1"));
  ASSERT_TRUE(directory.place_logs((folder_ / "scratch").c_str(), job_named("a"), "n1"));
  const fs::path logs = directory.logs();
  EXPECT_EQ(logs.parent_path(), folder_ / "scratch");
  EXPECT_TRUE(fs::is_directory(logs));
  std::string noted;
  std::getline(std::ifstream(folder_ / "run" / "capture.scratch-n1") >> std::ws, noted);
  EXPECT_EQ(noted, logs.string());
  RunDirectory second;  // another rank of the host
  ASSERT_TRUE(second.open((folder_ / "run").c_str(), nullptr, job_named("a"), "n1"));
  ASSERT_TRUE(second.place_logs((folder_ / "scratch").c_str(), job_named("a"), "n1"));
  EXPECT_EQ(second.logs(), logs);
}

TEST_F(RunDirectoryTest, ADirectoryThatOthersMayWriteIsNoScratch) {
  fs::create_directory(folder_ / "scratch");
  RunDirectory directory;
  ASSERT_TRUE(directory.open((folder_ / "run").c_str(), nullptr, job_named("a"), "n1"));
  ASSERT_TRUE(directory.place_logs((folder_ / "scratch").c_str(), job_named("a"), "n1"));
  chmod(directory.logs(), 0777);
  EXPECT_FALSE(directory.place_logs((folder_ / "scratch").c_str(), job_named("a"), "n1"));
}

}  // namespace
}  // namespace vef::shim
