# Writes a C++ file that holds text files as string_views.
#   cmake -DOUTPUT=x.cc -DHEADER=x.h -DNAMESPACE=a::b -DENTRIES="kA=one.js,two.js;kB=three.css" -P embed.cmake
# Files after one name are joined in their order.
get_filename_component(header_name ${HEADER} NAME)
set(declarations "")
set(definitions "")
foreach(entry IN LISTS ENTRIES)
  string(FIND "${entry}" "=" split)
  string(SUBSTRING "${entry}" 0 ${split} symbol)
  math(EXPR split "${split} + 1")
  string(SUBSTRING "${entry}" ${split} -1 files)
  string(REPLACE "," ";" files "${files}")
  set(hex "")
  foreach(file IN LISTS files)
    file(READ "${file}" part HEX)
    string(APPEND hex "${part}")
  endforeach()
  string(REGEX REPLACE "(................................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," hex "${hex}")
  string(APPEND declarations "extern const std::string_view ${symbol};\n")
  string(APPEND definitions "namespace { constexpr char ${symbol}Text[] = {\n${hex}\n}; }\n"
                            "const std::string_view ${symbol}{${symbol}Text, sizeof ${symbol}Text};\n\n")
endforeach()
file(WRITE "${HEADER}" "// Generated from text files by embed.cmake.
#pragma once\n\n#include <string_view>\n\nnamespace ${NAMESPACE} {\n\n${declarations}\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "// Generated from text files by embed.cmake.
#include \"${header_name}\"\n\nnamespace ${NAMESPACE} {\n\n${definitions}}  // namespace ${NAMESPACE}\n")
