// SPDX-License-Identifier: Apache-2.0
#include "mpi_library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <initializer_list>

#include "message.h"

namespace vef::shim {

Pmpi pmpi;
Constants mpi;
char library_version[256];
bool knows_statuses = false;

#if defined(OPEN_MPI)
const char* const kFamily = "openmpi";
#else
const char* const kFamily = "mpich";
#endif

namespace {

/// The loaded MPI library, where the search behind this object does not see it (opened with RTLD_LOCAL by an
/// interpreter's extension module).
void* loaded_library() {
  const auto visit = [](dl_phdr_info* info, std::size_t, void* found) -> int {
    const char* slash = std::strrchr(info->dlpi_name, '/');
    const char* name = slash != nullptr ? slash + 1 : info->dlpi_name;
    if (std::strncmp(name, "libmpi.so", 9) != 0 && std::strncmp(name, "libmpich.so", 11) != 0) return 0;
    *static_cast<void**>(found) = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    return 1;
  };
  void* handle = nullptr;
  dl_iterate_phdr(visit, &handle);
  return handle;
}

bool is_ours(void* address) {
  Dl_info theirs{};
  Dl_info ours{};
  return dladdr(address, &theirs) != 0 && dladdr(&pmpi, &ours) != 0 && theirs.dli_fbase == ours.dli_fbase;
}

void* find(const char* name, void* library) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr && library != nullptr) found = dlsym(library, name);
  return found != nullptr && is_ours(found) ? nullptr : found;
}

/// Stands in for a function that the library at hand does not have.
int missing_function() {
  say("a function of MPI was called that the loaded MPI library does not have");
  return MPI_ERR_UNKNOWN;
}

template <class Function>
bool load(Function*& pointer, const char* name, void* library) {
  pointer = reinterpret_cast<Function*>(find(name, library));
  return pointer != nullptr;
}

