// SPDX-License-Identifier: Apache-2.0
// What DUMPI can record: MPI's functions by their numbers in the stream, and how each lays out its arguments
// there. A call has no length, so one that is not understood can only be skipped by this table.
//
// Facts: sstsimulator/sst-dumpi, commit a4c8bf5, dumpi/common/{funclabels.h,dumpiio.c,iodefs.h}.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vef::neighbours {

/// Letters of `layout`; numbers are big endian:
///   i int, 32 bits      h handle, 16 bits (datatype, communicator, group, window, file, ...)
///   b 8 bits            l 64 bits
///   a number of ints, the ints        t number of handles, the handles
///   A number of arrays, each as a     c number of bytes, the bytes
///   C number of strings, each as c    D number of lists, each as C
///   s if the call has statuses: their number; each bytes, source (32), cancelled, error (8), tag (32)
///   r int: the rank in the communicator; o int: the root; (...) only where both are the same
///   ! is never recorded
struct DumpiFunction {
  std::string_view name;  // without MPI_
  std::string_view layout;
};

inline constexpr std::array<DumpiFunction, 293> kDumpiFunctions = {{
    // clang-format off
    {"Send", "ihiih"}, {"Recv", "ihiihs"}, {"Get_count", "shi"}, {"Bsend", "ihiih"}, {"Ssend", "ihiih"},
    {"Rsend", "ihiih"}, {"Buffer_attach", "i"}, {"Buffer_detach", "i"}, {"Isend", "ihiihi"},
    {"Ibsend", "ihiihi"}, {"Issend", "ihiihi"}, {"Irsend", "ihiihi"}, {"Irecv", "ihiihi"}, {"Wait", "is"},
    {"Test", "iis"}, {"Request_free", "i"}, {"Waitany", "iais"}, {"Testany", "iaiis"}, {"Waitall", "ias"},
    {"Testall", "iais"}, {"Waitsome", "iaias"}, {"Testsome", "iaias"}, {"Iprobe", "iihis"}, {"Probe", "iihs"},
    {"Cancel", "i"}, {"Test_cancelled", "si"}, {"Send_init", "ihiihi"}, {"Bsend_init", "ihiihi"},
    {"Ssend_init", "ihiihi"}, {"Rsend_init", "ihiihi"}, {"Recv_init", "ihiihi"}, {"Start", "i"},
    {"Startall", "ia"}, {"Sendrecv", "ihiiihiihs"}, {"Sendrecv_replace", "ihiiiihs"},
    {"Type_contiguous", "ihh"}, {"Type_vector", "iiihh"}, {"Type_hvector", "iiihh"},
    {"Type_indexed", "iaahh"}, {"Type_hindexed", "iaahh"}, {"Type_struct", "iaath"}, {"Address", "i"},
    {"Type_extent", "hi"}, {"Type_size", "hi"}, {"Type_lb", "hi"}, {"Type_ub", "hi"}, {"Type_commit", "h"},
    {"Type_free", "h"}, {"Get_elements", "shi"}, {"Pack", "ihiiih"}, {"Unpack", "iiiihh"},
    {"Pack_size", "ihhi"}, {"Barrier", "h"}, {"Bcast", "ihih"}, {"Gather", "rihoh(ih)"},
    {"Gatherv", "riihoh(aa)h"}, {"Scatter", "rihoh(ih)"}, {"Scatterv", "rihihoh(aa)"}, {"Allgather", "ihihh"},
    {"Allgatherv", "iihaahh"}, {"Alltoall", "ihihh"}, {"Alltoallv", "iaahaahh"}, {"Reduce", "ihbih"},
    {"Op_create", "ib"}, {"Op_free", "b"}, {"Allreduce", "ihbh"}, {"Reduce_scatter", "iahbh"},
    {"Scan", "ihbh"}, {"Group_size", "hi"}, {"Group_rank", "hi"}, {"Group_translate_ranks", "hiaha"},
    {"Group_compare", "hhb"}, {"Comm_group", "hh"}, {"Group_union", "hhh"}, {"Group_intersection", "hhh"},
    {"Group_difference", "hhh"}, {"Group_incl", "hiah"}, {"Group_excl", "hiah"}, {"Group_range_incl", "hiAh"},
    {"Group_range_excl", "hiAh"}, {"Group_free", "h"}, {"Comm_size", "hi"}, {"Comm_rank", "hi"},
    {"Comm_compare", "hhb"}, {"Comm_dup", "hh"}, {"Comm_create", "hhh"}, {"Comm_split", "hiih"},
    {"Comm_free", "h"}, {"Comm_test_inter", "hi"}, {"Comm_remote_size", "hi"}, {"Comm_remote_group", "hh"},
    {"Intercomm_create", "hihiih"}, {"Intercomm_merge", "hih"}, {"Keyval_create", "h"}, {"Keyval_free", "h"},
    {"Attr_put", "hi"}, {"Attr_get", "hii"}, {"Attr_delete", "hi"}, {"Topo_test", "hb"},
    {"Cart_create", "hiaaih"}, {"Dims_create", "iiaa"}, {"Graph_create", "ihiaaih"}, {"Graphdims_get", "hii"},
    {"Graph_get", "iihiiaa"}, {"Cartdim_get", "hi"}, {"Cart_get", "ihiaaa"}, {"Cart_rank", "ihai"},
    {"Cart_coords", "ihiia"}, {"Graph_neighbors_count", "hii"}, {"Graph_neighbors", "ihiia"},
    {"Cart_shift", "hiiii"}, {"Cart_sub", "ihah"}, {"Cart_map", "hiaai"}, {"Graph_map", "ihiaai"},
    {"Get_processor_name", "ci"}, {"Get_version", "ii"}, {"Errhandler_create", "h"}, {"Errhandler_set", "hh"},
    {"Errhandler_get", "hh"}, {"Errhandler_free", "h"}, {"Error_string", "ici"}, {"Error_class", "ii"},
    {"Wtime", ""}, {"Wtick", ""}, {"Init", "C"}, {"Finalize", ""}, {"Initialized", "i"}, {"Abort", "hi"},
    {"Pcontrol", "!"}, {"Close_port", "c"}, {"Comm_accept", "chihh"}, {"Comm_connect", "chihh"},
    {"Comm_disconnect", "h"}, {"Comm_get_parent", "h"}, {"Comm_join", "ih"}, {"Comm_spawn", "rohh(cCiha)"},
    {"Comm_spawn_multiple", "irohh(iCData)"}, {"Lookup_name", "chc"}, {"Open_port", "hc"},
    {"Publish_name", "chc"}, {"Unpublish_name", "chc"}, {"Accumulate", "ihiiihbh"}, {"Get", "ihiiihh"},
    {"Put", "ihiiihh"}, {"Win_complete", "h"}, {"Win_create", "iihhh"}, {"Win_fence", "bh"},
    {"Win_free", "h"}, {"Win_get_group", "hh"}, {"Win_lock", "bibh"}, {"Win_post", "hbh"},
    {"Win_start", "hbh"}, {"Win_test", "hi"}, {"Win_unlock", "ih"}, {"Win_wait", "h"},
    {"Alltoallw", "iaataath"}, {"Exscan", "ihbh"}, {"Add_error_class", "i"}, {"Add_error_code", "ii"},
    {"Add_error_string", "ic"}, {"Comm_call_errhandler", "hi"}, {"Comm_create_keyval", "h"},
    {"Comm_delete_attr", "hh"}, {"Comm_free_keyval", "h"}, {"Comm_get_attr", "hhi"}, {"Comm_get_name", "hci"},
    {"Comm_set_attr", "hh"}, {"Comm_set_name", "hc"}, {"File_call_errhandler", "hi"},
    {"Grequest_complete", "i"}, {"Grequest_start", "i"}, {"Init_thread", "Cbb"}, {"Is_thread_main", "i"},
    {"Query_thread", "b"}, {"Status_set_cancelled", "si"}, {"Status_set_elements", "shi"},
    {"Type_create_keyval", "h"}, {"Type_delete_attr", "hh"}, {"Type_dup", "hh"}, {"Type_free_keyval", "h"},
    {"Type_get_attr", "hhi"}, {"Type_get_contents", "iiihiiiaat"}, {"Type_get_envelope", "hiiib"},
    {"Type_get_name", "hci"}, {"Type_set_attr", "hh"}, {"Type_set_name", "hc"}, {"Type_match_size", "bih"},
    {"Win_call_errhandler", "hi"}, {"Win_create_keyval", "h"}, {"Win_delete_attr", "hh"},
    {"Win_free_keyval", "h"}, {"Win_get_attr", "hhi"}, {"Win_get_name", "hci"}, {"Win_set_attr", "hh"},
    {"Win_set_name", "hc"}, {"Alloc_mem", "ih"}, {"Comm_create_errhandler", "h"},
    {"Comm_get_errhandler", "hh"}, {"Comm_set_errhandler", "hh"}, {"File_create_errhandler", "h"},
    {"File_get_errhandler", "hh"}, {"File_set_errhandler", "hh"}, {"Finalized", "i"}, {"Free_mem", ""},
    {"Get_address", "i"}, {"Info_create", "h"}, {"Info_delete", "hc"}, {"Info_dup", "hh"}, {"Info_free", "h"},
    {"Info_get", "hcici"}, {"Info_get_nkeys", "hi"}, {"Info_get_nthkey", "hic"},
    {"Info_get_valuelen", "hcii"}, {"Info_set", "hcc"}, {"Pack_external", "cihiii"},
    {"Pack_external_size", "cihi"}, {"Request_get_status", "iis"}, {"Type_create_darray", "iiiacaabhh"},
    {"Type_create_hindexed", "iaahh"}, {"Type_create_hvector", "iiihh"},
    {"Type_create_indexed_block", "iiahh"}, {"Type_create_resized", "hiih"}, {"Type_create_struct", "iaath"},
    {"Type_create_subarray", "iaaabhh"}, {"Type_get_extent", "hii"}, {"Type_get_true_extent", "hii"},
    {"Unpack_external", "ciiiih"}, {"Win_create_errhandler", "h"}, {"Win_get_errhandler", "hh"},
    {"Win_set_errhandler", "hh"}, {"File_open", "hcbhh"}, {"File_close", "h"}, {"File_delete", "ch"},
    {"File_set_size", "hl"}, {"File_preallocate", "hl"}, {"File_get_size", "hl"}, {"File_get_group", "hh"},
    {"File_get_amode", "hb"}, {"File_set_info", "hh"}, {"File_get_info", "hh"}, {"File_set_view", "hlhhch"},
    {"File_get_view", "hlhhc"}, {"File_read_at", "hlihs"}, {"File_read_at_all", "hlihs"},
    {"File_write_at", "hlihs"}, {"File_write_at_all", "hlihs"}, {"File_iread_at", "hlihi"},
    {"File_iwrite_at", "hlihi"}, {"File_read", "hihs"}, {"File_read_all", "hihs"}, {"File_write", "hihs"},
    {"File_write_all", "hihs"}, {"File_iread", "hihi"}, {"File_iwrite", "hihi"}, {"File_seek", "hlb"},
    {"File_get_position", "hl"}, {"File_get_byte_offset", "hll"}, {"File_read_shared", "hihs"},
    {"File_write_shared", "hihs"}, {"File_iread_shared", "hihi"}, {"File_iwrite_shared", "hihi"},
    {"File_read_ordered", "hihs"}, {"File_write_ordered", "hihs"}, {"File_seek_shared", "hlb"},
    {"File_get_position_shared", "hl"}, {"File_read_at_all_begin", "hlih"}, {"File_read_at_all_end", "hs"},
    {"File_write_at_all_begin", "hlih"}, {"File_write_at_all_end", "hs"}, {"File_read_all_begin", "hih"},
    {"File_read_all_end", "hs"}, {"File_write_all_begin", "hih"}, {"File_write_all_end", "hs"},
    {"File_read_ordered_begin", "hih"}, {"File_read_ordered_end", "hs"}, {"File_write_ordered_begin", "hih"},
    {"File_write_ordered_end", "hs"}, {"File_get_type_extent", "hhi"}, {"Register_datarep", "c"},
    {"File_set_atomicity", "hi"}, {"File_get_atomicity", "hi"}, {"File_sync", "h"}, {"IO_Test", "iis"},
    {"IO_Wait", "is"}, {"IO_Testall", "iais"}, {"IO_Waitall", "ias"}, {"IO_Testany", "iaiis"},
    {"IO_Waitany", "iais"}, {"IO_Waitsome", "iaias"}, {"IO_Testsome", "iaias"}, {"", ""},
    {"Function_enter", "l"}, {"Function_exit", "l"}
    // clang-format on
}};
inline constexpr std::uint16_t kDumpiEndOfStream = kDumpiFunctions.size();

/// `function` is one of the table.
constexpr std::string_view dumpi_name(std::uint16_t function) { return kDumpiFunctions[function].name; }

consteval std::uint16_t dumpi_number(std::string_view name) {
  for (std::size_t i = 0; i < kDumpiFunctions.size(); ++i) {
    if (kDumpiFunctions[i].name == name) return static_cast<std::uint16_t>(i);
  }
  throw "no such function";
}

}  // namespace vef::neighbours
