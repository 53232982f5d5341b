// SPDX-License-Identifier: Apache-2.0
#include "merge_transport.h"

#include <dlfcn.h>

#include "vef/launch/launch.h"

namespace vef::cli {
namespace {

Result<launch::MpiFamily> find_family(const std::string& library) {
  if (!library.empty()) return launch::parse_family(library);
  if (const auto family = launch::find_job_family()) return *family;
  return usage_error(
      "--mpi: no rank of an MPI job that could be recognised; expected mpirun -n N vef merge --mpi DIR, or "
      "--mpi-library openmpi or mpich");
}

}  // namespace

Result<const VefMergeTransport*> start_transport(const std::string& library) {
  const auto family = find_family(library);
  if (!family.ok()) return family.error();
  const auto path = launch::find_merge_plugin(*family);
  if (!path.ok()) return path.error();
  // MPI libraries load parts of themselves that expect their symbols.
  void* const plugin = dlopen(path->c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (plugin == nullptr) return Error{ErrorKind::kSystem, std::string("cannot load ") + dlerror()};
  const auto start = reinterpret_cast<VefMergeTransportStart>(dlsym(plugin, kVefMergeTransportSymbol));
  const VefMergeTransport* const transport = start != nullptr ? start(VEF_VERSION) : nullptr;
  if (transport == nullptr)
    return Error{ErrorKind::kSystem, *path + ": of another version; expected that of vefkit " VEF_VERSION};
  return transport;
}

}  // namespace vef::cli
