// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vef::launch {
namespace {

using testing::ElementsAre;

TEST(CommandLineTest, FindsTheProgramBehindOptions) {
  EXPECT_EQ(find_program(LauncherKind::kOpenMpi,
                         {"mpirun", "-n", "4", "--mca", "btl", "self", "-x", "A=1", "/bin/ls", "/bin/cat"}),
            "/bin/ls");
  EXPECT_EQ(
      find_program(LauncherKind::kHydra, {"mpiexec", "-genv", "A", "/bin/cat", "-n", "2", "/bin/ls", "-l"}),
      "/bin/ls");
  EXPECT_EQ(find_program(LauncherKind::kSrun, {"srun", "--ntasks=4", "-N", "2", "/bin/ls"}), "/bin/ls");
  EXPECT_EQ(find_program(LauncherKind::kNone, {"/bin/ls", "-l"}), "/bin/ls");
  // A value of an option that is not known is passed over: no such program.
  EXPECT_EQ(find_program(LauncherKind::kOpenMpi, {"mpirun", "--new-option", "some-value", "/bin/ls"}),
            "/bin/ls");
  EXPECT_EQ(find_program(LauncherKind::kOpenMpi, {"mpirun", "-n", "4"}), std::nullopt);
}

TEST(CommandLineTest, TellsLaunchersByName) {
  EXPECT_EQ(find_launcher_kind("/somewhere/srun"), LauncherKind::kSrun);
  EXPECT_EQ(find_launcher_kind("/bin/ls"), LauncherKind::kNone);
}

TEST(CommandLineTest, GivesVariablesToTheRanks) {
  const Variables variables = {{"A", "1"}, {"B", "x:y"}};
  EXPECT_THAT(with_variables(LauncherKind::kOpenMpi, {"mpirun", "-n", "2", "app"}, variables),
              ElementsAre("mpirun", "-x", "A=1", "-x", "B=x:y", "-n", "2", "app"));
  EXPECT_THAT(with_variables(LauncherKind::kHydra, {"mpiexec", "app"}, variables),
              ElementsAre("mpiexec", "-genv", "A", "1", "-genv", "B", "x:y", "app"));
  EXPECT_THAT(with_variables(LauncherKind::kSrun, {"srun", "app"}, variables),
              ElementsAre("srun", "--export=ALL,A=1,B=x:y", "app"));
  EXPECT_THAT(with_variables(LauncherKind::kNone, {"app"}, variables), ElementsAre("app"));
}

TEST(CommandLineTest, GivesVariablesToEveryProgram) {
  const Variables variables = {{"A", "1"}};
  EXPECT_THAT(
      with_variables(LauncherKind::kOpenMpi, {"mpirun", "-n", "1", "a", ":", "-n", "2", "b"}, variables),
      ElementsAre("mpirun", "-x", "A=1", "-n", "1", "a", ":", "-x", "A=1", "-n", "2", "b"));
  EXPECT_THAT(with_variables(LauncherKind::kHydra, {"mpiexec", "a", ":", "b"}, variables),
              ElementsAre("mpiexec", "-genv", "A", "1", "a", ":", "b"));
}

TEST(CommandLineTest, TakesTheUsersOwnSettingOut) {
  std::vector<std::string> command = {"mpirun", "-x", "LD_PRELOAD=/a.so", "-n", "2", "app"};
  EXPECT_EQ(take_variable(LauncherKind::kOpenMpi, "LD_PRELOAD", command), "/a.so");
  EXPECT_THAT(command, ElementsAre("mpirun", "-n", "2", "app"));
  EXPECT_EQ(take_variable(LauncherKind::kOpenMpi, "LD_PRELOAD", command), std::nullopt);
  command = {"mpiexec", "-n", "2", "-env", "LD_PRELOAD", "/a.so", "app"};
  EXPECT_EQ(take_variable(LauncherKind::kHydra, "LD_PRELOAD", command), "/a.so");
  EXPECT_THAT(command, ElementsAre("mpiexec", "-n", "2", "app"));
}

}  // namespace
}  // namespace vef::launch
