# What a user of the build may choose. The presets in CMakePresets.json set these.
set(PARTITA_SANITIZE
    ""
    CACHE STRING "Sanitizers to build with: address,undefined | thread | (empty)")
option(PARTITA_FUZZ "Build tests/fuzz with libFuzzer (clang only)" OFF)
option(PARTITA_COVERAGE "Count executed lines (gcc only)" OFF)
option(PARTITA_TESTS "Build the tests" ON)
option(PARTITA_WERROR "Treat warnings as errors" ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE
      Release
      CACHE STRING "Debug keeps asserts and invariants; Release defines NDEBUG" FORCE)
endif()
