// What the C handles point to: the client, its endpoints, teams and segments.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "am/message.hpp"
#include "aqueduct/memory_kind.h"
#include "base/zeroed_array.hpp"
#include "conduit/device_transfers.hpp"
#include "core/device_memory.hpp"
#include "core/endpoints.hpp"
#include "core/handlers.hpp"
#include "core/team.hpp"
#include "gasnetex.h"
#include "job/bootstrap/kept_table.hpp"

namespace aqueduct::core {

class Rank;

struct Endpoint;

struct Client {
  Rank* rank = nullptr;
  std::string name;
  gex_Flags_t flags = 0;
  const void* cdata = nullptr;
};

struct MemoryKind {
  Client* client = nullptr;
  const void* cdata = nullptr;
  gex_MK_Class_t kind_class = GEX_MK_CLASS_HOST;
  device::Card* card = nullptr;            // of a device's kind
  std::atomic<std::uint32_t> segments{0};  // of a device's kind: that exist
};

struct Segment {
  Client* client = nullptr;
  void* base = nullptr;
  std::uintptr_t size = 0;
  const void* cdata = nullptr;
  enum class Memory : std::uint8_t {
    kAttached,
    kShared,
    kPrivate,
    kClients,
    kDevice
  } memory = Memory::kAttached;
  std::size_t offset = 0;  // kShared: in this rank's room for segments
  // Of one on a device:
  device::Card* card = nullptr;
  MemoryKind* kind = nullptr;
  bool is_librarys = false;  // it is freed with the segment
  device::Export exported;   // how others may map it
  void* network = nullptr;   // what the conduit's own transfers name it by; null: they are staged
  conduit::DeviceKey network_key;
};

struct Endpoint {
  Client* client = nullptr;
  Segment* segment = nullptr;
  const void* cdata = nullptr;
  gex_EP_Index_t index = 0;
  gex_EP_Capabilities_t capabilities = GEX_EP_CAPABILITY_ALL;
  gex_Flags_t flags = 0;
  std::unique_ptr<HandlerTable> handlers;  // null for endpoint 0: the rank's own
};

/// Two endpoints that talk: one of this process and one of job rank `rank`.
struct Peer {
  RankId rank = 0;
  gex_EP_Index_t remote = 0;
  gex_EP_Index_t local = 0;

  bool is_primordial() const { return (remote | local) == 0; }
};

/// The part of this rank's room in shared memory that is left to created segments, behind what may be
/// attached. Room is given out from low to high; it is used again when the last piece comes back.
class SegmentRoom {
 public:
  void open(std::size_t first) { first_ = used_ = first; }
  /// False if there is none left in the `span` of this rank, or it was not opened.
  bool take(std::size_t bytes, std::size_t span, std::size_t* offset);
  void give_back(std::size_t bytes, std::size_t offset);

 private:
  SpinLock lock_;
  std::size_t first_ = ~std::size_t{0};
  std::size_t used_ = 0;
};

/// The segments that gex_Segment_Create has made and nobody has destroyed yet. Any thread.
class CreatedSegments {
 public:
  void add(const Segment* segment) {
    const std::lock_guard guard(lock_);
    segments_.insert(segment);
  }
  void remove(const Segment* segment) {
    const std::lock_guard guard(lock_);
    segments_.erase(segment);
  }
  /// Whether there is one at that address, which may be any.
  bool holds(const Segment* segment) const {
    const std::lock_guard guard(lock_);
    return segments_.contains(segment);
  }

