# The conduits that the tests run on, and how a test of several ranks is declared.
#
# A conduit is registered once, below, and inherits every test. A variant is a conduit under a label with an
# environment of its own; it is tested with each of its numbers of ranks. TESTS: it inherits only these. CONFIGURATION: its
# tests run only when ctest is asked for them: ctest -C <word>.
#
#   aqueduct_register_conduit(NAME <conduit> [LABEL <label>] RANKS <n>... [ENVIRONMENT VAR=VALUE...] [TESTS <name>...]
#                             [CONFIGURATION <word>])
#   aqueduct_rank_test(NAME <name> SOURCES <file>... [MODES seq par parsync] [RANKS <n>...] [VARIANTS <label>...]
#                      [ARGUMENTS <argument>...])
#
# Programs are linked with libaqueduct and find the conduits of the papers as plug-ins. Where AQUEDUCT_TEST_PAPERS is set, they are
# linked with libaqueduct-papers, which contains these, for tests of the papers' interfaces themselves.
#
# aqueduct_rank_test builds one program per thread mode and adds one test per variant, mode and number of ranks, named
# <name>.<variant>.<mode>.<ranks>. RANKS and VARIANTS narrow the choice for tests that need, say, two ranks.

function(aqueduct_register_conduit)
  cmake_parse_arguments(ARG "" "NAME;LABEL;CONFIGURATION" "RANKS;ENVIRONMENT;TESTS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL ${ARG_NAME})
  endif()
  set_property(GLOBAL APPEND PROPERTY AQUEDUCT_VARIANTS ${ARG_LABEL})
  set_property(GLOBAL PROPERTY AQUEDUCT_VARIANT_${ARG_LABEL}_CONDUIT ${ARG_NAME})
  set_property(GLOBAL PROPERTY AQUEDUCT_VARIANT_${ARG_LABEL}_RANKS ${ARG_RANKS})
  set_property(GLOBAL PROPERTY AQUEDUCT_VARIANT_${ARG_LABEL}_ENVIRONMENT ${ARG_ENVIRONMENT})
  set_property(GLOBAL PROPERTY AQUEDUCT_VARIANT_${ARG_LABEL}_TESTS ${ARG_TESTS})
  set_property(GLOBAL PROPERTY AQUEDUCT_VARIANT_${ARG_LABEL}_CONFIGURATION ${ARG_CONFIGURATION})
endfunction()

aqueduct_register_conduit(NAME smp RANKS 1 2 4)
# The same ranks, but put, get and barrier go through the reference implementation over active messages.
aqueduct_register_conduit(NAME smp LABEL smp-reference RANKS 1 2 4 ENVIRONMENT AQUEDUCT_REFERENCE=1)
# Barriers as on a machine with a core for every rank.
aqueduct_register_conduit(NAME smp LABEL smp-dissemination RANKS 4 9 TESTS barrier teams thread ENVIRONMENT
  AQUEDUCT_BARRIER=dissemination AQUEDUCT_TEST_SCALE=0.2)
aqueduct_register_conduit(NAME loopback RANKS 1)
aqueduct_register_conduit(NAME wire RANKS 1 2 4 ENVIRONMENT AQUEDUCT_TEST_SCALE=0.1)
# With as little of everything as it can live on, so that nothing that may run out is ever enough.
set(AQUEDUCT_POOR_PORTALS GASNET_PORTAL_RB_CHUNKS=4 GASNET_PORTAL_CRED_PER_NODE=8 GASNET_PORTAL_BANKED_CREDITS=8
  GASNET_PORTAL_SB_CHUNKS=4 GASNET_PORTAL_RPL_CHUNKS=2 GASNET_PORTAL_MSG_LIMIT=12 GASNET_PORTAL_EPOCH_DURATION=16
  GASNET_FIREHOSE_MAXVICTIM_R=4)
aqueduct_register_conduit(NAME portals RANKS 2 4 ENVIRONMENT AQUEDUCT_TEST_SCALE=0.1 ${AQUEDUCT_POOR_PORTALS})
# Its other stages, and more ranks than it is meant for: what differs.
aqueduct_register_conduit(NAME portals LABEL portals-native RANKS 4 TESTS rma am_payload ENVIRONMENT
  AQUEDUCT_PORTALS_STAGE=native AQUEDUCT_TEST_SCALE=0.05 GASNET_PORTAL_NUM_TMPMD=2 ${AQUEDUCT_POOR_PORTALS})
aqueduct_register_conduit(NAME portals LABEL portals-hybrid RANKS 2 4 TESTS rma am_payload am_load am_token thread
  ENVIRONMENT AQUEDUCT_PORTALS_STAGE=hybrid AQUEDUCT_TEST_SCALE=0.05 ${AQUEDUCT_POOR_PORTALS})
# Memory outside of segments, of which little can be borrowed at a time; or none, where messages reach it.
set(AQUEDUCT_EVERYTHING AQUEDUCT_SEGMENT_EVERYTHING=1 AQUEDUCT_TEST_OUTSIDE=1)
aqueduct_register_conduit(NAME portals LABEL portals-everything RANKS 2 4 TESTS everything am_payload vis atomic negotiated
  ENVIRONMENT ${AQUEDUCT_EVERYTHING} GASNET_FIREHOSE_R=12 AQUEDUCT_TEST_SCALE=0.04 ${AQUEDUCT_POOR_PORTALS})
aqueduct_register_conduit(NAME smp LABEL smp-everything RANKS 2 TESTS everything am_payload vis atomic negotiated collective
  ENVIRONMENT ${AQUEDUCT_EVERYTHING} AQUEDUCT_TEST_SCALE=0.04)
aqueduct_register_conduit(NAME mpi-portals LABEL mpi-portals-everything RANKS 2 TESTS everything ENVIRONMENT ${AQUEDUCT_EVERYTHING}
  AQUEDUCT_TEST_SCALE=0.04)
aqueduct_register_conduit(NAME portals LABEL portals-crowd RANKS 16 TESTS am_load am_token barrier ENVIRONMENT
  AQUEDUCT_TEST_SCALE=0.005 ${AQUEDUCT_POOR_PORTALS})
aqueduct_register_conduit(NAME mpi-portals RANKS 2 ENVIRONMENT AQUEDUCT_TEST_SCALE=0.05)

# uGNI, with as little of everything as it can live on; and each of its protocols for long messages.
set(AQUEDUCT_POOR_ARIES GASNET_NETWORKDEPTH=6 GASNET_NETWORKDEPTH_TOTAL=7 GASNET_LONG_DEPTH=2 GASNET_NETWORKDEPTH_SPACE=1
  GASNET_GNI_NUM_PD=32 GASNET_GNI_BOUNCE_SIZE=16KB GASNET_GNI_MEMREG=4 GASNET_GNI_AMPOLL_BURST=3)
aqueduct_register_conduit(NAME aries RANKS 2 4 ENVIRONMENT AQUEDUCT_TEST_SCALE=0.05 ${AQUEDUCT_POOR_ARIES})
aqueduct_register_conduit(NAME aries LABEL aries-defaults RANKS 2 TESTS am_payload am_load am_completion rma ENVIRONMENT
  AQUEDUCT_TEST_SCALE=0.05 GASNET_USE_UDREG=0)
aqueduct_register_conduit(NAME aries LABEL aries-udp RANKS 2 4 TESTS am_load am_payload rma barrier thread ENVIRONMENT
  AQUEDUCT_FABRIC=udp AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_ARIES})
