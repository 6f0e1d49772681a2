#include "core/segment.hpp"

#include "api/face.hpp"
#include "trace/trace.hpp"

using namespace aqueduct;
using namespace aqueduct::api;

namespace {

// What stands for all of a rank's memory, in place of a segment.
constexpr uintptr_t kEverything = ~uintptr_t{0};

// A kind of device memory; null if it is of the host.
core::MemoryKind* device_kind_of(gex_MK_t kind) {
  if (kind == GEX_MK_HOST) return nullptr;
  auto* const made = reinterpret_cast<core::MemoryKind*>(kind);
  return made->card ? made : nullptr;
}

}  // namespace

extern "C" {

uintptr_t gasnet_getMaxLocalSegmentSize(void) {
  const core::RankOptions& options = core::this_thread("gasnet_getMaxLocalSegmentSize").rank.options();
  return options.segmentless ? kEverything : options.max_segment_bytes;
}
uintptr_t gasnet_getMaxGlobalSegmentSize(void) {
  const core::Rank& rank = core::this_thread("gasnet_getMaxGlobalSegmentSize").rank;
  return rank.options().segmentless ? kEverything : rank.max_global_segment();
}

int gex_Segment_Attach(gex_Segment_t* segment_p, gex_TM_t tm, uintptr_t size) {
  constexpr const char* kWhere = "gex_Segment_Attach";
  core::Team& world = team(kWhere, tm);
  if (world.id != core::kWorldTeam)
    return returned_error(kWhere, GASNET_ERR_BAD_ARG, "the team is not that of gex_Client_Init");
  core::Thread& thread = core::this_thread(kWhere);
  not_in_handler(kWhere, thread);
  if (!segment_p) return returned_error(kWhere, GASNET_ERR_BAD_ARG, "segment_p is NULL");
  if (world.endpoint->segment)
    return returned_error(kWhere, GASNET_ERR_NOT_INIT, "a segment has been attached already");
  if (thread.rank.options().segmentless) {
    thread.rank.bootstrap().barrier();
    *segment_p = GEX_SEGMENT_INVALID;
    return GASNET_OK;
  }
  std::string reason;
  const int result = core::attach_segment(thread.rank, size, &reason);
  if (result != GASNET_OK) return returned_error(kWhere, result, reason);
  core::Segment* const attached = world.endpoint->segment;
  if (trace::on(trace::Category::kObject) && attached != nullptr)
    trace::note(trace::Category::kObject, kWhere, size, "%zu bytes at %p", size, attached->base);
  *segment_p = to_handle(attached);
  return GASNET_OK;
}

int gex_Segment_Create(gex_Segment_t* segment_p, gex_Client_t client, gex_Addr_t address, uintptr_t length,
                       gex_MK_t kind, gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_Segment_Create";
  not_in_handler(kWhere, core::this_thread(kWhere));
  auto bad = [](const char* why) { return returned_error(kWhere, GASNET_ERR_BAD_ARG, why); };
  if (!segment_p) return bad("segment_p is NULL");
  if (!client) return bad("the client handle is not valid");
  if (flags) return bad("flags must be 0");
  if (kind == GEX_MK_INVALID) return bad("the memory kind is not valid");
  check_handle(kWhere, client);
  std::string reason;
  int error = GASNET_OK;
  core::Client& owner = *core::from_handle(client);
  core::MemoryKind* const device_kind = device_kind_of(kind);
  core::Segment* made =
      device_kind ? core::create_device_segment(owner, *device_kind, address, length, &error, &reason)
                  : core::create_segment(owner, address, length, &error, &reason);
  if (!made) return returned_error(kWhere, error, reason);
  *segment_p = to_handle(made);
  return GASNET_OK;
}

void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t flags) {
  constexpr const char* kWhere = "gex_Segment_Destroy";
  core::Thread& thread = core::this_thread(kWhere);
  not_in_handler(kWhere, thread);
  core::Segment& doomed = object(kWhere, segment, "segment");
  if (flags) fatal(kWhere, "flags must be 0");
  if (doomed.memory == core::Segment::Memory::kAttached)
    fatal(kWhere, "the segment of gex_Segment_Attach cannot be destroyed");
  core::destroy_segment(thread.rank, &doomed);
}

gex_Client_t gex_Segment_QueryClient(gex_Segment_t segment) {
  return to_handle(object("gex_Segment_QueryClient", segment, "segment").client);
}
gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t segment) {
  (void)object("gex_Segment_QueryFlags", segment, "segment");
  return 0;
}
void* gex_Segment_QueryAddr(gex_Segment_t segment) {
  return object("gex_Segment_QueryAddr", segment, "segment").base;
}
uintptr_t gex_Segment_QuerySize(gex_Segment_t segment) {
  return object("gex_Segment_QuerySize", segment, "segment").size;
}
void gex_Segment_SetCData(gex_Segment_t segment, const void* value) {
  object("gex_Segment_SetCData", segment, "segment").cdata = value;
}
void* gex_Segment_QueryCData(gex_Segment_t segment) {
  return const_cast<void*>(object("gex_Segment_QueryCData", segment, "segment").cdata);
}

int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void** owner_address_p, void** local_address_p,
                           uintptr_t* size_p) {
  constexpr const char* kWhere = "gex_Segment_QueryBound";
  not_in_handler(kWhere, core::this_thread(kWhere));
  uintptr_t size = 0;
  gex_EP_QueryBoundSegmentNB(tm, rank, nullptr, nullptr, &size, 0);
  if (size == 0) return GASNET_ERR_BAD_ARG;
  gex_EP_QueryBoundSegmentNB(tm, rank, owner_address_p, local_address_p, size_p, 0);
  return GASNET_OK;
}

int gasnet_getSegmentInfo(gasnet_seginfo_t* table, int count) {
  constexpr const char* kWhere = "gasnet_getSegmentInfo";
  const core::Rank& rank = core::this_thread(kWhere).rank;
  const core::Objects& objects = const_cast<core::Rank&>(rank).objects();
  const bool is_everything = rank.options().segmentless;
  if (!objects.endpoint.segment && !is_everything)
    return returned_error(kWhere, GASNET_ERR_NOT_INIT, "no segment has been attached");
  if (!table || count < 0 || static_cast<RankId>(count) > rank.size()) {
    return returned_error(kWhere, GASNET_ERR_BAD_ARG, "the table is NULL or the count is not one of ranks");
  }
  for (int i = 0; i < count; ++i) {
    table[i].addr = reinterpret_cast<void*>(objects.bounds[static_cast<std::size_t>(i)].base);
    table[i].size = is_everything ? kEverything : objects.bounds[static_cast<std::size_t>(i)].size;
  }
  return GASNET_OK;
}
}
