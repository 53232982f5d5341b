# The trace model, VEF text (plain, gzip, zstd) and validation.
find_package(nlohmann_json REQUIRED)

vef_library(formats
  src/trace.cc
  src/trace_io.cc
  src/trace_tail.cc
  src/blocks_reader.cc
  src/byte_file.cc
  src/byte_source.cc
  src/byte_sink.cc
  src/checked_writer.cc
  src/parts_reader.cc
  src/record_counts.cc
  src/vefb_decode.cc
  src/vefb_encode.cc
  src/vefb_reader.cc
  src/vefb_writer.cc
  src/vef_text_buffer.cc
  src/vef_text_header.cc
  src/vef_text_reader.cc
  src/vef_text_writer.cc
  src/verify.cc
  src/validate.cc
  src/validate_collectives.cc
  src/zstd_memory_source.cc)
target_link_libraries(vef_formats
  PUBLIC vef::base vef_mpi_call
  PRIVATE PkgConfig::ZSTD ZLIB::ZLIB $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)

vef_test(formats_test vef::formats
  src/byte_test.cc
  src/trace_tail_test.cc
  src/vefb_test.cc
  src/vef_text_test.cc
  src/vef_variants_test.cc
  src/vef_text_errors_test.cc
  src/vef_text_fuzz_test.cc
  src/validate_test.cc)
set(VEF_TEST_LABELS threads)
vef_test(trace_threads_test vef::formats src/blocks_reader_test.cc)
unset(VEF_TEST_LABELS)
if(TARGET formats_test)
  target_link_libraries(formats_test PRIVATE PkgConfig::ZSTD ZLIB::ZLIB)
endif()