aqueduct_register_conduit(NAME aries LABEL aries-rendezvous RANKS 2 4 TESTS am_payload am_load am_completion thread ENVIRONMENT
  GASNET_GNI_AM_RVOUS_CUTOVER=1 GASNET_GNI_AM_RVOUS_BUFFERS=2 AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_ARIES})
# The interface reads whole words, up to three bytes beside a payload in the client's memory: not an error that ASan should report.
set(settings_of_rendezvous-get ASAN_OPTIONS=replace_intrin=0)
foreach(protocol ordered put-sync-send async-chaining rendezvous-get)
  aqueduct_register_conduit(NAME aries LABEL aries-${protocol} RANKS 2 TESTS am_payload am_load am_completion ENVIRONMENT
    AQUEDUCT_LONG_PROTOCOL=${protocol} ${settings_of_${protocol}} AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_ARIES})
endforeach()

# The whole suite with the settings that it has by itself, pure and mixed, when asked for (ctest -C aries).
aqueduct_register_conduit(NAME aries LABEL aries-hosts RANKS 2 4 CONFIGURATION aries ENVIRONMENT AQUEDUCT_TEST_SCALE=0.03)
aqueduct_register_conduit(NAME aries LABEL aries-pairs RANKS 4 CONFIGURATION aries ENVIRONMENT AQUEDUCT_LAYOUT=2+2
  AQUEDUCT_TEST_SCALE=0.03)

