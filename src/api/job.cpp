#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "api/client_config.hpp"
#include "api/face.hpp"
#include "api/progress_thread.hpp"
#include "aqueduct/tools/environment.h"
#include "aqueduct/tools/system.h"
#include "aqueduct/tools/text.h"
#include "base/copier.hpp"
#include "base/env.hpp"
#include "core/final_audit.hpp"
#include "core/position_signal.hpp"
#include "core/segment.hpp"
#include "core/staging.hpp"
#include "core/stray_access.hpp"
#include "extended/teams/start.hpp"
#include "gasnet.h"
#include "gasnet_tools/rank_list.hpp"
#include "gasnet_tools/signals.hpp"
#include "gasnet_tools/startup.hpp"
#include "job/bootstrap/agreement.hpp"
#include "job/place/core_file.hpp"
#include "job/place/executable.hpp"
#include "job/place/leave.hpp"
#include "trace/trace.hpp"
#include "world/segment_limit.hpp"
#include "world/world.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

// The library's own part of what `ident` finds in a program; the rest comes from the headers that it
// includes.
GASNETT_IDENT(library_ident, "$GASNetCoreLibraryName: " GASNET_CORE_NAME_STR
                             " $\n"
                             "$GASNetCoreLibraryVersion: " GASNET_CORE_VERSION_STR " $\n");

int exit_timeout_ms() {
  constexpr double kDefault = 5;
  constexpr double kMost = 1e6;
  const double seconds = gasnett_getenv_dbl_withdefault("GASNET_EXITTIMEOUT", kDefault);
  if (!(seconds >= 0 && seconds <= kMost)) {
    fatal("environment", "GASNET_EXITTIMEOUT='%s' is not a number of seconds from 0 to %.0f",
          gasnett_getenv("GASNET_EXITTIMEOUT"), kMost);
  }
  return static_cast<int>(1000 * seconds);
}

void finish_sending() {
  stop_progress_thread();
  core::Rank* const rank = core::process_rank();
  if (rank) rank->finish_sending();
}

// A forked child has a copy of the rank, which is not its own.
pid_t process_of_rank = 0;
void finish_at_exit() {
  if (::getpid() == process_of_rank) finish_sending();
}

core::Rank* start(const char* where, const ClientConfig& client) {
  world::World& world = world::current();
  job::Membership place = world.place();
  if (client.mode != core::ThreadMode::kSeq || !job::has_one_thread()) place.binding.give_up();
  // Before anything that waits for the others: one of them may have left already.
  if (!world.is_simulated() && env::flag({"GASNET_CATCH_EXIT"}, true))
    job::announce_leaving(exit_timeout_ms());
  core::RankOptions options;
  options.mode = client.mode;
  options.has_progress_thread = wants_progress_thread();
  options.debug_client = client.is_debug;
  options.segmentless = client.is_segmentless;
  std::string why;
  options.conduit = conduit_for(client, place, &why);
  if (!options.conduit) fatal(where, "%s", why.c_str());
  options.reference_only = env::flag({"AQUEDUCT_REFERENCE"}, false);
  options.segment_everything = reaches_everything(client);
  options.segment_span = world.segment_span();
  options.max_segment_bytes = world.max_segment_bytes();
  options.make_thread_extension = [] { return std::make_unique<extended::ThreadOps>(); };
  // Lives until the process ends: other threads may be inside the library until the very last moment.
  return new core::Rank(world, place, std::move(options));
}

void make_objects(core::Rank& rank, const char* name, gex_Flags_t flags) {
  core::Objects& objects = rank.objects();
  objects.client = {&rank, name, flags, nullptr};
  objects.segment.client = &objects.client;
  objects.host_memory.client = &objects.client;
  objects.endpoint.client = &objects.client;
  objects.make_views(rank);
  const std::size_t bounds_bytes = rank.size() * sizeof(am::SegmentBounds);
  if (void* const table = rank.world().job_table(bounds_bytes + sizeof(core::AttachNotes))) {
    objects.bounds = {static_cast<am::SegmentBounds*>(table), rank.size()};
    objects.attach_notes =
        reinterpret_cast<core::AttachNotes*>(static_cast<std::byte*>(table) + bounds_bytes);
  } else {
    objects.own_bounds.resize(rank.size());
    objects.bounds = objects.own_bounds;
  }
  objects.room.open(rank.options().max_segment_bytes + core::most_staging_bytes(rank));
  objects.world.view = {objects.peer_views.data(), rank.size(), rank.id()};
  objects.world.near = {objects.near_views.data(), rank.size(), rank.id()};
  objects.world.endpoint = &objects.endpoint;
  const Copier copier = best_copier();
  aq_world_.copy_ = copier.copy;
  aq_world_.vector_bytes_ = copier.vector_bytes;
  if (!rank.is_simulated()) {
    aq_world_.team_ = core::to_handle(&objects.world);
    aq_world_.peers_ = objects.peer_views.data();
    aq_world_.size_ = rank.size();
  }
}

