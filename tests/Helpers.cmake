set(PARTITA_SHARED
    $ENV{PARTITA_SHARED}
    CACHE PATH "The shared reference data; empty = ../shared beside the checkout")
if(PARTITA_SHARED)
  set(pt_shared ${PARTITA_SHARED})
else()
  set(pt_shared ${CMAKE_SOURCE_DIR}/../shared)
endif()

# pt_test(name COMMAND command... [LABELS label...] [TIMEOUT seconds] [SERIAL] [ENVIRONMENT a=b...])
#
# Adds a test. It runs in an empty directory of its own, sees PARTITA_SOURCE, PARTITA_BUILD,
# PARTITA_SHARED and PARTITA (the program), and skips by exit code 77. Under sanitizers every
# report goes to a file and any such file fails the test: a test framework that swallows the exit
# code of a child can't hide it.
function(pt_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  set(prefix "")
  if(PARTITA_SANITIZE)
    set(prefix ${CMAKE_SOURCE_DIR}/tests/house/logged.sh)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 4")
  endif()
  set(directory ${CMAKE_BINARY_DIR}/tests/run/${name})
  file(MAKE_DIRECTORY ${directory})
  add_test(
    NAME ${name}
    COMMAND ${prefix} ${program} ${arg_COMMAND}
    WORKING_DIRECTORY ${directory})
  set(environment "PARTITA_SOURCE=${CMAKE_SOURCE_DIR}" "PARTITA_BUILD=${CMAKE_BINARY_DIR}"
                  "PARTITA_SHARED=${pt_shared}" "CC=${CMAKE_C_COMPILER}")
  if(TARGET partita)
    list(APPEND environment "PARTITA=$<TARGET_FILE:partita>")
  endif()
  set_tests_properties(
    ${name}
    PROPERTIES LABELS "${arg_LABELS}"
               TIMEOUT ${arg_TIMEOUT}
               SKIP_RETURN_CODE 77
               ENVIRONMENT "${environment};${arg_ENVIRONMENT}")
  if(arg_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
endfunction()

# pt_test_program(target source... LINK lib...)
#
# An executable for tests: sources relative to the caller, able to include any header of the house.
function(pt_test_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/sim/include)
  target_link_libraries(${target} PRIVATE ${arg_LINK} m)
endfunction()

# pt_unit_tests(folder lib...)
#
# One Criterion program, unit.<folder>, of unit/<folder>/*.c. Criterion doesn't start under
# ThreadSanitizer, so it is left out there.
function(pt_unit_tests folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/unit/${folder}/*.c)
  if(NOT sources OR PARTITA_SANITIZE MATCHES "thread")
    return()
  endif()
  pt_test_program(unit_${folder} ${sources} LINK ${ARGN} PkgConfig::CRITERION)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # Criterion's cr_assert(eq(...)) stores an int in a 1-bit field in our scope; and gcc does not
    # see that a failed cr_assert leaves the test, so that what a refused call would have set is used.
    target_compile_options(unit_${folder} PRIVATE -Wno-conversion -Wno-maybe-uninitialized)
  endif()
  pt_test(unit.${folder} LABELS unit COMMAND unit_${folder} --short-filename)
endfunction()
