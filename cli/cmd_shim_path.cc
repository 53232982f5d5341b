// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "command.h"
#include "vef/launch/launch.h"

namespace vef::cli {

Command add_shim_path(CLI::App& root) {
  CLI::App* app = root.add_subcommand("shim-path", "Path of the recorder, to preload it by hand");
  auto family = std::make_shared<std::string>("openmpi");
  app->add_option("--mpi", *family, "MPI of the program: openmpi or mpich")->capture_default_str();
  app->footer(
      "Examples:\n"
      "  LD_PRELOAD=$(vef shim-path --mpi mpich) mpiexec -n 4 ./app\n"
      "  srun --export=ALL,LD_PRELOAD=$(vef shim-path --mpi openmpi) ./app");
  return {app, [family] {
            const auto parsed = launch::parse_family(*family);
            if (!parsed.ok()) return report_error(parsed.error());
            const auto path = launch::find_shim(*parsed);
            if (!path.ok()) return report_error(path.error());
            std::printf("%s\n", path->c_str());
            return static_cast<int>(kDone);
          }};
}

}  // namespace vef::cli
