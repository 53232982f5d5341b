// SPDX-License-Identifier: Apache-2.0
#include "job.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "clock.h"

namespace vef::shim {
namespace {

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

/// Parent and start time (clock ticks since boot) of a process; fields 4 and 22 of proc(5) stat.
bool read_process(pid_t process, pid_t& parent, unsigned long long& started) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(process));
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return false;
  char text[1024] = "";
  const std::size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[length] = '\0';
  const char* after_name = std::strrchr(text, ')');
  int parent_read = 0;
  if (after_name == nullptr ||
      std::sscanf(after_name + 1,
                  " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                  &parent_read, &started) != 2) {
    return false;
  }
  parent = static_cast<pid_t>(parent_read);
  return true;
}

/// hydra gives its ranks no job id, but each is a session of its own below the node's one launcher process.
/// False where the launcher cannot be seen: it is outside of the rank's process namespace, or /proc is
/// hidden.
bool find_node_launcher(char* job, std::size_t size) {
  const pid_t session = getsid(0);  // 0: begun outside of the namespace
  pid_t launcher = 0;
  pid_t unused = 0;
  unsigned long long started = 0;
  if (session <= 0 || !read_process(session, launcher, started) || launcher <= 0 ||
      !read_process(launcher, unused, started)) {
    return false;
  }
  char host[128] = "";
  gethostname(host, sizeof host - 1);
  std::snprintf(job, size, "%s-%d-%llu", host, static_cast<int>(launcher), started);
  return true;
}

/// Open MPI names the port of the spawning process: <namespace>.<rank>:<number>. The namespace may hold dots.
void find_parent(const char* port, const char* before, const char* between, Job& job) {
  const char* dot = nullptr;
  for (const char* c = port; *c != '\0' && *c != ':'; ++c) {
    if (*c == '.') dot = c;
  }
  if (dot == nullptr) return;
  std::snprintf(job.parent, sizeof job.parent, "%.400s%s%.*s", before, between, static_cast<int>(dot - port),
                port);
  std::sscanf(dot + 1, "%d:", &job.parent_rank);
}

}  // namespace

void find_program(char* path, std::size_t size) {
  const ssize_t length = readlink("/proc/self/exe", path, size - 1);
  path[length > 0 ? length : 0] = '\0';
}

void find_job(const char* given, std::int32_t world_size, Job& job) {
  char id[512] = "";
  const bool several_ranks = world_size > 1 || variable("PMI_FD") != nullptr;
  const char* slurm_job = variable("SLURM_JOB_ID");
  const char* slurm_step = variable("SLURM_STEP_ID");
  const char* space = variable("PMIX_NAMESPACE");
  if (space != nullptr) {
    std::snprintf(id, sizeof id, "%s", space);
  } else if (slurm_job != nullptr && slurm_step != nullptr) {
    std::snprintf(id, sizeof id, "%s.%s", slurm_job, slurm_step);
  } else if (const char* flux = variable("FLUX_JOB_ID"); flux != nullptr) {
    std::snprintf(id, sizeof id, "%s", flux);
  } else if (const char* pmi = variable("PMI_JOBID"); pmi != nullptr) {
    std::snprintf(id, sizeof id, "%s", pmi);
  } else {
    if (several_ranks) find_node_launcher(job.launcher, sizeof job.launcher);
    if (several_ranks && given != nullptr) {
      // The launcher differs from host to host; what the hosts share is VEF_JOB.
      std::snprintf(id, sizeof id, "%d", static_cast<int>(world_size));
    } else if (*job.launcher != '\0') {
      std::snprintf(id, sizeof id, "%s", job.launcher);
    } else {
      std::snprintf(id, sizeof id, "%d-%llu", static_cast<int>(getpid()),
                    static_cast<unsigned long long>(read_clock(CLOCK_REALTIME) / 1'000'000U));
    }
  }
  const char* before = given != nullptr ? given : "";
  const char* between = given != nullptr ? " " : "";
  std::snprintf(job.name, sizeof job.name, "%.400s%s%s", before, between, id);
  if (const char* port = variable("OMPI_PARENT_PORT"); port != nullptr)
    find_parent(port, before, between, job);
  for (char* text : {job.name, job.parent}) {
    for (char* c = text; *c != '\0'; ++c) {
      if (*c == '\n') *c = ' ';
    }
  }
}

void default_directory(const char* program, const char* job, char* path, std::size_t size) {
  const char* slash = std::strrchr(program, '/');
  std::snprintf(path, size, "%.200s-%.200s", slash != nullptr ? slash + 1 : program, job);
  for (char* c = path; *c != '\0'; ++c) {
    const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                       std::strchr("-_.+", *c) != nullptr;
    if (!plain) *c = '_';
  }
}

}  // namespace vef::shim