bool load_own_functions(void* library) {
#if MPI_VERSION >= 4
  load(pmpi.group_from_session_pset, "PMPI_Group_from_session_pset", library);
#endif
  return load(pmpi.initialized, "PMPI_Initialized", library) &&
         load(pmpi.query_thread, "PMPI_Query_thread", library) &&
         load(pmpi.get_library_version, "PMPI_Get_library_version", library) &&
         load(pmpi.comm_rank, "PMPI_Comm_rank", library) && load(pmpi.comm_size, "PMPI_Comm_size", library) &&
         load(pmpi.comm_remote_size, "PMPI_Comm_remote_size", library) &&
         load(pmpi.comm_test_inter, "PMPI_Comm_test_inter", library) &&
         load(pmpi.comm_group, "PMPI_Comm_group", library) &&
         load(pmpi.comm_remote_group, "PMPI_Comm_remote_group", library) &&
         load(pmpi.group_rank, "PMPI_Group_rank", library) &&
         load(pmpi.group_size, "PMPI_Group_size", library) &&
         load(pmpi.group_translate_ranks, "PMPI_Group_translate_ranks", library) &&
         load(pmpi.group_union, "PMPI_Group_union", library) &&
         load(pmpi.group_free, "PMPI_Group_free", library) &&
         load(pmpi.type_size_x, "PMPI_Type_size_x", library) &&
         load(pmpi.get_elements_x, "PMPI_Get_elements_x", library) &&
         load(pmpi.status_set_elements_x, "PMPI_Status_set_elements_x", library) &&
         load(pmpi.test_cancelled, "PMPI_Test_cancelled", library) &&
         load(pmpi.comm_idup, "PMPI_Comm_idup", library) &&
         load(pmpi.iallgather, "PMPI_Iallgather", library) && load(pmpi.isend, "PMPI_Isend", library) &&
         load(pmpi.irecv, "PMPI_Irecv", library) && load(pmpi.test, "PMPI_Test", library) &&
         load(pmpi.error_class, "PMPI_Error_class", library) &&
         load(pmpi.topo_test, "PMPI_Topo_test", library) &&
         load(pmpi.cartdim_get, "PMPI_Cartdim_get", library) &&
         load(pmpi.graph_neighbors_count, "PMPI_Graph_neighbors_count", library) &&
         load(pmpi.cart_shift, "PMPI_Cart_shift", library) &&
         load(pmpi.graph_neighbors, "PMPI_Graph_neighbors", library) &&
         load(pmpi.dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count", library) &&
         load(pmpi.dist_graph_neighbors, "PMPI_Dist_graph_neighbors", library);
}

#if defined(OPEN_MPI)
template <class Handle>
bool load_constant(Handle& handle, const char* name, void* library) {
  // The default search first: a program that is not position independent may hold its own copy of the object.
  void* address = dlsym(RTLD_DEFAULT, name);
  if (address == nullptr && library != nullptr) address = dlsym(library, name);
  handle = static_cast<Handle>(address);
  return address != nullptr;
}

bool load_constants(void* library) {
  return load_constant(mpi.comm_world, "ompi_mpi_comm_world", library) &&
         load_constant(mpi.comm_self, "ompi_mpi_comm_self", library) &&
         load_constant(mpi.comm_null, "ompi_mpi_comm_null", library) &&
         load_constant(mpi.request_null, "ompi_request_null", library) &&
         load_constant(mpi.message_no_proc, "ompi_message_no_proc", library) &&
         load_constant(mpi.datatype_null, "ompi_mpi_datatype_null", library) &&
         load_constant(mpi.byte, "ompi_mpi_byte", library) &&
         load_constant(mpi.op_no_op, "ompi_mpi_op_no_op", library);
}

bool is_our_family(const char* version) { return std::strstr(version, "Open MPI") != nullptr; }
#else
bool load_constants(void*) {
  mpi = {MPI_COMM_WORLD,      MPI_COMM_SELF,     MPI_COMM_NULL, MPI_REQUEST_NULL,
         MPI_MESSAGE_NO_PROC, MPI_DATATYPE_NULL, MPI_BYTE,      MPI_NO_OP};
  return true;
}

/// MPICH and the libraries of its common binary interface.
bool is_our_family(const char* version) {
  for (const char* name : {"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPI", "ParaStation"}) {
    if (std::strstr(version, name) != nullptr) return true;
  }
  return false;
}
#endif

}  // namespace

void try_statuses() {
  for (const MPI_Count bytes : {MPI_Count{0}, MPI_Count{12345}, (MPI_Count{1} << 33) + 7}) {
    MPI_Status status{};
    MPI_Count told = -1;
    if (pmpi.status_set_elements_x(&status, mpi.byte, bytes) != MPI_SUCCESS ||
        pmpi.get_elements_x(&status, mpi.byte, &told) != MPI_SUCCESS || told != bytes ||
        bytes_in(status) != static_cast<std::uint64_t>(bytes)) {
      return;
    }
  }
  knows_statuses = true;
}

LibraryState load_mpi_library() {
  void* library = loaded_library();
  bool any = false;
  for (std::size_t i = 0; i < kFunctionCount; ++i) {
    void* found = find(kFunctionNames[i], library);
    any = any || found != nullptr;
    real_functions[i] = found != nullptr ? found : reinterpret_cast<void*>(&missing_function);
  }
  if (!any || !load_own_functions(library)) return LibraryState::kMissing;
  static char version[16384];  // the longest MPI_MAX_LIBRARY_VERSION_STRING of any library is 8192
  int length = 0;
  pmpi.get_library_version(version, &length);
  const std::size_t line = std::strcspn(version, "\n");
  const std::size_t kept = line < sizeof library_version - 1 ? line : sizeof library_version - 1;
  std::memcpy(library_version, version, kept);
  library_version[kept] = '\0';
  if (!is_our_family(version) || !load_constants(library)) return LibraryState::kOtherFamily;
  return LibraryState::kReady;
}

}  // namespace vef::shim