/// At rank 0: another rank runs an executable of another build. Handlers are known by numbers, so a program
/// may well be made of several; more often somebody has forgotten to copy one.
void judge_executables(const job::Executable& own, const job::OtherRemark& other) {
  const std::string_view wanted = env::text({"AQUEDUCT_EXECUTABLES"}, "warn");
  if (wanted == "any") return;
  if (wanted != "same" && wanted != "warn")
    fatal("environment", "AQUEDUCT_EXECUTABLES: '%s' is not one of warn, any, same", wanted.data());
  const std::string line =
      "rank " + std::to_string(other.rank) + " runs another executable than rank 0: " + other.remark.shown +
      " (build id " + other.remark.value.substr(0, 12) + "), not " + own.place + " (" +
      own.build_id.substr(0, 12) + "); install the same everywhere, or set AQUEDUCT_EXECUTABLES=any";
  if (wanted == "same") fatal("start", "%s", line.c_str());
  warn("start", "%s", line.c_str());
}

/// What makes several neighbourhoods of this job, in words.
std::string what_divides(const core::Rank& rank) {
  const job::Layout& hosts = rank.world().place().hosts;
  if (hosts.hosts() > 1) return "are on " + std::to_string(hosts.hosts()) + " hosts";
  return "do not all share memory";
}

void describe_start(const core::Rank& rank, const char* name) {
  constexpr const char* kModes[] = {"GASNET_SEQ", "GASNET_PAR", "GASNET_PARSYNC", "?"};
  trace::note(trace::Category::kInfo, "gex_Client_Init", 0,
              "client '%s', %s, rank %u of %u, process %d on %s", name,
              kModes[static_cast<unsigned>(rank.options().mode)], rank.id(), rank.size(),
              static_cast<int>(getpid()), gasnett_gethostname());
  trace::note(trace::Category::kConduit, "gex_Client_Init", 0, "conduit %s%s", rank.options().conduit->name,
              rank.options().reference_only ? ", reference implementations only" : "");
}

}  // namespace

void aqueduct::api::warn_of_missing_shared_memory(const ClientConfig& client, const core::Rank& rank) {
  if (!client.is_for_shared_memory || rank.neighbourhoods().hosts() == 1) return;
  constexpr const char* kModes[] = {"seq", "par", "parsync", "par"};
  const char* const mode = kModes[static_cast<unsigned>(client.mode)];
  warn("gex_Client_Init",
       "the program was compiled for smp (GASNET_CONDUIT_SMP), whose ranks all share memory, and the %u "
       "ranks of "
       "this job %s: where the program relies on that it fails; compile it with udp-%s.mak (pkg-config: "
       "gasnet-udp-%s) or for another network",
       rank.size(), what_divides(rank).c_str(), mode, mode);
}

