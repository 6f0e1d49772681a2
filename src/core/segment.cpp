#include "core/segment.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "core/staging.hpp"
#include "job/place/shared_memory.hpp"
#include "world/world.hpp"

namespace aqueduct::core {
namespace {

struct Request {
  std::uintptr_t base;
  std::uintptr_t bytes;
  int error;
};

void* allocate(Rank& rank, std::size_t bytes) {
  if (rank.neighbourhood()) return rank.neighbourhood()->map_segment(rank.id(), bytes);
  return rank.world().segment_memory(bytes);
}

// What a rank tells others of its segment: the request, and behind it the key of the conduit.
std::vector<std::byte> with_key(Rank& rank, const Request& mine, std::size_t staging) {
  std::vector<std::byte> key;
  if (mine.error == GASNET_OK) key = rank.conduit().export_segment({mine.base, mine.bytes + staging});
  std::vector<std::byte> row(sizeof mine + key.size());
  std::memcpy(row.data(), &mine, sizeof mine);
  std::copy(key.begin(), key.end(), row.begin() + sizeof mine);
  return row;
}

Request request_in(job::Bytes row, RankId peer) {
  Request request;
  if (row.size() < sizeof request) {
    fatal("gex_Segment_Attach",
          "rank %u has told %zu bytes of its segment and this rank expects %zu or more; all ranks must run "
          "the same library",
          peer, row.size(), sizeof request);
  }
  std::memcpy(&request, row.data(), sizeof request);
  return request;
}

// All ranks alike: the keys are in one table on each host when this returns.
void keep_keys(Rank& rank, const job::Gathered& all) {
  auto& table = rank.objects().segment_keys;
  table = std::make_unique<job::KeptTable>(rank.world().open_key_room(), rank.size());
  table->keep(all);
  rank.bootstrap().barrier();
  rank.conduit().import_segments({table->view(), sizeof(Request)});
}

void refresh_teams(Rank& rank) {
  rank.objects().teams.for_each([&](Team& team) { refresh_peer_views(rank, rank.objects(), team); });
}

// Lets operations on endpoint 0 of `peer` copy at once, in the header where that may be.
void show_view(Rank& rank, RankId peer, const aq_peer_view_& view) {
  Objects& objects = rank.objects();
  if (!rank.may_inline() || !view.is_mapped_) return;
  objects.near_views[peer] = view;
  if (rank.is_left_to_header(peer)) objects.peer_views[peer] = view;
}

// Writes down what is known of an endpoint's segment, for this process and for the inline code.
void note_view(Rank& rank, gex_EP_Location_t owner, const aq_peer_view_& view) {
  Objects& objects = rank.objects();
  if (owner.gex_ep_index != 0) {
    objects.endpoints.set_segment(owner, view);
  } else {
    objects.bounds[owner.gex_rank] = {view.base_, view.size_};
    objects.own_neighbour_views(rank);
    objects.neighbour_views[owner.gex_rank] = view;
    show_view(rank, owner.gex_rank, view);
  }
  refresh_teams(rank);
}

// Writes down where everybody's segment is, or that somebody could not attach one.
void note_segments(Rank& rank, const job::Gathered& all) {
  Objects& objects = rank.objects();
  AttachNotes& notes = *objects.attach_notes;
  notes = {objects.attach_attempts};
  for (RankId peer = 0; peer < rank.size(); ++peer) {
    const Request theirs = request_in(all[peer], peer);
    notes.has_keys |= all[peer].size() > sizeof theirs;
    if (theirs.error == GASNET_OK && theirs.bytes > rank.options().segment_span) {
      fatal("gex_Segment_Attach",
            "shared memory is corrupted: rank %u is said to have a segment of %zu bytes; look for a stray "
            "write in rank %u",
            peer, static_cast<std::size_t>(theirs.bytes), peer);
    }
    objects.bounds[peer] = {theirs.base, theirs.bytes};
    if (theirs.error == GASNET_OK || notes.refused) continue;
    notes.refused = true;
    notes.refused_by = peer;
  }
  if (notes.refused) std::fill(objects.bounds.begin(), objects.bounds.end(), am::SegmentBounds{});
}

// A network may start more of itself for segments. What it knows of this rank's has the staging room in it.
void tell_conduit(Rank& rank) {
  const conduit::ForeignCall call(*rank.options().conduit);
  Objects& objects = rank.objects();
  if (objects.staging.bytes == 0) return rank.conduit().segments_attached(objects.bounds);
  objects.network_bounds.assign(objects.bounds.begin(), objects.bounds.end());
  objects.network_bounds[rank.id()].size += objects.staging.bytes;
  rank.conduit().segments_attached(objects.network_bounds);
}

}  // namespace

int attach_segment(Rank& rank, std::uintptr_t bytes, std::string* reason) {
  Objects& objects = rank.objects();
  const std::size_t most = rank.options().max_segment_bytes;
  Request mine{0, bytes, GASNET_OK};
  const std::size_t staging = staging_bytes(rank, bytes);
  if (bytes == 0 || bytes % kPage != 0) {
    mine.error = GASNET_ERR_BAD_ARG;
    *reason =
        "a segment must have a multiple of " + std::to_string(kPage) + " bytes, not " + std::to_string(bytes);
  } else if (bytes > most) {
    mine.error = GASNET_ERR_BAD_ARG;
    *reason = "a segment of " + std::to_string(bytes) + " bytes; at most " + std::to_string(most) +
              " are possible here (GASNET_MAX_SEGSIZE sets the limit)";
  } else {
    void* base = allocate(rank, mine.bytes + staging);
    if (base) {
      mine.base = reinterpret_cast<std::uintptr_t>(base);
    } else {
      mine.error = GASNET_ERR_RESOURCE;
      *reason = "a segment of " + std::to_string(bytes) + " bytes: " + job::why_not_mapped(bytes, errno);
    }
  }

  const job::Gathered& all = rank.bootstrap().all_gather(with_key(rank, mine, staging));
  const AttachNotes& notes = *objects.attach_notes;
  if (notes.attempts < ++objects.attach_attempts) note_segments(rank, all);
  if (notes.refused) {
    if (mine.error == GASNET_OK) {
      mine.error = GASNET_ERR_RESOURCE;
      *reason = "rank " + std::to_string(notes.refused_by) + " could not attach its segment";
    }
    if (mine.base) rank.conduit().withdraw_segment();
    if (mine.base) rank.world().free_segment_memory(reinterpret_cast<void*>(mine.base), mine.bytes + staging);
    return mine.error;
  }

  if (notes.has_keys) keep_keys(rank, all);
  if (gasnet_client_attach_hook) gasnet_client_attach_hook(reinterpret_cast<void*>(mine.base), mine.bytes);
  const RankId neighbours = rank.neighbourhood() ? rank.neighbourhood()->size() : 0;
  for (RankId local = 0; local < neighbours; ++local) {
    const RankId peer = rank.neighbourhood()->rank_at(local);
    const am::SegmentBounds theirs = objects.bounds[peer];
    void* here = peer == rank.id() ? reinterpret_cast<void*>(mine.base)
                                   : rank.neighbourhood()->map_segment(peer, theirs.size);
    if (!here) {
      fatal("gex_Segment_Attach", "cannot map the segment of rank %u: %s", peer,
            job::why_not_mapped(theirs.size, errno).c_str());
    }
    aq_peer_view_& view = objects.neighbour_views[peer];
    view.base_ = theirs.base;
    view.size_ = theirs.size;
    view.shift_ = static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(here) - view.base_);
    view.is_mapped_ = 1;
    show_view(rank, peer, view);
  }
  objects.attached = true;
  refresh_teams(rank);
  objects.segment.base = reinterpret_cast<void*>(mine.base);
  objects.segment.size = mine.bytes;
  objects.endpoint.segment = &objects.segment;
  objects.staging = {reinterpret_cast<std::byte*>(mine.base + mine.bytes), staging};
  tell_conduit(rank);
  objects.segment_everything = rank.options().segment_everything;
  rank.bootstrap().barrier();
  return GASNET_OK;
}

