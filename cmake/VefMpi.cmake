# The two MPI families the recorder is built for: finds headers and libraries through the compiler wrappers (the recorder
# is linked to no MPI library, the plug-ins of the merge are), and the launchers and compilers that the tests use.

function(vef_run_wrapper output)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "'${command}' failed: ${text}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# vef_find_mpi(FAMILY WRAPPERS...): VEF_<FAMILY>_CC, VEF_<FAMILY>_INCLUDE_DIRS and VEF_<FAMILY>_LIBRARIES (as -L, -l).
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
    vef_run_wrapper(line ${VEF_OPENMPI_CC} --showme:link)
  else()
    vef_run_wrapper(line ${VEF_MPICH_CC} -show)
    string(REGEX MATCHALL "-I[^ ]+" dirs "${line}")
    list(TRANSFORM dirs REPLACE "^-I" "")
  endif()
  string(REGEX MATCHALL "(^| )-[lL][^ ]+" libraries "${line}")
  list(TRANSFORM libraries STRIP)
  set(VEF_${upper}_INCLUDE_DIRS ${dirs} PARENT_SCOPE)
  set(VEF_${upper}_LIBRARIES ${libraries} PARENT_SCOPE)
endfunction()

vef_find_mpi(openmpi mpicc.openmpi)
vef_find_mpi(mpich mpicc.mpich)