extern "C" {

constinit aq_world_view_ aq_world_ = [] {
  aq_world_view_ before_start{};
  before_start.copy_ = std::memcpy;
  return before_start;
}();

void (*gasnet_client_attach_hook)(void*, uintptr_t) = nullptr;

int aq_client_init_(gex_Client_t* client_p, gex_EP_t* ep_p, gex_TM_t* tm_p, const char* name, int*, char***,
                    gex_Flags_t flags, uint32_t client_config) {
  constexpr const char* kWhere = "gex_Client_Init";
  constexpr uint32_t kHeaderVersion = 1;
  if (core::process_rank())
    return returned_error(kWhere, GASNET_ERR_NOT_INIT, "the library has been started already");
  if (!client_p || !ep_p || !tm_p)
    return returned_error(kWhere, GASNET_ERR_BAD_ARG, "an output pointer is NULL");
  if (!name || !*name) return returned_error(kWhere, GASNET_ERR_BAD_ARG, "the client has no name");
  if (flags & ~(GEX_FLAG_USES_GASNET1 | GEX_FLAG_DEFER_THREADS)) {
    return returned_error(kWhere, GASNET_ERR_BAD_ARG, "an unknown flag is set");
  }
  const ClientConfig client(client_config);
  if (client.header_version != kHeaderVersion) {
    fatal(kWhere, "the program was compiled with headers of version %u, the library has version %u",
          client.header_version, kHeaderVersion);
  }
  core::Rank* rank = start(kWhere, client);
  make_objects(*rank, name, flags);
  extended::start_extended(*rank);
  core::set_process_rank(rank);
  rank->enter_thread();
  if (!rank->world().is_simulated()) {
    gasnet_tools::prepare_for_debugging();
    gasnet_tools::handle_crashes(job::prepare_core_file);
    gasnet_tools::handle_termination_signals([](int) { job::quit_job(); });
    core::answer_position_signals(*rank);
    if (rank->options().segment_everything) gasnet_tools::handle_bad_accesses(core::explain_bad_access);
    process_of_rank = ::getpid();
    std::atexit(finish_at_exit);
  }
  // A trace file that all ranks share is emptied by the first of them. A simulation has many ranks, and no
  // trace.
  const bool may_trace = !rank->world().is_simulated();
  if (may_trace && rank->id() == 0) {
    gasnet_tools::warn_of_lists_without_ranks(rank->size());
    trace::open(0);
  }
  if (rank->options().segmentless) core::go_without_segments(*rank);
  // The ranks of a simulation have one limit.
  std::uint64_t least_segment = rank->options().max_segment_bytes;
  job::Executable executable;  // the ranks of a simulation have one
  if (!rank->is_simulated()) executable = job::own_executable();
  const std::optional<job::OtherRemark> other =
      job::agree(rank->bootstrap(),
                 {{"Aqueduct", GASNET_CORE_VERSION_STR},
                  {"AQUEDUCT_CONDUIT", rank->options().conduit->name},
                  {"GASNET_MAX_SEGSIZE", world::max_segment_setting()}},
                 rank->is_simulated() ? nullptr : &least_segment, {executable.build_id, executable.place});
  if (other) judge_executables(executable, *other);
  rank->set_max_global_segment(least_segment);
  if (rank->id() == 0) warn_of_missing_shared_memory(client, *rank);
  if (may_trace && rank->id() != 0) trace::open(rank->id());
  if (may_trace) {
    trace::timeline::open(rank->id(), rank->size());
  } else {
    trace::timeline::open_simulated(rank->id(), rank->size(), rank->world().clock());
  }
  if (trace::is_watching()) rank->enter_thread().polling.reach = 0;  // the fast paths have no hooks
  trace::start_clock();
  if (trace::on(trace::Category::kInfo)) describe_start(*rank, name);
  core::Objects& objects = rank->objects();
  // There are many in a simulation: whoever finds none asks (legacy_job.cpp).
  if ((flags & GEX_FLAG_USES_GASNET1) && !rank->is_simulated()) aq_legacy_world_ = to_handle(&objects.world);
  make_progress_thread(*rank);
  *client_p = to_handle(&objects.client);
  *ep_p = to_handle(&objects.endpoint);
  *tm_p = to_handle(&objects.world);
  return GASNET_OK;
}

const char* gex_Client_QueryName(gex_Client_t client) {
  return object("gex_Client_QueryName", client, "client").name.c_str();
}
gex_Flags_t gex_Client_QueryFlags(gex_Client_t client) {
  return object("gex_Client_QueryFlags", client, "client").flags;
}
void gex_Client_SetCData(gex_Client_t client, const void* value) {
  object("gex_Client_SetCData", client, "client").cdata = value;
}
void* gex_Client_QueryCData(gex_Client_t client) {
  return const_cast<void*>(object("gex_Client_QueryCData", client, "client").cdata);
}

void gasnet_exit(int code) {
  if (trace::on(trace::Category::kInfo))
    trace::note(trace::Category::kInfo, "gasnet_exit", 0, "code %d", code);
  stop_progress_thread();
  if (core::Rank* const rank = core::process_rank(); rank && code == 0) core::audit_at_end(*rank);
  world::current().begin_exit(code);
  if (code == 0) finish_sending();
  trace::timeline::leave();
  world::current().exit(code);
  __builtin_unreachable();
}
}
