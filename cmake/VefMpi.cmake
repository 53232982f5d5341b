# The two MPI families the recorder is built for: finds the headers through the compiler wrappers (no MPI library is
# linked into the recorder), and the launchers and compilers that the tests use.

function(vef_run_wrapper output)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "'${command}' failed: ${text}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# vef_find_mpi(FAMILY WRAPPERS...): VEF_<FAMILY>_CC and VEF_<FAMILY>_INCLUDE_DIRS.
function(vef_find_mpi family)
  string(TOUPPER ${family} upper)
  find_program(VEF_${upper}_CC NAMES ${ARGN} DOC "C compiler wrapper of ${family}")
  if(NOT VEF_${upper}_CC)
    message(FATAL_ERROR "The recorder needs ${family}: no '${ARGV1}' was found. Install its development package, "
                        "set VEF_${upper}_CC, or leave the recorder out with -DVEF_BUILD_SHIM=OFF.")
  endif()
  if(family STREQUAL "openmpi")
    vef_run_wrapper(dirs ${VEF_OPENMPI_CC} --showme:incdirs)
    separate_arguments(dirs UNIX_COMMAND "${dirs}")
  else()
    vef_run_wrapper(line ${VEF_MPICH_CC} -show)
    string(REGEX MATCHALL "-I[^ ]+" dirs "${line}")
    list(TRANSFORM dirs REPLACE "^-I" "")
  endif()
  set(VEF_${upper}_INCLUDE_DIRS ${dirs} PARENT_SCOPE)
endfunction()

vef_find_mpi(openmpi mpicc.openmpi)
vef_find_mpi(mpich mpicc.mpich)
