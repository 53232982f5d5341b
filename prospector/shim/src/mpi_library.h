// SPDX-License-Identifier: Apache-2.0
// The application's MPI library as the recorder sees it: the real functions, found at run time (the recorder
// is not linked to any MPI), the constants that are objects of the library, and the canonical form of the
// others.
//
// Handles pass through the wrappers as machine words (Word), so that forwarding is right even in a program
// whose MPI is of the other family, where handles have another size.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "hidden.h"
#include "vef/formats/rank_log.h"

namespace vef::shim {

using Word = std::uintptr_t;

template <class Handle>
Handle from_word(Word word) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(word);
  } else {
    return static_cast<Handle>(word);
  }
}

template <class Handle>
std::uint64_t to_key(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint32_t>(handle);
  }
}

// The real PMPI_x of every wrapped function, by slot (wrappers.cc); all are set once start() has run.
extern const char* const kFunctionNames[];  // "PMPI_Send", ...
extern const std::size_t kFunctionCount;
VEF_HIDDEN extern void* real_functions[];

// All functions of the table that need no more attention: those that are wrapped and the local ones, sorted.
extern const std::string_view kKnownFunctions[];
extern const std::size_t kKnownFunctionCount;

/// Library functions the recorder itself calls, always past its own wrappers.
struct Pmpi {
  decltype(&PMPI_Initialized) initialized;
  decltype(&PMPI_Query_thread) query_thread;
  decltype(&PMPI_Get_library_version) get_library_version;
  decltype(&PMPI_Comm_rank) comm_rank;
  decltype(&PMPI_Comm_size) comm_size;
  decltype(&PMPI_Comm_remote_size) comm_remote_size;
  decltype(&PMPI_Comm_test_inter) comm_test_inter;
  decltype(&PMPI_Comm_group) comm_group;
  decltype(&PMPI_Comm_remote_group) comm_remote_group;
  decltype(&PMPI_Group_rank) group_rank;
  decltype(&PMPI_Group_size) group_size;
  decltype(&PMPI_Group_translate_ranks) group_translate_ranks;
  decltype(&PMPI_Group_union) group_union;
  decltype(&PMPI_Group_free) group_free;
  decltype(&PMPI_Type_size_x) type_size_x;
  decltype(&PMPI_Get_elements_x) get_elements_x;
  decltype(&PMPI_Status_set_elements_x) status_set_elements_x;
  decltype(&PMPI_Test_cancelled) test_cancelled;
  decltype(&PMPI_Comm_idup) comm_idup;
  decltype(&PMPI_Iallgather) iallgather;
  decltype(&PMPI_Isend) isend;
  decltype(&PMPI_Irecv) irecv;
  decltype(&PMPI_Test) test;
  decltype(&PMPI_Error_class) error_class;
  decltype(&PMPI_Topo_test) topo_test;
  decltype(&PMPI_Cartdim_get) cartdim_get;
  decltype(&PMPI_Graph_neighbors_count) graph_neighbors_count;
  decltype(&PMPI_Cart_shift) cart_shift;
  decltype(&PMPI_Graph_neighbors) graph_neighbors;
  decltype(&PMPI_Dist_graph_neighbors_count) dist_graph_neighbors_count;
  decltype(&PMPI_Dist_graph_neighbors) dist_graph_neighbors;
#if MPI_VERSION >= 4
  decltype(&PMPI_Group_from_session_pset) group_from_session_pset;  // null in older libraries
#endif
};
VEF_HIDDEN extern Pmpi pmpi;

/// Constants that are addresses of objects inside the library (Open MPI), so known only at run time.
struct Constants {
  MPI_Comm comm_world;
  MPI_Comm comm_self;
  MPI_Comm comm_null;
  MPI_Request request_null;
  MPI_Message message_no_proc;
  MPI_Datatype datatype_null;
  MPI_Datatype byte;
  MPI_Op op_no_op;
};
VEF_HIDDEN extern Constants mpi;

/// First line of MPI_Get_library_version.
extern char library_version[256];

/// Family this recorder was compiled for: "openmpi" or "mpich".
extern const char* const kFamily;

enum class LibraryState { kReady, kOtherFamily, kMissing };
/// Finds everything above. Called once, at the first MPI call; needs no initialised MPI.
LibraryState load_mpi_library();

inline std::int32_t canonical_rank(int rank) {
  if (rank == MPI_PROC_NULL) return formats::kProcNull;
  if (rank == MPI_ANY_SOURCE) return formats::kAnySource;
  if (rank == MPI_ROOT) return formats::kRootHere;
  return rank;
}
inline std::int32_t canonical_tag(int tag) { return tag == MPI_ANY_TAG ? formats::kAnyTag : tag; }

inline std::uint64_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  if (type != mpi.datatype_null) pmpi.type_size_x(type, &size);
  return size < 0 ? 0 : static_cast<std::uint64_t>(size);
}

/// The bytes that a receive's status tells of, as they lie in it.
inline std::uint64_t bytes_in(const MPI_Status& status) {
#if defined(OPEN_MPI)
  return status._ucount;
#else
  return static_cast<std::uint32_t>(status.count_lo) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1) << 32;
#endif
}

/// Whether bytes_in() knows the statuses of this library: compared with its own functions by try_statuses().
VEF_HIDDEN extern bool knows_statuses;
/// Once MPI is initialised.
void try_statuses();

/// Bytes that a receive's status tells of.
[[gnu::always_inline]] inline std::uint64_t bytes_received(const MPI_Status& status) {
  if (knows_statuses) [[likely]]
    return bytes_in(status);
  MPI_Count bytes = 0;
  pmpi.get_elements_x(&status, mpi.byte, &bytes);
  return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

}  // namespace vef::shim
