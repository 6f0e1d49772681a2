# What makes errors in memory harder to exploit, in release builds: read-only relocations bound at start, checked string and
# memory functions, marks for indirect branches. None of it costs anything on the paths between neighbours.
#
# Stack protectors do: send and poll have addresses of locals. aqueduct_protect_stack(TARGET) asks for them where data comes
# in from outside and speed does not matter: jobs, tools, commands.
set(AQUEDUCT_HARDENED OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT AQUEDUCT_SANITIZE)
  set(AQUEDUCT_HARDENED ON)
endif()

include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-fcf-protection=full AQUEDUCT_HAS_CF_PROTECTION)

# aqueduct_harden(TARGET...): sources that are compiled with optimisation.
function(aqueduct_harden)
  foreach(target IN LISTS ARGN)
    if(AQUEDUCT_HARDENED)
      target_compile_options(${target} PRIVATE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
      if(AQUEDUCT_HAS_CF_PROTECTION)
        target_compile_options(${target} PRIVATE -fcf-protection=full)
      endif()
    endif()
  endforeach()
endfunction()

function(aqueduct_protect_stack)
  foreach(target IN LISTS ARGN)
    if(AQUEDUCT_HARDENED)
      target_compile_options(${target} PRIVATE -fstack-protector-strong)
    endif()
  endforeach()
endfunction()

# aqueduct_harden_link(TARGET...): shared libraries and programs.
function(aqueduct_harden_link)
  foreach(target IN LISTS ARGN)
    if(AQUEDUCT_HARDENED)
      target_link_options(${target} PRIVATE LINKER:-z,relro,-z,now)
    endif()
  endforeach()
endfunction()
