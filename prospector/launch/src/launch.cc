// SPDX-License-Identifier: Apache-2.0
#include "vef/launch/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "command_line.h"

namespace vef::launch {
namespace {

namespace fs = std::filesystem;

// As in the recorder (prospector/shim/src/run_directory.h).
constexpr const char* kReserved = "capture.reserved";
constexpr const char* kOwner = "capture.job";

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

/// Unique among the jobs that could ever meet in one directory.
std::string new_job() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return std::string(host) + "-" + std::to_string(getpid()) + "-" + std::to_string(now.tv_sec) + "." +
         std::to_string(now.tv_nsec);
}

/// An absolute path at which a directory can be made: the given one, or the default with the first free
/// suffix.
Result<std::string> choose_directory(const std::string& given, const std::string& program) {
  std::error_code error;
  const std::string wanted =
      !given.empty() ? given : fs::path(program).filename().string() + "-" + local_time();
  const fs::path path = fs::absolute(wanted, error).lexically_normal();
  if (error) return system_error(wanted, "no absolute path", error.value());
  if (!fs::exists(path, error)) return path.string();
  if (!given.empty()) {
    if (fs::is_directory(path, error) && fs::is_empty(path, error)) return path.string();
    return usage_error(given + ": found something there already; expected a new or an empty directory");
  }
  for (int suffix = 1;; ++suffix) {
    const std::string numbered = path.string() + "." + std::to_string(suffix);
    if (!fs::exists(numbered, error)) return numbered;
  }
}

Result<MpiFamily> choose_family(const Request& request, LauncherKind kind,
                                const std::optional<std::string>& program) {
  std::optional<MpiFamily> launcher;
  if (kind == LauncherKind::kOpenMpi) launcher = MpiFamily::kOpenMpi;
  if (kind == LauncherKind::kHydra) launcher = MpiFamily::kMpich;
  std::optional<MpiFamily> linked;
  if (program) {
    const auto found = find_program_family(*program);
    if (!found.ok()) return found.error();
    linked = *found;
  }
  if (linked && launcher && *linked != *launcher) {
    return usage_error(*program + " is linked to " + std::string(family_name(*linked)) + ", but '" +
                       request.command[0] + "' is the launcher of " + std::string(family_name(*launcher)) +
                       "; expected both of the same MPI");
  }
  if (request.family) {
    const auto known = linked ? linked : launcher;
    if (known && *known != *request.family) {
      return usage_error("found --mpi for " + std::string(family_name(*request.family)) + "; expected " +
                         std::string(family_name(*known)) + ", which the command uses");
    }
    return *request.family;
  }
  if (linked) return *linked;
  if (launcher) return *launcher;
  return usage_error("found no sign of which MPI '" + request.command[0] +
                     "' uses; expected --mpi openmpi or mpich");
}

Status make_directory(const std::string& directory, const std::string& job) {
  std::error_code error;
  fs::create_directories(fs::path(directory).parent_path(), error);
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return system_error(directory, "cannot be made", errno);
  const std::string marker = directory + "/" + kReserved;
  const int file = open(marker.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return system_error(marker, "cannot be written", errno);
  const std::string text = job + "\n";
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int problem = errno;
  if (close(file) != 0 || !written) return system_error(marker, "cannot be written", problem);
  return {};
}

volatile sig_atomic_t forwarded_to = 0;

void forward(int signal) {
  if (forwarded_to > 0) kill(static_cast<pid_t>(forwarded_to), signal);
}

/// While the command runs: SIGTERM goes on to it; SIGINT reaches it from the terminal, and must not end us
/// first.
class SignalScope {
 public:
  SignalScope() {
    struct sigaction action {};
    action.sa_handler = forward;
    sigaction(SIGTERM, &action, &terminate_);
    action.sa_handler = SIG_IGN;
    sigaction(SIGINT, &action, &interrupt_);
  }
  ~SignalScope() {
    forwarded_to = 0;
    restore();
  }
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;
  void restore() const {
    sigaction(SIGTERM, &terminate_, nullptr);
    sigaction(SIGINT, &interrupt_, nullptr);
  }

 private:
  struct sigaction terminate_ {};
  struct sigaction interrupt_ {};
};

[[noreturn]] void become(const Plan& plan, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(128 + SIGTERM);  // it died before that
  for (const auto& [name, value] : plan.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : plan.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

Result<Plan> plan(const Request& request) {
  if (request.command.empty())
    return usage_error("found no command; expected one, such as mpirun -n 4 ./app");
  if (!find_executable(request.command[0])) {
    std::error_code ignored;
    const bool exists = fs::is_regular_file(request.command[0], ignored);
    return usage_error(request.command[0] +
                       (exists ? ": not executable; expected a program" : ": no such program"));
  }
  Plan result;
  std::vector<std::string> command = request.command;
  const LauncherKind kind = find_launcher_kind(command[0]);
  if (kind == LauncherKind::kNone) {
    // Each rank would record a job of its own into one place.
    for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
      if (std::getenv(variable) == nullptr) continue;
      return usage_error("vef record was started by a launcher of MPI jobs (" + std::string(variable) +
                         " is set); expected it before that: vef record ... -- mpirun -n 4 " +
                         request.command[0]);
    }
  }
  const auto program = find_program(kind, command);
  const auto family = choose_family(request, kind, program);
  if (!family.ok()) return family.error();
  result.family = *family;
  const auto shim = find_shim(*family);
  if (!shim.ok()) return shim.error();
  result.shim = *shim;
  const auto directory = choose_directory(request.directory, program.value_or(command[0]));
  if (!directory.ok()) return directory.error();
  result.directory = *directory;
  result.job = new_job();

  // Other libraries that the user preloads stay, after ours.
  std::string preload = result.shim;
  if (const auto given = take_variable(kind, "LD_PRELOAD", command)) {
    preload += ":" + *given;
  } else if (const char* inherited = std::getenv("LD_PRELOAD"); inherited != nullptr && *inherited != '\0') {
    preload += ":" + std::string(inherited);
  }
  Variables variables = {{"LD_PRELOAD", preload}, {"VEF_DIR", result.directory}, {"VEF_JOB", result.job}};
  variables.insert(variables.end(), request.settings.begin(), request.settings.end());
  result.command = with_variables(kind, command, variables);
  if (kind == LauncherKind::kNone) result.environment = variables;
  return result;
}

Result<int> run(const Plan& plan) {
  if (const Status made = make_directory(plan.directory, plan.job); !made.ok()) return made.error();
  const SignalScope signals;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return system_error(plan.command[0], "cannot be started", errno);
  if (child == 0) {
    signals.restore();
    become(plan, parent);
  }
  forwarded_to = child;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return system_error(plan.command[0], "cannot be waited for", errno);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<std::string> find_captures(const Plan& plan) {
  std::vector<std::string> found;
  std::error_code error;
  for (int suffix = 0;; ++suffix) {
    const std::string directory = plan.directory + (suffix == 0 ? "" : "." + std::to_string(suffix));
    if (!fs::exists(directory, error)) return found;
    std::ifstream file(fs::path(directory) / kOwner);
    std::string owner;
    // The job's own name follows VEF_JOB.
    if (std::getline(file, owner) && owner.starts_with(plan.job + " ")) found.push_back(directory);
  }
}

void remove_unused(const Plan& plan) {
  std::error_code ignored;
  fs::remove(fs::path(plan.directory) / kReserved, ignored);
  fs::remove(plan.directory, ignored);
}

}  // namespace vef::launch