# VELO and RMA of EXTOLL, with little of everything; both implementations of active messages, and protocols of long ones. The
# whole suite when asked for (ctest -C extoll).
set(AQUEDUCT_POOR_EXTOLL AQUEDUCT_EXTOLL_REQUESTS=3 AQUEDUCT_EXTOLL_POSTS=4 AQUEDUCT_EXTOLL_BOUNCE=256 AQUEDUCT_EXTOLL_BOUNCE_POOL=1KB
  AQUEDUCT_EXTOLL_REGISTRATIONS=2 AQUEDUCT_EXTOLL_PACKED_LONG=16)
aqueduct_register_conduit(NAME extoll RANKS 2 TESTS query segment am_payload am_load am_completion rma barrier thread idle progress
  ENVIRONMENT AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_EXTOLL})
aqueduct_register_conduit(NAME extoll LABEL extoll-first RANKS 2 TESTS am_payload am_load thread ENVIRONMENT AQUEDUCT_EXTOLL_AM=first
  AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_EXTOLL})
aqueduct_register_conduit(NAME extoll LABEL extoll-udp RANKS 2 TESTS am_payload barrier ENVIRONMENT AQUEDUCT_FABRIC=udp
  AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_EXTOLL})
aqueduct_register_conduit(NAME extoll LABEL extoll-2-2 RANKS 4 TESTS am_load hosts progress ENVIRONMENT AQUEDUCT_LAYOUT=2+2
  AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_EXTOLL})
foreach(protocol put-sync-send async-chaining rendezvous-get)
  aqueduct_register_conduit(NAME extoll LABEL extoll-${protocol} RANKS 2 TESTS am_payload am_completion ENVIRONMENT
    AQUEDUCT_LONG_PROTOCOL=${protocol} AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_EXTOLL})
endforeach()
aqueduct_register_conduit(NAME extoll LABEL extoll-suite RANKS 2 4 CONFIGURATION extoll ENVIRONMENT AQUEDUCT_TEST_SCALE=0.05
  ${AQUEDUCT_POOR_EXTOLL})
aqueduct_register_conduit(NAME extoll LABEL extoll-defaults RANKS 2 4 CONFIGURATION extoll ENVIRONMENT AQUEDUCT_TEST_SCALE=0.05)
aqueduct_register_conduit(NAME extoll LABEL extoll-first-suite RANKS 4 CONFIGURATION extoll ENVIRONMENT AQUEDUCT_EXTOLL_AM=first
  AQUEDUCT_TEST_SCALE=0.05 ${AQUEDUCT_POOR_EXTOLL})
aqueduct_register_conduit(NAME extoll LABEL extoll-udp-suite RANKS 2 4 CONFIGURATION extoll ENVIRONMENT AQUEDUCT_FABRIC=udp
  AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_EXTOLL})
aqueduct_register_conduit(NAME extoll LABEL extoll-2-2-suite RANKS 4 CONFIGURATION extoll ENVIRONMENT AQUEDUCT_LAYOUT=2+2
  AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_EXTOLL})

