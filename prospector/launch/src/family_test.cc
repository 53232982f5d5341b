// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "test_elf.h"
#include "vef/launch/launch.h"

namespace vef::launch {
namespace {

std::optional<MpiFamily> family_of(const std::string& path) {
  const auto found = find_program_family(path);
  EXPECT_TRUE(found.ok());
  return *found;
}

TEST(FamilyTest, TellsAProgramByItsLibraries) {
  const TemporaryFolder directory;
  write_file(directory.file("ompi"), make_elf({"libc.so.6", "libmpi.so.40"}));
  write_file(directory.file("mpich"), make_elf({"libmpich.so.12", "libc.so.6"}));
  write_file(directory.file("intel"), make_elf({"libmpi.so.12"}));
  write_file(directory.file("none"), make_elf({"libc.so.6"}));
  write_file(directory.file("script"), "#!/bin/sh\n");
  EXPECT_EQ(family_of(directory.file("ompi")), MpiFamily::kOpenMpi);
  EXPECT_EQ(family_of(directory.file("mpich")), MpiFamily::kMpich);
  EXPECT_EQ(family_of(directory.file("intel")), MpiFamily::kMpich);
  EXPECT_EQ(family_of(directory.file("none")), std::nullopt);
  EXPECT_EQ(family_of(directory.file("script")), std::nullopt);
  EXPECT_FALSE(find_program_family(directory.file("absent")).ok());
}

// As LAMMPS is built: the program asks for its own library, and that one for MPI. The two libraries ask for
// each other, too.
TEST(FamilyTest, LooksThroughLibraries) {
  const TemporaryFolder directory;
  write_file(directory.file("app"), make_elf({"libfirst.so"}, "$ORIGIN"));
  write_file(directory.file("libfirst.so"), make_elf({"libsecond.so"}, "$ORIGIN"));
  write_file(directory.file("libsecond.so"), make_elf({"libfirst.so", "libmpich.so.12"}, "$ORIGIN"));
  EXPECT_EQ(family_of(directory.file("app")), MpiFamily::kMpich);
}

TEST(FamilyTest, TellsALauncherByNameLinkOrVersion) {
  const TemporaryFolder directory;
  const std::string says_hydra = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'HYDRA build details:'\n";
  const std::string says_open_mpi = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'mpirun (Open MPI) 4.1.4'\n";
  write_file(directory.file("orterun"), "#!/bin/sh\n");
  std::filesystem::create_symlink(directory.file("orterun"), directory.file("mpirun"));
  write_file(directory.file("mpiexec"), says_hydra);
  write_file(directory.file("mpiexec2"), says_open_mpi);
  write_file(directory.file("mpiexec3"), "#!/bin/sh\necho 1.0\n");
  EXPECT_EQ(find_launcher_family(directory.file("mpirun")), MpiFamily::kOpenMpi);
  EXPECT_EQ(find_launcher_family(directory.file("mpiexec")), MpiFamily::kMpich);
  EXPECT_EQ(find_launcher_family(directory.file("mpiexec2")), MpiFamily::kOpenMpi);
  EXPECT_EQ(find_launcher_family(directory.file("mpiexec3")), std::nullopt);
}

TEST(FamilyTest, ParsesNames) {
  EXPECT_EQ(*parse_family("openmpi"), MpiFamily::kOpenMpi);
  EXPECT_EQ(*parse_family("mpich"), MpiFamily::kMpich);
  EXPECT_EQ(parse_family("lam").error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace vef::launch
