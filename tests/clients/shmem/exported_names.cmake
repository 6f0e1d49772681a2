#Every pshmem_NAME has a weak shmem_NAME, and the library exports only names of the interface.
execute_process(COMMAND ${NM} - D-- defined - only ${LIBRARY} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[A-Za-z] [^\n]+" lines "${text}") set(profiled 0) foreach (line IN LISTS lines)
        string(REGEX REPLACE
               "^([A-Za-z]) (.*)"
               "\\1;\\2" parts "${line}") list(POP_FRONT parts kind name) if (name MATCHES "^pshmem_(.*)")
            math(EXPR profiled
                 "${profiled} + 1") string(FIND
                                           "${text}"
                                           " W shmem_${CMAKE_MATCH_1}\n" found) if (found EQUAL - 1)
                message(SEND_ERROR "${name} has no weak shmem_${CMAKE_MATCH_1}") endif()
                    elseif(NOT name MATCHES
                           "^(shmem_|shmemx_|aqshmem_|start_pes$|_?my_pe$|_?num_pes$|shmalloc$|shfree$|"
                           "shrealloc$|shmemalign$)") message(SEND_ERROR "the library exports ${name}")
                        endif() endforeach() if (profiled LESS 1500)
                            message(SEND_ERROR
                                    "the library exports only ${profiled} names of the profiling interface")
                                endif()