# Datagrams: between all ranks, and between hosts that hold two; sealed as by default. Other networks run over them, too.
aqueduct_register_conduit(NAME udp RANKS 2 4 ENVIRONMENT GASNET_SUPERNODE_MAXSIZE=1 AQUEDUCT_TEST_SCALE=0.05)
aqueduct_register_conduit(NAME udp LABEL udp-2-2 RANKS 4 ENVIRONMENT AQUEDUCT_LAYOUT=2+2 AQUEDUCT_TEST_SCALE=0.03)
aqueduct_register_conduit(NAME udp LABEL udp-encrypt RANKS 2 TESTS am_load rma ENVIRONMENT GASNET_SUPERNODE_MAXSIZE=1
  AQUEDUCT_UDP_SECURITY=encrypt AQUEDUCT_TEST_SCALE=0.05)
aqueduct_register_conduit(NAME udp LABEL udp-none RANKS 2 TESTS am_load rma ENVIRONMENT GASNET_SUPERNODE_MAXSIZE=1
  AQUEDUCT_UDP_SECURITY=none AQUEDUCT_TEST_SCALE=0.05)
aqueduct_register_conduit(NAME wire LABEL wire-udp RANKS 2 4 TESTS am_load am_payload rma barrier thread ENVIRONMENT
  AQUEDUCT_FABRIC=udp AQUEDUCT_TEST_SCALE=0.05)
aqueduct_register_conduit(NAME portals LABEL portals-udp RANKS 2 4 TESTS am_load am_payload rma barrier thread ENVIRONMENT
  AQUEDUCT_FABRIC=udp AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_PORTALS})

# A conduit in a plug-in, which tests/plugins builds.
set(AQUEDUCT_TEST_PLUGINS ${PROJECT_BINARY_DIR}/tests/plugins)
aqueduct_register_conduit(NAME wire-plugin RANKS 2 4 TESTS query segment am_payload am_load rma barrier thread idle
  ENVIRONMENT AQUEDUCT_CONDUIT_PATH=${AQUEDUCT_TEST_PLUGINS}/good AQUEDUCT_TEST_SCALE=0.05)
# The example of docs/conduits.md.
aqueduct_register_conduit(NAME local-sockets RANKS 2 TESTS am_payload am_load thread
  ENVIRONMENT AQUEDUCT_CONDUIT_PATH=${AQUEDUCT_TEST_PLUGINS}/good AQUEDUCT_TEST_SCALE=0.02)
# Hosts that hold several ranks: neighbours talk through shared memory, all others through the conduit. Every layout has
# the whole suite on one of the two, and on the other what goes between hosts and inside them at the same time.
set(AQUEDUCT_BETWEEN_HOSTS am_load am_payload barrier collective hosts progress rma teams thread)
aqueduct_register_conduit(NAME wire LABEL wire-2-2 RANKS 4 ENVIRONMENT AQUEDUCT_LAYOUT=2+2 AQUEDUCT_TEST_SCALE=0.03)
aqueduct_register_conduit(NAME wire LABEL wire-interleaved RANKS 4 ENVIRONMENT AQUEDUCT_LAYOUT=0,2/1,3
  AQUEDUCT_TEST_SCALE=0.03)
aqueduct_register_conduit(NAME portals LABEL portals-3-1 RANKS 4 ENVIRONMENT AQUEDUCT_LAYOUT=3+1
  AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_PORTALS})
aqueduct_register_conduit(NAME portals LABEL portals-1-1-2 RANKS 4 ENVIRONMENT AQUEDUCT_LAYOUT=1+1+2
  AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_PORTALS})
aqueduct_register_conduit(NAME wire LABEL wire-3-1 RANKS 4 TESTS ${AQUEDUCT_BETWEEN_HOSTS} ENVIRONMENT
  AQUEDUCT_LAYOUT=3+1 AQUEDUCT_TEST_SCALE=0.03)
aqueduct_register_conduit(NAME wire LABEL wire-1-1-2 RANKS 4 TESTS ${AQUEDUCT_BETWEEN_HOSTS} ENVIRONMENT
  AQUEDUCT_LAYOUT=1+1+2 AQUEDUCT_TEST_SCALE=0.03)
