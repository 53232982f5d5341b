// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace vef::launch {
namespace {

/// Values that follow an option, of those launchers' options that take any (mpirun(1), mpiexec(1) of hydra,
/// srun(1)).
std::size_t values_after(LauncherKind kind, const std::string& option) {
  static const std::map<std::string, std::size_t> kOpenMpi = {{"n", 1},
                                                              {"np", 1},
                                                              {"c", 1},
                                                              {"N", 1},
                                                              {"npernode", 1},
                                                              {"npersocket", 1},
                                                              {"H", 1},
                                                              {"host", 1},
                                                              {"hostfile", 1},
                                                              {"machinefile", 1},
                                                              {"default-hostfile", 1},
                                                              {"rf", 1},
                                                              {"rankfile", 1},
                                                              {"x", 1},
                                                              {"mca", 2},
                                                              {"gmca", 2},
                                                              {"pmca", 2},
                                                              {"prtemca", 2},
                                                              {"am", 1},
                                                              {"tune", 1},
                                                              {"wdir", 1},
                                                              {"wd", 1},
                                                              {"path", 1},
                                                              {"map-by", 1},
                                                              {"bind-to", 1},
                                                              {"rank-by", 1},
                                                              {"cpu-list", 1},
                                                              {"cpu-set", 1},
                                                              {"cpus-per-proc", 1},
                                                              {"cpus-per-rank", 1},
                                                              {"output-filename", 1},
                                                              {"prefix", 1},
                                                              {"stdin", 1},
                                                              {"timeout", 1},
                                                              {"ppr", 1},
                                                              {"s", 1},
                                                              {"preload-files", 1},
                                                              {"report-uri", 1},
                                                              {"personality", 1},
                                                              {"slot-list", 1},
                                                              {"max-restarts", 1},
                                                              {"output", 1},
                                                              {"runtime-options", 1}};
  static const std::map<std::string, std::size_t> kHydra = {{"n", 1},
                                                            {"np", 1},
                                                            {"f", 1},
                                                            {"hostfile", 1},
                                                            {"machinefile", 1},
                                                            {"hosts", 1},
                                                            {"host", 1},
                                                            {"wdir", 1},
                                                            {"path", 1},
                                                            {"configfile", 1},
                                                            {"env", 2},
                                                            {"genv", 2},
                                                            {"envlist", 1},
                                                            {"genvlist", 1},
                                                            {"genvexcl", 1},
                                                            {"ppn", 1},
                                                            {"bind-to", 1},
                                                            {"map-by", 1},
                                                            {"membind", 1},
                                                            {"launcher", 1},
                                                            {"bootstrap", 1},
                                                            {"launcher-exec", 1},
                                                            {"rmk", 1},
                                                            {"iface", 1},
                                                            {"outfile", 1},
                                                            {"outfile-pattern", 1},
                                                            {"errfile", 1},
                                                            {"errfile-pattern", 1},
                                                            {"prepend-pattern", 1},
                                                            {"demux", 1},
                                                            {"nameserver", 1},
                                                            {"localhost", 1},
                                                            {"usize", 1},
                                                            {"arch", 1},
                                                            {"gpus-per-proc", 1},
                                                            {"topolib", 1},
                                                            {"s", 1}};
  static const std::map<std::string, std::size_t> kSrun = {
      {"n", 1}, {"N", 1}, {"c", 1}, {"p", 1}, {"t", 1}, {"A", 1}, {"w", 1}, {"x", 1}, {"J", 1}, {"o", 1},
      {"e", 1}, {"i", 1}, {"D", 1}, {"m", 1}, {"q", 1}, {"C", 1}, {"B", 1}, {"d", 1}, {"L", 1}, {"M", 1}};
  const std::size_t dashes = option.starts_with("--") ? 2 : 1;
  const std::string name = option.substr(dashes);
  const auto& table = kind == LauncherKind::kOpenMpi ? kOpenMpi
                      : kind == LauncherKind::kHydra ? kHydra
                                                     : kSrun;
  const auto found = table.find(name);
  return found == table.end() ? 0 : found->second;
}

/// The options that set a variable for the ranks, and whether name and value are two words.
struct Setter {
  const char* option;
  bool two_words;
};

std::vector<Setter> setters(LauncherKind kind) {
  switch (kind) {
    case LauncherKind::kOpenMpi:
      return {{"-x", false}, {"--x", false}};
    case LauncherKind::kHydra:
      return {{"-env", true}, {"-genv", true}};
    default:
      return {};
  }
}

}  // namespace

LauncherKind find_launcher_kind(const std::string& command) {
  const std::string name = std::filesystem::path(command).filename().string();
  if (name == "srun") return LauncherKind::kSrun;
  const bool mpi =
      name.starts_with("mpirun") || name.starts_with("mpiexec") || name == "orterun" || name == "prterun";
  if (!mpi) return LauncherKind::kNone;
  const auto path = find_executable(command);
  const auto family = path ? find_launcher_family(*path) : std::nullopt;
  if (!family) return LauncherKind::kNone;
  return *family == MpiFamily::kOpenMpi ? LauncherKind::kOpenMpi : LauncherKind::kHydra;
}

std::optional<std::string> find_program(LauncherKind kind, const std::vector<std::string>& command) {
  if (kind == LauncherKind::kNone) return command.empty() ? std::nullopt : find_executable(command[0]);
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "--") continue;
    if (word.size() > 1 && word[0] == '-') {
      if (word.find('=') == std::string::npos) i += values_after(kind, word);
      continue;
    }
    // A word that is no program belongs to an option that is not in the table.
    if (auto found = find_executable(word)) return found;
  }
  return {};
}

std::optional<std::string> take_variable(LauncherKind kind, const std::string& name,
                                         std::vector<std::string>& command) {
  for (std::size_t i = 1; i + 1 < command.size(); ++i) {
    for (const Setter& setter : setters(kind)) {
      if (command[i] != setter.option) continue;
      const auto at = command.begin() + static_cast<std::ptrdiff_t>(i);
      const std::string next = command[i + 1];
      if (!setter.two_words && next.starts_with(name + "=")) {
        command.erase(at, at + 2);
        return next.substr(name.size() + 1);
      }
      if (setter.two_words && next == name && i + 2 < command.size()) {
        const std::string value = command[i + 2];
        command.erase(at, at + 3);
        return value;
      }
    }
  }
  return {};
}

std::vector<std::string> with_variables(LauncherKind kind, const std::vector<std::string>& command,
                                        const Variables& variables) {
  if (kind == LauncherKind::kNone || command.empty()) return command;
  std::vector<std::string> settings;
  std::string exported = "--export=ALL";
  for (const auto& [name, value] : variables) {
    if (kind == LauncherKind::kOpenMpi) settings.insert(settings.end(), {"-x", name + "=" + value});
    if (kind == LauncherKind::kHydra) settings.insert(settings.end(), {"-genv", name, value});
    if (kind == LauncherKind::kSrun) exported += "," + name + "=" + value;
  }
  if (kind == LauncherKind::kSrun) settings.push_back(exported);
  std::vector<std::string> result{command[0]};
  result.insert(result.end(), settings.begin(), settings.end());
  for (std::size_t i = 1; i < command.size(); ++i) {
    result.push_back(command[i]);
    // Open MPI's -x holds for one program of several.
    if (kind == LauncherKind::kOpenMpi && command[i] == ":") {
      result.insert(result.end(), settings.begin(), settings.end());
    }
  }
  return result;
}

}  // namespace vef::launch
