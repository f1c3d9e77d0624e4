# pt_folder(sim/core [EXCLUDE file...] [EMBED file=symbol...] [PUBLIC lib...] [PRIVATE lib...])
#
# Makes the static library pt_sim_core of every .c file below the folder. A folder without sources
# becomes an interface library, so that whoever links it need not know.
function(pt_folder folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXCLUDE;EMBED;PUBLIC;PRIVATE")
  string(REPLACE "/" "_" target "pt_${folder}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.c)
  foreach(file IN LISTS arg_EXCLUDE)
    list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/${folder}/${file})
  endforeach()
  foreach(pair IN LISTS arg_EMBED)
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 file)
    list(GET pair 1 symbol)
    pt_embed(generated ${file} ${symbol})
    list(APPEND sources ${generated})
  endforeach()
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/sim/include>
                                                $<INSTALL_INTERFACE:include>)
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${CMAKE_SOURCE_DIR}/sim/include)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC} ${arg_PRIVATE})
  endif()
endfunction()

# pt_program(name FOLDER folder LINK lib...)
#
# Makes an executable of the folder's main.c, and of the rest the library pt_FOLDER that tests can
# link. manual.c, where there is one, is a program that writes the man page and the completion from
# the same tables; both are made with the build.
function(pt_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "LINK")
  pt_folder(${arg_FOLDER} EXCLUDE main.c manual.c PUBLIC ${arg_LINK})
  string(REPLACE "/" "_" library "pt_${arg_FOLDER}")
  set(folder ${CMAKE_SOURCE_DIR}/${arg_FOLDER})
  if(EXISTS ${folder}/main.c)
    pt_folder_program(${name} ${folder}/main.c ${library})
  endif()
  if(EXISTS ${folder}/manual.c)
    pt_folder_program(${name}_manual ${folder}/manual.c ${library})
    add_custom_command(
      OUTPUT ${CMAKE_BINARY_DIR}/${name}.1 ${CMAKE_BINARY_DIR}/${name}.bash
      COMMAND ${name}_manual man > ${CMAKE_BINARY_DIR}/${name}.1
      COMMAND ${name}_manual bash > ${CMAKE_BINARY_DIR}/${name}.bash
      DEPENDS ${name}_manual)
    add_custom_target(manual ALL DEPENDS ${CMAKE_BINARY_DIR}/${name}.1
                                         ${CMAKE_BINARY_DIR}/${name}.bash)
  endif()
endfunction()

function(pt_folder_program target source library)
  add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${library})
endfunction()

# pt_embed(out file symbol)
#
# Sets `out` to a generated C file that holds the bytes of `file` as `symbol` and their number as
# `symbol_length`; to nothing when there is no such file. The array is declared by the registry.h of
# the file's top folder.
function(pt_embed out file symbol)
  set(${out}
      ""
      PARENT_SCOPE)
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${file})
    return()
  endif()
  string(REGEX MATCH "^[^/]+" top ${file})
  set(generated ${CMAKE_BINARY_DIR}/embedded/${symbol}.c)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${CMAKE_SOURCE_DIR}/${file} -DOUTPUT=${generated}
            -DSYMBOL=${symbol} -DHEADER=${top}/registry.h -P ${CMAKE_SOURCE_DIR}/.cmake/Embed.cmake
    DEPENDS ${CMAKE_SOURCE_DIR}/${file} ${CMAKE_SOURCE_DIR}/.cmake/Embed.cmake
    VERBATIM)
  set(${out}
      ${generated}
      PARENT_SCOPE)
endfunction()