void go_without_segments(Rank& rank) {
  tell_conduit(rank);
  rank.objects().segment_everything = true;
  rank.bootstrap().barrier();
}

Segment* create_segment(Client& client, void* address, std::uintptr_t bytes, int* error,
                        std::string* reason) {
  Rank& rank = *client.rank;
  auto refuse = [&](int code, std::string why) {
    *error = code;
    *reason = std::move(why);
    return nullptr;
  };
  if (bytes == 0) return refuse(GASNET_ERR_BAD_ARG, "a segment cannot be empty");
  auto segment = std::make_unique<Segment>();
  segment->client = &client;
  segment->size = bytes;
  if (address) {
    segment->base = address;
    segment->memory = Segment::Memory::kClients;
    rank.objects().created_segments.add(segment.get());
    return segment.release();
  }
  const std::size_t most = rank.options().max_segment_bytes;
  if (bytes > most) {
    return refuse(GASNET_ERR_BAD_ARG, "a segment of " + std::to_string(bytes) + " bytes; at most " +
                                          std::to_string(most) + " are possible here");
  }
  segment->size = round_up(bytes, kPage);
  Neighbourhood* neighbourhood = rank.neighbourhood();
  if (neighbourhood &&
      rank.objects().room.take(segment->size, rank.options().segment_span, &segment->offset)) {
    segment->base = neighbourhood->map_segment(rank.id(), segment->size, segment->offset);
    segment->memory = Segment::Memory::kShared;
  } else {
    segment->base = ::mmap(nullptr, segment->size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (segment->base == MAP_FAILED) segment->base = nullptr;
    segment->memory = Segment::Memory::kPrivate;
  }
  if (!segment->base)
    return refuse(GASNET_ERR_RESOURCE,
                  "no address space for a segment of " + std::to_string(bytes) + " bytes");
  rank.objects().created_segments.add(segment.get());
  return segment.release();
}

void destroy_segment(Rank& rank, Segment* segment) {
  rank.objects().created_segments.remove(segment);
  if (segment->card) release_device_memory(rank, *segment);
  if (segment->memory == Segment::Memory::kShared) {
    rank.neighbourhood()->unmap_segment(segment->base, segment->size);
    rank.neighbourhood()->drop_segment(rank.id(), segment->size, segment->offset);
    rank.objects().room.give_back(segment->size, segment->offset);
  } else if (segment->memory == Segment::Memory::kPrivate) {
    ::munmap(segment->base, segment->size);
  }
  delete segment;
}

void bind_segment(Rank& rank, Endpoint& endpoint, Segment& segment) {
  endpoint.segment = &segment;
  note_view(rank, {rank.id(), endpoint.index},
            {reinterpret_cast<std::uintptr_t>(segment.base), segment.size, 0, segment.card ? 0u : 1u});
}

Publication publication_of(const Rank& rank, const Endpoint& endpoint) {
  Publication publication{{rank.id(), endpoint.index}, 0, 0, 0, {}};
  const Segment* segment = endpoint.segment;
  // What was attached is known to everybody.
  if (!segment || segment->memory == Segment::Memory::kAttached) return publication;
  publication.base = reinterpret_cast<std::uintptr_t>(segment->base);
  publication.bytes = segment->size;
  if (segment->memory == Segment::Memory::kShared) publication.offset = segment->offset + 1;
  publication.device = device_publication_of(*segment);
  return publication;
}

void take_note(Rank& rank, const Publication& publication) {
  const RankId owner = publication.owner.gex_rank;
  if (publication.bytes == 0 || owner == rank.id()) return;
  // Published before, and an endpoint's segment never changes.
  if (rank.objects().segment_of(owner, publication.owner.gex_ep_index).size_ != 0) return;
  aq_peer_view_ view{publication.base, publication.bytes, 0, 0};
  if (publication.device.is_device) {
    rank.objects().devices_of(rank).take_note(publication.owner, publication.base, publication.bytes,
                                              publication.device);
  }
  if (publication.offset != 0 && rank.is_neighbour(owner)) {
    if (void* here = rank.neighbourhood()->map_segment(owner, publication.bytes, publication.offset - 1)) {
      view.shift_ = static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(here) - view.base_);
      view.is_mapped_ = 1;
    }
  }
  note_view(rank, publication.owner, view);
}

bool SegmentRoom::take(std::size_t bytes, std::size_t span, std::size_t* offset) {
  const std::lock_guard guard(lock_);
  if (used_ < first_ || bytes > span || used_ > span - bytes) return false;
  *offset = used_;
  used_ += bytes;
  return true;
}

void SegmentRoom::give_back(std::size_t bytes, std::size_t offset) {
  const std::lock_guard guard(lock_);
  if (offset + bytes == used_) used_ = offset;
}

}  // namespace aqueduct::core