aqueduct_register_conduit(NAME portals LABEL portals-2-2 RANKS 4 TESTS ${AQUEDUCT_BETWEEN_HOSTS} ENVIRONMENT
  GASNET_SUPERNODE_MAXSIZE=2 AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_PORTALS})
aqueduct_register_conduit(NAME portals LABEL portals-interleaved RANKS 4 TESTS ${AQUEDUCT_BETWEEN_HOSTS} ENVIRONMENT
  AQUEDUCT_LAYOUT=0,2/1,3 AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_PORTALS})
aqueduct_register_conduit(NAME aries LABEL aries-2-2 RANKS 4 TESTS ${AQUEDUCT_BETWEEN_HOSTS} ENVIRONMENT AQUEDUCT_LAYOUT=2+2
  AQUEDUCT_TEST_SCALE=0.03 ${AQUEDUCT_POOR_ARIES})
aqueduct_register_conduit(NAME mpi-portals LABEL mpi-portals-2-2 RANKS 4 TESTS ${AQUEDUCT_BETWEEN_HOSTS} ENVIRONMENT AQUEDUCT_LAYOUT=2+2
  AQUEDUCT_TEST_SCALE=0.03)

# Over a real MPI, where one was found: what is special about it always, the whole suite when asked for (ctest -C mpi). The
# ranks of one host talk through MPI as if they were hosts of their own, or in pairs.
get_property(AQUEDUCT_MPIS GLOBAL PROPERTY AQUEDUCT_MPIS)
foreach(mpi IN LISTS AQUEDUCT_MPIS)
  aqueduct_register_conduit(NAME mpi-${mpi} RANKS 2 TESTS query am_payload rma thread idle progress ENVIRONMENT GASNET_SUPERNODE_MAXSIZE=1
    AQUEDUCT_TEST_SCALE=0.03)
  aqueduct_register_conduit(NAME mpi-${mpi} LABEL mpi-${mpi}-hosts RANKS 2 4 CONFIGURATION mpi ENVIRONMENT
    GASNET_SUPERNODE_MAXSIZE=1 AQUEDUCT_TEST_SCALE=0.03)
  aqueduct_register_conduit(NAME mpi-${mpi} LABEL mpi-${mpi}-2-2 RANKS 4 CONFIGURATION mpi ENVIRONMENT AQUEDUCT_LAYOUT=2+2
    AQUEDUCT_TEST_SCALE=0.03)
endforeach()

