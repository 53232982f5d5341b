// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>

#include "command.h"
#include "usage.h"

namespace vef::cli {

int report_error(const Error& error) {
  std::fprintf(stderr, "vef: %s\n", error.message.c_str());
  return error.kind == ErrorKind::kUsage ? kWrongUsage : kFailed;
}

namespace {

int run(int argc, char** argv) {
  CLI::App app{"Records, merges, checks, analyses and replays the communication of MPI applications."};
  app.name("vef");
  app.set_version_flag("--version", "vefkit " VEF_VERSION);
  app.require_subcommand(1);
  app.failure_message(usage_message);
  app.footer(
      "The whole way:\n"
      "  vef record -o run/ -- mpirun -n 8 lmp -in in.melt     # rank logs\n"
      "  vef merge run/ -o melt.vef.zst                        # one trace\n"
      "  vef check melt.vef.zst                                # does it execute?\n"
      "  vef report melt.vef.zst -o melt.html                  # pictures\n"
      "  vef replay melt.vef.zst --network networks/fat-tree-256-conf1.toml -o results/");
  const Command commands[] = {add_record(app),  add_merge(app),   add_info(app),
                              add_check(app),   add_report(app),  add_replay(app),
                              add_convert(app), add_network(app), add_shim_path(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kDone : kWrongUsage;  // 0: --help, --version
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return kWrongUsage;
}

}  // namespace
}  // namespace vef::cli

int main(int argc, char** argv) {
  int status = vef::cli::kFailed;
  try {
    status = vef::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "vef: out of memory; the input needs more than this machine (or its limit) has\n");
  }
  // A result that could not be printed is no result.
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    std::fprintf(stderr, "vef: standard output: %s\n", std::strerror(errno));
    if (status == vef::cli::kDone) status = vef::cli::kFailed;
  }
  return status;
}
