# The language, the warnings and the instruments that every target of ours is built with.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_definitions(_POSIX_C_SOURCE=200809L PARTITA_VERSION="${PROJECT_VERSION}")
# Results must not depend on the compiler: no fused multiply-add, no reordered arithmetic.
add_compile_options(-ffp-contract=off -fno-fast-math)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
                    -Wmissing-prototypes -Wvla)
if(PARTITA_WERROR)
  add_compile_options(-Werror)
endif()

if(PARTITA_SANITIZE)
  add_compile_options(-fsanitize=${PARTITA_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${PARTITA_SANITIZE})
endif()
if(PARTITA_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "PARTITA_FUZZ needs clang: libFuzzer is part of it")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(PARTITA_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()

# The engine's folders call each other at every event. What is timed is linked as a whole, a fifth
# faster (tests/bench); objects stay fat, so that everything else links without it.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT PARTITA_COVERAGE)
  set(pt_whole_program -flto=auto)
  add_compile_options(-flto=auto -ffat-lto-objects)
endif()
function(pt_link_as_a_whole target)
  target_link_options(${target} PRIVATE ${pt_whole_program})
endfunction()