# Over libfabric, where it was found: what is special about it always, the whole suite on all providers when asked for
# (ctest -C ofi). Each rank is a host of its own, or they are in pairs. What better providers do otherwise, and what they lack, is
# tried on those that there are (docs/ofi.md, "Narrowing").
if(TARGET conduit_plugin_ofi)
  set(alone GASNET_SUPERNODE_MAXSIZE=1 AQUEDUCT_TEST_SCALE=0.03)
  set(pairs AQUEDUCT_LAYOUT=2+2 AQUEDUCT_TEST_SCALE=0.03)
  aqueduct_register_conduit(NAME ofi RANKS 2 TESTS query am_payload am_load rma thread idle progress ENVIRONMENT FI_PROVIDER=net ${alone})
  aqueduct_register_conduit(NAME ofi LABEL ofi-rxm-2-2 RANKS 4 TESTS hosts progress rma barrier ENVIRONMENT FI_PROVIDER=tcp ${pairs})
  aqueduct_register_conduit(NAME ofi LABEL ofi-rxm RANKS 2 TESTS am_load idle progress ENVIRONMENT FI_PROVIDER=tcp ${alone})
  aqueduct_register_conduit(NAME ofi LABEL ofi-shm RANKS 2 TESTS am_payload rma ENVIRONMENT FI_PROVIDER=shm ${alone})
  aqueduct_register_conduit(NAME ofi LABEL ofi-narrow RANKS 2 TESTS am_payload am_load rma ENVIRONMENT FI_PROVIDER=net ${alone}
    AQUEDUCT_OFI_NARROW=no-inject,mr-local,unordered,no-multi-recv,small-messages,no-wait)
  aqueduct_register_conduit(NAME ofi LABEL ofi-acknowledged RANKS 2 TESTS am_payload am_load ENVIRONMENT FI_PROVIDER=tcp ${alone}
    AQUEDUCT_OFI_NARROW=unordered,no-cq-data,delivery-complete)
  aqueduct_register_conduit(NAME ofi LABEL ofi-put-sync-send RANKS 2 TESTS am_completion ENVIRONMENT FI_PROVIDER=net ${alone}
    AQUEDUCT_LONG_PROTOCOL=put-sync-send)
  aqueduct_register_conduit(NAME ofi LABEL ofi-no-writedata RANKS 2 TESTS am_payload ENVIRONMENT FI_PROVIDER=net ${alone}
    AQUEDUCT_OFI_NARROW=unordered,no-writedata)
  aqueduct_register_conduit(NAME ofi LABEL ofi-messages RANKS 2 TESTS am_payload rma ENVIRONMENT FI_PROVIDER=net ${alone}
    AQUEDUCT_OFI_NARROW=no-delivery-complete,no-cq-data,unordered)
  aqueduct_register_conduit(NAME ofi LABEL ofi-native RANKS 2 TESTS rma ENVIRONMENT FI_PROVIDER=net ${alone} AQUEDUCT_OFI_RMA=native)
  # Their own atomics, with owners and neighbours among those that use them.
  foreach(provider tcp shm)
    aqueduct_register_conduit(NAME ofi LABEL ofi-${provider}-atomics RANKS 4 TESTS atomic ENVIRONMENT FI_PROVIDER=${provider} ${pairs}
      AQUEDUCT_OFI_ATOMICS=native AQUEDUCT_OFI_NARROW=mr-local AQUEDUCT_TEST_FAVOR_REMOTE=1)
  endforeach()
  foreach(provider net tcp shm udp sockets)
    aqueduct_register_conduit(NAME ofi LABEL ofi-${provider}-hosts RANKS 2 4 CONFIGURATION ofi ENVIRONMENT
      FI_PROVIDER=${provider} ${alone})
    aqueduct_register_conduit(NAME ofi LABEL ofi-${provider}-2-2 RANKS 4 CONFIGURATION ofi ENVIRONMENT FI_PROVIDER=${provider}
      ${pairs})
  endforeach()
endif()

# What a rank test must finish within; sanitizers slow everything down several times.
if(AQUEDUCT_SANITIZE)
  set(AQUEDUCT_TEST_TIMEOUT_S 450)
else()
  set(AQUEDUCT_TEST_TIMEOUT_S 180)
endif()

# Tests are compiled more often than they run for long: the time goes into the library, which has its own options.
set(AQUEDUCT_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)

# The library of a program with or without the property AQUEDUCT_TEST_PAPERS.
set(AQUEDUCT_TEST_LIBRARY $<IF:$<BOOL:$<TARGET_PROPERTY:AQUEDUCT_TEST_PAPERS>>,Aqueduct::papers_static,Aqueduct::static>)

# Adds a program of tests: its sources are compiled together, with the framework's header precompiled. Links gtest itself.
function(aqueduct_test_program target)
  add_executable(${target} ${ARGN})
  aqueduct_unite(${target} AS tests ${ARGN})
  target_compile_options(${target} PRIVATE ${AQUEDUCT_TEST_OPTIONS})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_precompile_headers(${target} REUSE_FROM test_process)
endfunction()

