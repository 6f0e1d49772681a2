#include "base/variables.hpp"

namespace aqueduct::env {
namespace {

using enum Section;

constexpr char kFlag[] = "yes or no";
constexpr char kNumber[] = "number";
constexpr char kSeconds[] = "seconds";
constexpr char kSize[] = "size";
constexpr char kRanks[] = "ranks";
constexpr char kFile[] = "file";
constexpr char kLetters[] = "letters";
constexpr char kSignal[] = "signal";
constexpr char kPattern[] = "number or NAN";
constexpr char kWord[] = "word";

// clang-format off
constexpr Variable kVariables[] = {
    {kJobs, "AQUEDUCT_RANKS", "GASNET_PSHM_NODES", kNumber, "1",
     "ranks to start when a program is started directly; what `aqueduct run` takes without `-n`"},
    {kJobs, "AQUEDUCT_CONDUIT", nullptr, kWord, "the one that the program was compiled for, or the best that is possible",
     "the conduit; `aqueduct run --conduit` sets it"},
    {kJobs, "AQUEDUCT_CONDUIT_PATH", nullptr, "directories", "none",
     "where conduits in plug-ins are looked for first, separated by colons; then come those of the library's own prefix "
     "([conduits.md](conduits.md#plug-ins))"},
    {kJobs, "AQUEDUCT_BIND", nullptr, kWord, "`auto`",
     "where ranks run: `auto` (each on an equal share of the cores, none bound where ranks outnumber cores; a share of one "
     "core is for one thread, so that a rank with threads may use all cores), `none`, `compact` and `spread` (one core "
     "each), or a list such as `0,2,4-7`; `--bind` wins over it"},
    {kJobs, "AQUEDUCT_LAYOUT", nullptr, "layout", "all on one host",
     "which ranks count as a host: `2+2` (so many consecutive ranks each) or `0,2/1,3` (by their numbers, `0-3` for a "
     "range). Ranks of a host share memory, all others talk through the conduit; the same for all ranks"},
    {kJobs, "GASNET_SUPERNODE_MAXSIZE", nullptr, kNumber, "0; 1 with `wire`, `portals`, `mpi-portals`, `aries` and `extoll`",
     "how many ranks of a host share memory at most; 0: all of them. With `AQUEDUCT_LAYOUT`, and in simulations, the "
     "default is 0 everywhere"},
    {kJobs, "AQUEDUCT_HOST_CORES", nullptr, kNumber, "what the system says",
     "how many cores the ranks of a host have. Ranks that outnumber them give their core to others while they wait; to be said "
     "where several hosts are containers or namespaces of one machine"},
    {kJobs, "AQUEDUCT_ON_FAILURE", nullptr, kWord, "`end`",
     "what happens when a rank dies: `end`, all others end within a second; `report`, they go on and are told "
     "([failures.md](failures.md))"},
    {kJobs, "AQUEDUCT_HANG_SECONDS", nullptr, kSeconds, "0",
     "a wait that takes longer is reported: what every rank waits for, with its stack, and who holds the others up "
     "([debugging.md](debugging.md)); 0: never"},
    {kJobs, "AQUEDUCT_TAG", nullptr, kFlag, "no",
     "yes: lines of output begin with their rank; `--tag` and `--no-tag` win over it"},
    {kJobs, "AQUEDUCT_SAME_ADDRESSES", nullptr, kFlag, "no",
     "yes: code, libraries and statics are at the same addresses in all ranks of a host; `--same-addresses` and "
     "`--no-same-addresses` win over it ([launching.md](launching.md#the-same-addresses))"},
    {kJobs, "AQUEDUCT_RSH", nullptr, "command", "`ssh` without questions",
     "what `aqueduct run --hosts` reaches other hosts with: it is given a host and a command; `--rsh` wins over it ([launching.md](launching.md))"},
    {kJobs, "AQUEDUCT_AGENT", nullptr, kFile, "where `aqueduct` is here",
     "where `aqueduct` is on the other hosts; `--agent-path` wins over it"},
    {kJobs, "AQUEDUCT_INTERFACE", nullptr, kWord, "any that all hosts reach",
     "the network interface of the first host (that of rank 0) at which hosts meet, `eth1`, or its address; `--interface` wins over it"},
    {kJobs, "AQUEDUCT_HEARTBEAT", nullptr, kSeconds, "5",
     "how long a host, or the launcher, may be silent before it counts as lost; 0: for ever"},
    {kJobs, "AQUEDUCT_LAUNCHER", nullptr, kWord, "what is found",
     "who has started this process: `pmix`, `pmi2`, `pmi1`, `env` (the three variables that follow) or `none` "
     "([launching.md](launching.md#without-our-launcher))"},
    {kJobs, "AQUEDUCT_RANK", nullptr, kNumber, "none",
     "the rank of this process, where nobody launches the job; supervisors set it as well"},
    {kJobs, "AQUEDUCT_SIZE", nullptr, kNumber, "none", "with it: how many ranks the job has"},
    {kJobs, "AQUEDUCT_ROOT", nullptr, "address", "none", "with both: `host:port` at which rank 0 listens for the others"},
    {kJobs, "AQUEDUCT_JOB_KEY", nullptr, "64 digits", "none",
     "with `AQUEDUCT_ROOT`: what the ranks prove to each other that they know, in hexadecimal digits, or `none`; launchers make one for "
     "each job. Wiped when the rank starts"},
    {kJobs, "AQUEDUCT_JOB_KEY_FILE", nullptr, "path", "none",
     "the same in a file that nobody but its user may read"},
    {kJobs, "AQUEDUCT_EXECUTABLES", nullptr, "word", "`warn`",
     "what to do about ranks that run executables with other build ids: `warn`, `any` (say nothing) or `same` (end the job)"},
    {kJobs, "AQUEDUCT_START_TIMEOUT", nullptr, kSeconds, "60",
     "how long ranks that another launcher has started, or none, wait for each other at the start"},
    {kJobs, "AQUEDUCT_PEER_TIMEOUT", nullptr, kSeconds, "600; simulated 1",
     "how long a rank whose answer is missing may be silent before the job ends; 0: for ever. Read by the conduits portals, "
     "mpi-portals, aries and extoll; a rank that computes is not silent, one in a debugger is"},
    {kJobs, "GASNET_SPAWNER", "GASNET_SMP_SPAWNER", kWord, "`fork`; for `udp`, `ssh` where there is a list of hosts",
     "how `gasnetrun_smp` and `gasnetrun_udp` start ranks: `fork` on this host, `ssh` on others, or `custom`; with `smp` only "
     "`fork`"},
    {kJobs, "GASNET_UDP_SPAWNER", nullptr, kWord, "as `GASNET_SPAWNER`", "the same for `gasnetrun_udp` alone"},
    {kJobs, "GASNET_SPAWNFN", nullptr, kWord, "as `GASNET_SPAWNER`",
     "the same for `gasnetrun_udp` and `amudprun`: `L` (this host), `S` (ssh) or `C` (custom)"},
    {kJobs, "GASNET_SSH_SERVERS", nullptr, "hosts", "none",
     "read by `gasnetrun_udp` and `amudprun`: the hosts of `ssh`, separated by blanks or commas"},
    {kJobs, "GASNET_SSH_NODEFILE", "GASNET_NODEFILE", kFile, "none",
     "the same from a file, a line for each host. The first counts before `GASNET_SSH_SERVERS`, the second after it; then come "
     "`PBS_NODEFILE` and `LSB_HOSTS`"},
    {kJobs, "GASNET_SSH_CMD", nullptr, "command", "as `AQUEDUCT_RSH`", "what they reach hosts with"},
    {kJobs, "GASNET_SSH_OPTIONS", nullptr, "words", "none", "its options"},
    {kJobs, "GASNET_CSPAWN_CMD", nullptr, "command", "none",
     "the command of `custom`, such as `srun -n %N %C`: `%N` is the number of ranks, `%C` what each runs, `%D` the directory; "
     "ranks find each other as under any other launcher ([launching.md](launching.md#without-our-launcher))"},
    {kJobs, "GASNET_CATCH_EXIT", nullptr, kFlag, "yes",
     "yes: when a rank leaves with code 0 but not by `gasnet_exit` (it returns from `main`, calls `exit` or `_exit`, never "
     "starts the library, runs another program), a rank that waits for others or looks for messages in vain may do so for "
     "`GASNET_EXITTIMEOUT` seconds more; then the job ends with code 1. A rank that computes or writes files may take its "
     "time; no: all may wait for ever. A rank that ends with another code ends the job in any case"},
    {kJobs, "AQUEDUCT_SHMEM_PROGRESS_US", nullptr, "microseconds", "2000",
     "programs of OpenSHMEM between hosts: for how long a PE may not have been in the library until a thread answers others in its stead "
     "([shmem.md](shmem.md#progress)), longer where PEs share cores; 0: there is no such thread"},
    {kJobs, "GASNET_EXITTIMEOUT", nullptr, kSeconds, "5", "see `GASNET_CATCH_EXIT`"},
    {kJobs, "GASNET_QUIET", nullptr, kFlag, "no", "yes: no warnings"},
    {kJobs, "GASNET_VERBOSEENV", nullptr, kFlag, "no", "yes: report the settings that are read"},
    {kJobs, "GASNET_MAX_THREADS", nullptr, kNumber, "65535",
     "what `gex_System_QueryMaxThreads` answers in a threaded program"},

    {kMemory, "AQUEDUCT_MAX_SEGSIZE", "GASNET_MAX_SEGSIZE", "size or part", "`0.85/H`",
     "the largest segment: `4GB`, or a fraction of the host's memory, `0.5`; for each process (`/P`, also without a "
     "suffix) or for all of a host together (`/H`). The same at all ranks. More than the host has is cut to that, with a warning. A program may "
     "bring another default by defining `const char *gasnet_max_segsize_str`"},
    {kMemory, "AQUEDUCT_REFERENCE", nullptr, kFlag, "no", "yes: everything through active messages alone"},
    {kMemory, "AQUEDUCT_LONG_PROTOCOL", nullptr, kWord, "the best that the network allows",
     "how long messages travel: `ordered`, `put-sync-send`, `async-chaining`, `rendezvous-get` or `reassembly`; one that the conduit's "
     "network cannot do is refused ([long.md](long.md))"},
    {kMemory, "AQUEDUCT_SEGMENT_EVERYTHING", nullptr, kFlag, "no",
     "yes: all memory of a rank can be reached, not only its segment"},
    {kMemory, "GASNET_VIS_AMPIPE", nullptr, kFlag, "yes",
     "no: no piece of a non-contiguous transfer shares a message"},
    {kMemory, "GASNET_VIS_MAXCHUNK", nullptr, kSize, "2KB",
     "the largest piece of a non-contiguous transfer that shares a message"},
    {kMemory, "GASNET_VIS_PUT_MAXCHUNK", nullptr, kSize, "as `GASNET_VIS_MAXCHUNK`", "the same for puts"},
    {kMemory, "GASNET_VIS_GET_MAXCHUNK", nullptr, kSize, "as `GASNET_VIS_MAXCHUNK`", "the same for gets"},
    {kMemory, "AQUEDUCT_CUDA_LIBRARY", nullptr, kFile, "`libcuda.so.1`",
     "the driver that kinds of the class `GEX_MK_CLASS_CUDA_UVA` load ([devices.md](devices.md))"},
    {kMemory, "AQUEDUCT_HIP_LIBRARY", nullptr, kFile, "`libamdhip64.so`", "the same for `GEX_MK_CLASS_HIP`"},
    {kMemory, "AQUEDUCT_ZE_LIBRARY", nullptr, kFile, "`libze_loader.so.1`", "the same for `GEX_MK_CLASS_ZE`"},
    {kMemory, "AQUEDUCT_DEVICE_PINNED", nullptr, kSize, "8GB",
     "how much of its segments a rank keeps in place at most, so that devices copy from and to it at full speed"},
    {kMemory, "AQUEDUCT_DEVICE_STAGING", nullptr, kSize, "24MB; 0 on machines without devices",
     "address space behind the segment through which peers on other hosts reach this rank's devices; with 0 they use messages "
     "([devices.md](devices.md))"},
    {kMemory, "AQUEDUCT_BARRIER", nullptr, kWord, "`auto`: dissemination for four ranks and more where each has a core",
     "how neighbours meet: on a `board` that all read, or by `dissemination` in rounds"},
    {kMemory, "AQUEDUCT_COLLECTIVE_GROUP", nullptr, kNumber, "those that share memory",
     "n: collectives treat each n consecutive ranks as one host"},

    {kUdp, "AQUEDUCT_UDP_SECURITY", nullptr, kWord, "`authenticate`",
     "`authenticate`: datagrams that were not sent by a rank of this job are dropped; `encrypt`: nobody else can read them "
     "either; `none`: who knows the addresses of ranks may forge messages. The first two need libsodium (Debian: libsodium23)"},
    {kUdp, "AQUEDUCT_UDP_INTERFACE", nullptr, kWord, "the one that leads to whoever started the job; loopback on one machine",
     "where ranks receive: the name of an interface of each host, `eth1`, or one of its addresses"},

    {kUdp, "AQUEDUCT_UDP_TIMEOUT", nullptr, kSeconds, "60",
     "how long a rank may leave datagrams unanswered before it is given up; 0: for ever. A rank that computes answers, one that is "
     "stopped does not"},
    {kUdp, "AQUEDUCT_UDP_COUNTERS", nullptr, kFlag, "no",
     "yes: a rank that leaves by `gasnet_exit` says on stderr what its network has counted ([udp.md](udp.md#counters))"},
    {kUdp, "AQUEDUCT_FABRIC", nullptr, kWord, "`shm` on one machine, `udp` on several",
     "what carries the conduits `wire`, `portals`, `aries` and `extoll`: shared memory, or datagrams"},

    {kMpi, "AQUEDUCT_MPI", nullptr, kWord, "the program's, the launcher's, `openmpi`",
     "which MPI the conduit `mpi` is: `openmpi` or `mpich`"},
    {kMpi, "AQUEDUCT_MPI_THREAD", "GASNET_MPI_THREAD", kWord,
     "`multiple` where the program is linked with MPI, else `single` for clients of one thread without a progress thread, `serialized` for others",
     "the level of threads that MPI is started with: `single`, `funneled`, `serialized` or `multiple`, which a "
     "program needs whose own threads call MPI as well"},
    {kMpi, "AQUEDUCT_MPI_RMA", nullptr, kWord, "`auto`",
     "how puts and gets go: `window` (MPI's one-sided calls), `messages`, or `auto`, which measures where windows are faster"},

    {kOfi, "GASNET_OFI_DEVICE", nullptr, kWord, "any that others reach",
     "the domain of libfabric, as `fi_info` calls it: `eth0`, `mlx5_0`. `FI_PROVIDER` is libfabric's own variable and is respected"},
    {kOfi, "GASNET_OFI_MAX_MEDIUM", nullptr, kSize, "64KB", "the largest medium message, from 512 bytes; a long one has sixteen times that"},
    {kOfi, "GASNET_OFI_RECEIVE_BUFF_SIZE", nullptr, kSize, "1MB", "size of a buffer that messages are received in"},
    {kOfi, "GASNET_OFI_NUM_RECEIVE_BUFFS", nullptr, kNumber, "8", "how many there are"},
    {kOfi, "GASNET_OFI_NUM_BBUFS", nullptr, kNumber, "64",
     "buffers of the size of the largest medium message that messages and transfers leave from; at least 32"},
    {kOfi, "AQUEDUCT_OFI_CREDITS", nullptr, kNumber, "32", "requests that may be outstanding at each peer, from 2 to 255"},
    {kOfi, "AQUEDUCT_OFI_ATOMICS", nullptr, kWord, "`auto`",
     "who does atomics of domains that favour remote ranks: `native` (the provider), `messages` (the owner), "
     "or `auto` ([ofi.md](ofi.md#atomics))"},
    {kOfi, "AQUEDUCT_OFI_RMA", nullptr, kWord, "`auto`",
     "how streams of small puts and gets go: `native` (each by the provider), `messages` (many in one, if the provider keeps them in "
     "order), or `auto`: by messages over sockets ([ofi.md](ofi.md#streams-of-small-puts-and-gets))"},
    {kOfi, "AQUEDUCT_OFI_DEVICES", nullptr, kWord, "`auto`",
     "how memory of devices goes: `direct` (by the provider), `staged` (through the host's), or `auto`: by the provider where that "
     "has written and read back the right bytes ([devices.md](devices.md#over-libfabric))"},
    {kOfi, "AQUEDUCT_OFI_NARROW", nullptr, "words", "nothing",
     "for tests: makes the provider look as if it could do less, separated by commas ([ofi.md](ofi.md#narrowing))"},

    {kAries, "GASNET_NETWORKDEPTH", nullptr, kNumber, "64",
     "requests that may be outstanding at one peer, from 1 to 64"},
    {kAries, "GASNET_NETWORKDEPTH_TOTAL", nullptr, kNumber, "64",
     "requests that may be outstanding in all"},
    {kAries, "GASNET_NETWORKDEPTH_SPACE", nullptr, kSize, "four of the largest medium messages",
     "memory for the requests of one peer; at least for two of the largest messages"},
    {kAries, "GASNET_LONG_DEPTH", nullptr, kNumber, "as `GASNET_NETWORKDEPTH`",
     "long messages that may be outstanding at one peer, of those whose payload travels by itself"},
    {kAries, "GASNET_GNI_MAX_MEDIUM", nullptr, kSize, "4032",
     "the largest medium message, a multiple of 64"},
    {kAries, "GASNET_GNI_PACKEDLONG_CUTOVER", nullptr, kSize, "3072",
     "long messages up to this, with their header, carry their payload"},
    {kAries, "GASNET_GNI_AM_RVOUS_CUTOVER", nullptr, kNumber, "16384",
     "jobs of at least so many ranks keep no room for the requests of each: targets fetch them; 0: never, 1: always"},
    {kAries, "GASNET_GNI_AM_RVOUS_BUFFERS", nullptr, kNumber, "64", "requests that are fetched at the same time"},
    {kAries, "GASNET_GNI_AMPOLL_BURST", nullptr, kNumber, "20",
     "arrivals that one poll takes"},
    {kAries, "GASNET_GNI_NUM_PD", nullptr, kNumber, "512",
     "posts that may be under way, at least 32"},
    {kAries, "GASNET_GNI_PUT_FMA_RDMA_CUTOVER", nullptr, kSize, "1023",
     "puts up to this go by FMA, larger ones by BTE"},
    {kAries, "GASNET_GNI_GET_FMA_RDMA_CUTOVER", nullptr, kSize, "1023",
     "the same for gets"},
    {kAries, "GASNET_GNI_PUT_BOUNCE_REGISTER_CUTOVER", nullptr, kSize, "4096",
     "sources of puts outside of the segment are copied up to this, registered above"},
    {kAries, "GASNET_GNI_GET_BOUNCE_REGISTER_CUTOVER", nullptr, kSize, "4096",
     "the same for destinations of gets"},
    {kAries, "GASNET_GNI_BOUNCE_SIZE", nullptr, kSize, "256KB",
     "memory for these copies"},
    {kAries, "GASNET_GNI_MEMREG", nullptr, kNumber, "3072",
     "registrations of memory outside of the segment that are kept"},
    {kAries, "GASNET_USE_UDREG", nullptr, kFlag, "yes",
     "no: none are kept, each lasts for one transfer"},
    {kAries, "GASNET_GNI_ROUTING_MODE", nullptr, kWord, "`ADAPTIVE_0`",
     "how packets find their way: `ADAPTIVE_0` to `ADAPTIVE_3`, `IN_ORDER`, `NMIN_HASH`, `MIN_HASH`"},
    {kAries, "GASNET_GNI_MEM_CONSISTENCY", nullptr, kWord, "`relaxed`",
     "how the segment is registered: `relaxed`, `strict` or `none`"},
    {kAries, "GASNET_GNI_FMA_SHARING", nullptr, "yes, no or `auto`", "`auto`",
     "yes: the FMA descriptor is shared; `auto`: if there is none left for this rank alone"},
    {kAries, "GASNET_GNI_MDD_SHARING", nullptr, kFlag, "yes",
     "no: registrations have memory descriptors of their own"},
    {kAries, "GASNET_GNI_BTE_MULTI_CHANNEL", nullptr, kFlag, "yes",
     "no: the BTE has one channel"},

    {kExtoll, "AQUEDUCT_EXTOLL_AM", nullptr, kWord, "`second`",
     "the implementation of active messages: `first` (one packet for each section of a message, one packet in a poll) or `second`; "
     "ranks may differ"},
    {kExtoll, "AQUEDUCT_EXTOLL_REQUESTS", nullptr, kNumber, "64",
     "requests that may be outstanding at one peer, 255 at most; the same at all ranks"},
    {kExtoll, "AQUEDUCT_EXTOLL_PACKED_LONG", nullptr, kSize, "128",
     "Longs up to this carry their payload in VELO packets; 0: all payloads go by RMA"},
    {kExtoll, "AQUEDUCT_EXTOLL_POSTS", nullptr, kNumber, "192", "commands of RMA that a rank may have under way"},
    {kExtoll, "AQUEDUCT_EXTOLL_BOUNCE", nullptr, kSize, "4096",
     "memory outside the segment up to this is copied through a bounce buffer; larger pieces are registered"},
    {kExtoll, "AQUEDUCT_EXTOLL_BOUNCE_POOL", nullptr, kSize, "256KB", "all bounce buffers together"},
    {kExtoll, "AQUEDUCT_EXTOLL_REGISTRATIONS", nullptr, kNumber, "1024", "registrations that are cached"},
    {kPortals, "AQUEDUCT_PORTALS_STAGE", nullptr, kWord, "`firehose`",
     "`hybrid`, `native` or `firehose`: the stages of the conduit's paper"},
    {kPortals, "GASNET_USE_FIREHOSE", nullptr, kFlag, "yes",
     "no: the stage is `native`, where `AQUEDUCT_PORTALS_STAGE` is not set; with `ofi`, memory that must be registered is copied instead"},
    {kPortals, "GASNET_PORTAL_MSG_LIMIT", nullptr, kNumber, "250", "operations in flight (send tokens)"},
    {kPortals, "GASNET_PORTAL_NUM_TMPMD", nullptr, kNumber, "1024", "temporary descriptors"},
    {kPortals, "GASNET_PORTAL_PACKED_LONG", nullptr, kFlag, "yes",
     "a Long's payload travels with its header if both fit a chunk"},
    {kPortals, "GASNET_PORTAL_FLOW_CONTROL", nullptr, kFlag, "yes",
     "no: no credits; what overruns a buffer ends the job"},
    {kPortals, "GASNET_PORTAL_DYNAMIC_CREDITS", nullptr, kFlag, "yes", "no: every peer has its share for good"},
    {kPortals, "GASNET_PORTAL_CRED_PER_NODE", nullptr, kNumber, "by the number of ranks",
     "the credits that a peer starts with"},
    {kPortals, "GASNET_PORTAL_BANKED_CREDITS", nullptr, kNumber, "by the number of ranks",
     "the credits that the bank starts with"},
    {kPortals, "GASNET_PORTAL_MAX_CRED_PER_NODE", nullptr, kNumber, "400", "the most credits for one peer"},
    {kPortals, "GASNET_PORTAL_EPOCH_DURATION", nullptr, kNumber, "1024", "requests in an epoch"},
    {kPortals, "GASNET_PORTAL_AM_CHUNK", nullptr, kNumber, "2048", "the largest active message: 1024 or 2048"},
    {kPortals, "GASNET_PORTAL_SB_CHUNKS", nullptr, kNumber, "2048", "chunks to send requests from"},
    {kPortals, "GASNET_PORTAL_RPL_CHUNKS", nullptr, kNumber, "256", "chunks to send replies from"},
    {kPortals, "GASNET_PORTAL_RB_CHUNKS", nullptr, kNumber, "1024", "chunks in a receive buffer"},
    {kPortals, "GASNET_PORTAL_SPARE_BUFFERS", nullptr, kNumber, "2",
     "receive buffers that credits do not promise; 1 is double buffering"},
    {kPortals, "GASNET_PORTAL_SAFE_LIMIT", nullptr, kNumber, "12", "events of SAFE_EQ at a poll"},
    {kPortals, "GASNET_PORTAL_AM_LIMIT", nullptr, kNumber, "8", "events of AM_EQ at a poll"},
    {kPortals, "GASNET_PORTAL_PUTGET_BOUNCE_LIMIT", nullptr, kNumber, "a chunk; 0 with Firehose",
     "bytes up to which puts and gets go through a bounce buffer"},
    {kPortals, "GASNET_PORTAL_PUT_BOUNCE_LIMIT", nullptr, kNumber, "as `_PUTGET_`", "the same for puts"},
    {kPortals, "GASNET_PORTAL_GET_BOUNCE_LIMIT", nullptr, kNumber, "as `_PUTGET_`", "the same for gets"},
    {kPortals, "GASNET_FIREHOSE_R", nullptr, kNumber, "1024", "regions that a rank lends to all others together"},
    {kPortals, "GASNET_FIREHOSE_MAXVICTIM_R", nullptr, kNumber, "1024", "regions that a rank keeps registered for itself"},
    {kPortals, "GASNET_FIREHOSE_MAXVICTIM_M", nullptr, kSize, "no limit", "their bytes together"},
    {kPortals, "GASNET_FIREHOSE_MAXREGION_SIZE", nullptr, kSize, "128KB", "the largest region"},

    {kTrace, "GASNET_TRACEFILE", nullptr, kFile, "none",
     "where the trace goes: a file name in which each `%` becomes the rank, `stdout`, `stderr` or `-` (stderr). Ranks "
     "that have the same file share it, line by line"},
    {kTrace, "GASNET_TRACEMASK", nullptr, kLetters, "all", "the categories to trace; after a `^`, all but them"},
    {kTrace, "GASNET_TRACENODES", nullptr, kRanks, "`*`", "the ranks that write one: `0,2-4`, or `*`"},
    {kTrace, "GASNET_TRACEFLUSH", nullptr, kFlag, "no", "yes: every line is on the disk before the program goes on"},
    {kTrace, "GASNET_TRACELOCAL", nullptr, kFlag, "yes", "no: leave out puts and gets to the rank itself"},
    {kTrace, "GASNET_STATSFILE", nullptr, kFile, "none",
     "as `GASNET_TRACEFILE`, for statistics, which are written when the rank ends"},
    {kTrace, "GASNET_STATSMASK", nullptr, kLetters, "all", "the categories to count"},
    {kTrace, "GASNET_STATSNODES", nullptr, kRanks, "`*`", "the ranks that write statistics"},
    {kTrace, "AQUEDUCT_TRACE", nullptr, kFile, "none",
     "where the timeline of the job goes ([timeline.md](timeline.md)); `aqueduct run --trace` sets it"},
    {kTrace, "AQUEDUCT_TRACE_EVENTS", nullptr, kNumber, "65536",
     "how many events each rank keeps for it, of 48 bytes each; older ones are overwritten"},

    {kDebugging, "AQUEDUCT_SHMEM_CHECK", nullptr, kFlag, "no",
     "yes: programs of OpenSHMEM check every operation and collective "
     "([shmem.md](shmem.md#when-something-is-wrong))"},
    {kDebugging, "AQUEDUCT_PORTALS_FAULTS", nullptr, "words", "nothing",
     "what is to go wrong at the live interface of Portals"},
    {kDebugging, "AQUEDUCT_AUDIT", nullptr, kSeconds, "10 in debug builds of the library, else 0",
     "how long ranks that have all called `gasnet_exit(0)` may take to give back what they hold for messages and operations "
     "([debugging.md](debugging.md#what-was-not-given-back)); whole seconds; 0: nobody looks"},
    {kDebugging, "GASNET_FREEZE", nullptr, kFlag, "no", "yes: wait for a debugger at the start"},
    {kDebugging, "GASNET_FREEZE_ON_ERROR", nullptr, kFlag, "no", "yes: wait for one at a fatal error or signal"},
    {kDebugging, "GASNET_FREEZE_SIGNAL", nullptr, kSignal, "none", "wait for one at this signal, `SIGUSR1`"},
    {kDebugging, "GASNET_BACKTRACE", nullptr, kFlag, "no", "yes: write a backtrace at a fatal error or signal"},
    {kDebugging, "GASNET_BACKTRACE_NODES", nullptr, kRanks, "`*`", "only on these ranks"},
    {kDebugging, "GASNET_BACKTRACE_SIGNAL", nullptr, kSignal, "none", "write one at this signal, and go on"},
    {kDebugging, "GASNET_BACKTRACE_TYPE", nullptr, "words", "what is there", "the ways to try, in order"},
    {kDebugging, "GASNET_BACKTRACE_MT", nullptr, kFlag, "yes", "no: only the calling thread"},
    {kDebugging, "GASNET_NO_CATCH_SIGNAL", nullptr, "signals", "none",
     "signals to leave alone: `SEGV,6`, or `*`; core files of fatal ones hold no segments"},
    {kDebugging, "GASNET_MALLOC_INIT", nullptr, kFlag, "no",
     "debug programs: the allocator of `gasnet_tools.h` fills new blocks"},
    {kDebugging, "GASNET_MALLOC_INITVAL", nullptr, kPattern, "`NAN`", "with what"},
    {kDebugging, "GASNET_MALLOC_CLOBBER", nullptr, kFlag, "no", "it fills freed blocks"},
    {kDebugging, "GASNET_MALLOC_CLOBBERVAL", nullptr, kPattern, "`NAN`", "with what"},
    {kDebugging, "GASNET_MALLOC_LEAKALL", nullptr, kFlag, "no", "it never gives memory back"},
    {kDebugging, "GASNET_MALLOC_SCANFREED", nullptr, kFlag, "no", "both, and it looks for writes into freed blocks"},
    {kDebugging, "GASNET_MALLOC_EXTRACHECK", nullptr, kFlag, "no", "every call looks at another block"},
    {kDebugging, "GASNET_MALLOCFILE", nullptr, kFile, "none",
     "where a report of that allocator's heap goes at the end, with what is still allocated; as `GASNET_TRACEFILE`"},
    {kDebugging, "GASNET_MALLOCNODES", nullptr, kRanks, "`*`", "the ranks that write one"},
    {kDebugging, "GASNET_SD_INIT", nullptr, kFlag, "yes",
     "debug programs: the library's buffers for messages in two steps begin with a pattern, and committing it is an error"},
    {kDebugging, "GASNET_SD_INITVAL", nullptr, kPattern, "`NAN`", "which pattern"},
    {kDebugging, "GASNET_SD_INITLEN", nullptr, kNumber, "128", "its bytes, at least 1"},
    {kDebugging, "GASNET_MAXIMIZE_RLIMIT_*", nullptr, kFlag, "yes",
     "no: `gasnett_maximize_rlimit` leaves that limit alone, say `GASNET_MAXIMIZE_RLIMIT_CPU=0`"},
    {kDebugging, "GASNET_TSC_RATE", nullptr, kNumber, "`walltime`",
     "the rate of the processor's clock in Hz; `walltime`: it is measured; `cpuinfo`: as the system says"},
    {kDebugging, "GASNET_TSC_RATE_TOLERANCE", nullptr, kNumber, "0.0005",
     "a relative error of that rate above which there is a warning"},
    {kDebugging, "GASNET_TSC_RATE_HARD_TOLERANCE", nullptr, kNumber, "0.01", "one above which the program ends"},
    {kDebugging, "GASNET_TSC_VERBOSE", nullptr, kFlag, "no", "yes: say the rate and its error"},

    {kPlace, "AQUEDUCT_MEMORY_FD", nullptr, kNumber, "none", "the descriptor of the memory that ranks share"},
    {kPlace, "AQUEDUCT_CONTROL_FD", nullptr, kNumber, "none", "the descriptor of the socket to the supervisor"},
    {kPlace, "AQUEDUCT_CORES", nullptr, kNumber, "none", "how many hardware threads the ranks share"},
    {kPlace, "AQUEDUCT_BINDING", nullptr, kWord, "none", "the one core of a rank, and those that it has once it has threads"},
    {kPlace, "AQUEDUCT_JOB_LAYOUT", nullptr, "layout", "none", "`AQUEDUCT_LAYOUT` as the supervisor has read it"},
    {kPlace, "AQUEDUCT_JOB_NEIGHBOURS", nullptr, kNumber, "none", "`GASNET_SUPERNODE_MAXSIZE`, likewise"},
    {kPlace, "AQUEDUCT_JOB_MACHINES", nullptr, "layout", "none", "where hosts are machines: which ranks are on which"},
    {kPlace, "AQUEDUCT_RENDEZVOUS", nullptr, "address", "none", "where the leaders of several hosts find each other"},
    {kPlace, "AQUEDUCT_LAUNCHER_PLUGINS", nullptr, "directory", "none",
     "where the plug-ins of the launcher's prefix are ([conduits.md](conduits.md#plug-ins))"},
    {kPlace, "AQUEDUCT_JOINED", nullptr, kWord, "none", "the place that a launcher has given, once a process has taken it"},
};
// clang-format on

}  // namespace

std::span<const Variable> variables() { return kVariables; }

}  // namespace aqueduct::env
