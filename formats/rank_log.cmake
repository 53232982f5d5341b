# The rank log. The writer is linked into the preloaded recorder, so it is a library of its own: no exceptions, no
# libstdc++, zstd from its static archive. The reader is part of vef_formats.
find_library(VEF_ZSTD_ARCHIVE NAMES libzstd.a REQUIRED)
find_path(VEF_XXHASH_INCLUDE NAMES xxhash.h REQUIRED)

add_library(vef_rank_log_writer STATIC src/rank_log_writer.cc src/rank_log_plan.cc src/rank_log_pack.cc src/rank_log_files.cc)
add_library(vef::rank_log_writer ALIAS vef_rank_log_writer)
target_include_directories(vef_rank_log_writer
  PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
  PRIVATE src ${VEF_XXHASH_INCLUDE})
target_compile_options(vef_rank_log_writer PRIVATE
  -O2 -fno-exceptions -fno-rtti -fno-asynchronous-unwind-tables -fno-threadsafe-statics)
target_link_libraries(vef_rank_log_writer
  PRIVATE $<BUILD_INTERFACE:vef_build_flags>
  INTERFACE ${VEF_ZSTD_ARCHIVE})
# A preloaded library must not offer its zstd to the application; the archive also links into one only when hidden.
target_link_options(vef_rank_log_writer INTERFACE
  $<$<IN_LIST:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY;MODULE_LIBRARY>:LINKER:--exclude-libs,libzstd.a>)
set_target_properties(vef_rank_log_writer PROPERTIES
  POSITION_INDEPENDENT_CODE ON
  CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON
  EXPORT_NAME rank_log_writer)
target_compile_features(vef_rank_log_writer PUBLIC cxx_std_20)
# For those that inline a part of the writer (rank_log_repeat.h), which is no header for everybody.
add_library(vef_rank_log_repeat INTERFACE)
target_include_directories(vef_rank_log_repeat SYSTEM INTERFACE ${VEF_XXHASH_INCLUDE})
target_include_directories(vef_rank_log_repeat INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/src)
target_link_libraries(vef_rank_log_repeat INTERFACE vef_rank_log_writer)

target_sources(vef_formats PRIVATE
  src/rank_log_reader.cc src/rank_log_chunks.cc src/rank_log_unpack.cc src/rank_log_input.cc)
target_include_directories(vef_formats PRIVATE ${VEF_XXHASH_INCLUDE})

set(VEF_TEST_LABELS rank_log)
vef_test(rank_log_test "vef_formats;vef_rank_log_writer"
  src/rank_log_test.cc src/rank_log_repeat_test.cc src/rank_log_pack_test.cc src/rank_log_damage_test.cc
  src/rank_log_crash_test.cc)
unset(VEF_TEST_LABELS)