# Adds one test: <ranks> ranks of <program> on <variant>.
function(aqueduct_add_rank_run test_name program variant ranks)
  get_property(conduit GLOBAL PROPERTY AQUEDUCT_VARIANT_${variant}_CONDUIT)
  get_property(environment GLOBAL PROPERTY AQUEDUCT_VARIANT_${variant}_ENVIRONMENT)
  get_property(configuration GLOBAL PROPERTY AQUEDUCT_VARIANT_${variant}_CONFIGURATION)
  if(configuration)
    list(PREPEND configuration CONFIGURATIONS)
  endif()
  add_test(NAME ${test_name} ${configuration}
           COMMAND $<TARGET_FILE:${AQUEDUCT_TOOL_TARGET}> run -n ${ranks} --conduit ${conduit}
                   $<TARGET_FILE:${program}> ${ARGN})
  math(EXPR limit "${AQUEDUCT_TEST_TIMEOUT_S} * 3")
  set_tests_properties(${test_name} PROPERTIES
    ENVIRONMENT "AQUEDUCT_TEST_RANKS=${ranks};AQUEDUCT_TEST_TIMEOUT_S=${AQUEDUCT_TEST_TIMEOUT_S};${environment}"
    # The library complains of something that the test did not expect, or a sanitizer does.
    FAIL_REGULAR_EXPRESSION "[*][*][*] WARNING;Sanitizer:;runtime error:"
    TIMEOUT ${limit} PROCESSORS ${ranks} LABELS "${variant}")
endfunction()

# The ranks (in `out`) that `variant` has among the wanted ones; all of them if none are named.
function(aqueduct_variant_ranks variant wanted out)
  get_property(ranks GLOBAL PROPERTY AQUEDUCT_VARIANT_${variant}_RANKS)
  if(wanted)
    set(common "")
    foreach(n IN LISTS ranks)
      if(n IN_LIST wanted)
        list(APPEND common ${n})
      endif()
    endforeach()
    set(ranks ${common})
  endif()
  set(${out} "${ranks}" PARENT_SCOPE)
endfunction()

# Builds `target` for thread mode `mode` (seq, par, parsync).
function(aqueduct_mode_program target mode)
  add_executable(${target} ${ARGN})
  string(TOUPPER ${mode} macro)
  target_compile_definitions(${target} PRIVATE GASNET_${macro}=1)
  target_compile_options(${target} PRIVATE ${AQUEDUCT_TEST_OPTIONS})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  set_target_properties(${target} PROPERTIES AQUEDUCT_TEST_PAPERS "${AQUEDUCT_TEST_PAPERS}")
  target_link_libraries(${target} PRIVATE ${AQUEDUCT_TEST_LIBRARY})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests
                        POSITION_INDEPENDENT_CODE OFF)  # as the library it shares a precompiled header with
endfunction()

# The variants (in `out`) that inherit the test `name`.
function(aqueduct_variants_with name out)
  get_property(variants GLOBAL PROPERTY AQUEDUCT_VARIANTS)
  set(with "")
  foreach(variant IN LISTS variants)
    get_property(only GLOBAL PROPERTY AQUEDUCT_VARIANT_${variant}_TESTS)
    if(NOT only OR name IN_LIST only)
      list(APPEND with ${variant})
    endif()
  endforeach()
  set(${out} "${with}" PARENT_SCOPE)
endfunction()

# Adds a test of `program`, built for `mode`, on each of `variants` (empty: all) with each of their `ranks` (empty: all).
function(aqueduct_rank_runs name program mode variants ranks)
  if(NOT variants)
    aqueduct_variants_with(${name} variants)
  endif()
  foreach(variant IN LISTS variants)
    aqueduct_variant_ranks(${variant} "${ranks}" here)
    foreach(n IN LISTS here)
      aqueduct_add_rank_run(${name}.${variant}.${mode}.${n} ${program} ${variant} ${n} ${ARGN})
    endforeach()
  endforeach()
endfunction()

function(aqueduct_rank_test)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;MODES;RANKS;VARIANTS;ARGUMENTS" ${ARGN})
  if(NOT ARG_MODES)
    set(ARG_MODES seq par)
  endif()
  foreach(mode IN LISTS ARG_MODES)
    set(target test_${ARG_NAME}_${mode})
    aqueduct_mode_program(${target} ${mode} ${ARG_SOURCES})
    target_link_libraries(${target} PRIVATE test_spmd_${mode})
    target_precompile_headers(${target} REUSE_FROM test_spmd_${mode})
    aqueduct_rank_runs(${ARG_NAME} ${target} ${mode} "${ARG_VARIANTS}" "${ARG_RANKS}" ${ARG_ARGUMENTS})
  endforeach()
endfunction()
