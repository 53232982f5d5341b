// SPDX-License-Identifier: Apache-2.0
#include "vef/launch/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "test_elf.h"

namespace vef::launch {
namespace {

using testing::HasSubstr;

TEST(LaunchTest, RunPassesTheStatusOnAndReservesTheDirectory) {
  const TemporaryFolder directory;
  Plan plan;
  plan.directory = directory.file("deep/run");
  plan.job = "job-7";
  plan.command = {"/bin/sh", "-c", "[ \"$VEF_TEST\" = set ] && exit 7"};
  plan.environment = {{"VEF_TEST", "set"}};
  const auto status = run(plan);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(*status, 7);
  std::ifstream marker(plan.directory + "/capture.reserved");
  std::string text;
  std::getline(marker, text);
  EXPECT_EQ(text, "job-7");
}

TEST(LaunchTest, RunTellsTheSignalThatEndedTheCommand) {
  const TemporaryFolder directory;
  Plan plan;
  plan.directory = directory.file("run");
  plan.command = {"/bin/sh", "-c", "kill -KILL $$"};
  const auto status = run(plan);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(*status, 128 + 9);
}

TEST(LaunchTest, FindsWhatItsJobsRecordedInto) {
  const TemporaryFolder directory;
  Plan plan;
  plan.directory = directory.file("run");
  plan.job = "vef-1";
  EXPECT_TRUE(find_captures(plan).empty());
  for (const auto& [suffix, owner] :
       {std::pair{"", "vef-1 100"}, {".1", "vef-1 101"}, {".2", "vef-10 7"}, {".3", "vef-1 102"}}) {
    std::filesystem::create_directory(plan.directory + suffix);
    write_file(plan.directory + suffix + "/capture.job", std::string(owner) + "\n");
  }
  EXPECT_EQ(find_captures(plan), (std::vector{plan.directory, plan.directory + ".1", plan.directory + ".3"}));
}

TEST(LaunchTest, RefusesADirectoryInUse) {
  const TemporaryFolder directory;
  Plan plan;
  plan.directory = directory.file("run");
  plan.command = {"/bin/true"};
  ASSERT_TRUE(run(plan).ok());
  EXPECT_FALSE(run(plan).ok());
}

TEST(LaunchTest, RefusesAProgramOfTheOtherMpi) {
  const TemporaryFolder directory;
  write_file(directory.file("app"), make_elf({"libmpich.so.12"}));
  write_file(directory.file("mpirun.openmpi"), "#!/bin/sh\n");
  const auto planned =
      plan({.command = {directory.file("mpirun.openmpi"), "-n", "2", directory.file("app")}});
  ASSERT_FALSE(planned.ok());
  EXPECT_EQ(planned.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(planned.error().message, HasSubstr("linked to MPICH"));
  EXPECT_THAT(planned.error().message, HasSubstr("launcher of Open MPI"));
}

TEST(LaunchTest, RefusesWhatItCannotTell) {
  EXPECT_FALSE(plan({.command = {}}).ok());
  EXPECT_FALSE(plan({.command = {"/no/such/program"}}).ok());
  const auto planned = plan({.command = {"/bin/sh", "script"}});
  ASSERT_FALSE(planned.ok());
  EXPECT_THAT(planned.error().message, HasSubstr("--mpi"));
}

}  // namespace
}  // namespace vef::launch
