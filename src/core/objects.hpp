// What the C handles point to: the client, its endpoint, teams, the attached segment.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/zeroed_array.hpp"
#include "conduit/conduit.hpp"
#include "core/team.hpp"
#include "gasnetex.h"

namespace aqueduct::core {

class Rank;

struct Client {
  Rank* rank = nullptr;
  std::string name;
  gex_Flags_t flags = 0;
  const void* cdata = nullptr;
};

struct Segment {
  Client* client = nullptr;
  void* base = nullptr;
  std::uintptr_t size = 0;
  const void* cdata = nullptr;
};

struct Endpoint {
  Client* client = nullptr;
  Segment* segment = nullptr;
  const void* cdata = nullptr;
};

struct Objects {
  Client client;
  Endpoint endpoint;
  Segment segment;
  Team world;
  TeamTable teams;  // all others
  // Indexed by job rank. Only entries of neighbours are ever written in the tables of views, so that what is
  // not touched costs nothing.
  ZeroedArray<aq_peer_view_> peer_views;       // what the inline code may reach
  ZeroedArray<aq_peer_view_> neighbour_views;  // the same, but also where the inline code is kept out; spare_
                                               // is 1 where the segment is mapped here
  std::span<conduit::SegmentBounds> bounds;    // every rank's segment in its own address space
  std::vector<conduit::SegmentBounds> own_bounds;  // what `bounds` looks at, unless ranks share a table
  std::vector<aq_rank_info_> rank_infos;           // of all ranks, for gex_System_Query*; made when asked for

  /// This process's endpoint with that index, or null.
  Endpoint* find_endpoint(gex_EP_Index_t index) { return index == 0 ? &endpoint : nullptr; }
};

/// Brings what the inline code reads of a team's peers up to date with their segments.
inline void refresh_peer_views(const Objects& objects, Team& team) {
  for (gex_Rank_t member = 0; member < team.peer_views.size(); ++member) {
    team.peer_views[member] = objects.peer_views[team.members[member].gex_rank];
  }
}

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