 private:
  mutable SpinLock lock_;
  std::unordered_set<const Segment*> segments_;
};

/// What the ranks that share a table of segments have found out about attaching them. The first of them that
/// has everybody's answers writes it down for all: a job of many ranks in one process would otherwise look at
/// every answer once for each of its ranks.
struct AttachNotes {
  std::uint64_t attempts = 0;  ///< that were noted; each is made by all ranks together
  bool has_keys = false;       ///< somebody's conduit has exported one, in the last attempt
  bool refused = false;        ///< somebody could not attach
  RankId refused_by = 0;       ///< the first who could not
};

struct Objects {
  Client client;
  Endpoint endpoint;
  Segment segment;
  MemoryKind host_memory;
  Team world;
  TeamTable teams;  // all others
  // Indexed by job rank. Only entries of neighbours are ever written in the tables of views, so that what is
  // not touched costs nothing. Where ranks share a process, those without neighbours share zeros, until one
  // binds a segment itself.
  ZeroedArray<aq_peer_view_> peer_views;          // what the header's code may reach
  ZeroedArray<aq_peer_view_> near_views;          // what may be copied to and from at once (Team::near)
  ZeroedArray<aq_peer_view_> neighbour_views;     // the same, but also where operations are watched;
                                                  // is_mapped_ is 1 where the segment is mapped here
  std::span<am::SegmentBounds> bounds;            // every rank's segment in its own address space
  std::unique_ptr<job::KeptTable> segment_keys;   // where the conduit finds them; null if there are none
  std::vector<am::SegmentBounds> own_bounds;      // what `bounds` looks at, unless ranks share a table
  AttachNotes* attach_notes = &own_attach_notes;  // likewise
  AttachNotes own_attach_notes;
  std::uint64_t attach_attempts = 0;           // by this rank
  std::vector<aq_rank_info_> neighbour_infos;  // for gex_System_QueryNbrhdInfo; made when asked for
  std::vector<aq_rank_info_> host_infos;       // for gex_System_QueryHostInfo, likewise
  device::HostRange staging;                   // behind the attached segment (core/staging.hpp); empty: none
  std::vector<am::SegmentBounds> network_bounds;  // what the conduit knows, if that differs from `bounds`
  bool attached = false;  // the segments of endpoint 0 are those of gex_Segment_Attach, known to the conduit
  bool segment_everything = false;  // of endpoint 0 all memory can be reached
  SegmentRoom room;
  CreatedSegments created_segments;
  EndpointTable endpoints;  // beyond endpoint 0, and what is known of those of other processes

  /// Null until this rank has made a kind of device memory, or been told of a segment there.
  DeviceMemory* devices() const { return devices_.load(std::memory_order_acquire); }
  /// Made if there is none. Any thread.
  DeviceMemory& devices_of(Rank& rank);
  /// Whether the segment of an endpoint lies on a device.
  bool is_on_device(RankId rank, gex_EP_Index_t index) {
    if (index == 0 || !devices()) return false;
    if (rank != world.view.rank_) return devices()->is_remote_device({rank, index});
    const Endpoint* const own = endpoints.find(index);
    return own && own->segment && own->segment->card;
  }

  /// Makes the tables of views.
  void make_views(Rank& rank);
  /// Before neighbour_views is written: shares it no longer.
  void own_neighbour_views(Rank& rank);

  /// This process's endpoint with that index, or null.
  Endpoint* find_endpoint(gex_EP_Index_t index) { return index == 0 ? &endpoint : endpoints.find(index); }

  /// Whether an address of an endpoint may be named at all if it is not in its segment.
  bool reaches_everything(gex_EP_Index_t index) const { return segment_everything && index == 0; }

  /// The segment bound to an endpoint, as far as this process knows: is_mapped_ is 1 where it is mapped here.
  aq_peer_view_ segment_of(RankId rank, gex_EP_Index_t index) const {
    if (index != 0) return endpoints.segment_of({rank, index});
    aq_peer_view_ view = neighbour_views[rank];
    view.base_ = bounds[rank].base;
    view.size_ = bounds[rank].size;
    return view;
  }

 private:
  bool shares_views_ = false;
  std::atomic<DeviceMemory*> devices_{nullptr};
  std::unique_ptr<DeviceMemory> own_devices_;
  SpinLock devices_lock_;
};

/// Brings what the inline code reads of a team's peers up to date with their segments.
void refresh_peer_views(const Rank& rank, const Objects& objects, Team& team);

/// The team with that id, the world's too, or null.
inline Team* find_team(Objects& objects, TeamId id) {
  return id == kWorldTeam ? &objects.world : objects.teams.find(id);
}

inline gex_Client_t to_handle(Client* client) { return reinterpret_cast<gex_Client_t>(client); }
inline gex_EP_t to_handle(Endpoint* endpoint) { return reinterpret_cast<gex_EP_t>(endpoint); }
inline gex_Segment_t to_handle(Segment* segment) { return reinterpret_cast<gex_Segment_t>(segment); }
inline gex_TM_t to_handle(Team* team) { return reinterpret_cast<gex_TM_t>(team); }
inline Client* from_handle(gex_Client_t client) { return reinterpret_cast<Client*>(client); }
inline Endpoint* from_handle(gex_EP_t endpoint) { return reinterpret_cast<Endpoint*>(endpoint); }
inline Segment* from_handle(gex_Segment_t segment) { return reinterpret_cast<Segment*>(segment); }
inline Team* from_handle(gex_TM_t team) { return reinterpret_cast<Team*>(team); }

}  // namespace aqueduct::core
