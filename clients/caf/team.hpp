// Teams of images, and the numbers of their members.
#pragma once
#include <gasnetex.h>

#include <cstdint>

namespace aqueduct::caf {

/// How far a member has come in a team: how many barriers it has entered, how many of those it has left after
/// all members had entered, and how many collective subroutines it has begun. Other members read it when
/// somebody departs (meeting.hpp).
struct TeamProgress {
  std::uint64_t entered, left, collectives;
};

struct BroadcastRing;

struct Team {
  gex_TM_t tm;
  int size, me;       ///< images; `me` counts from 1
  int number;         ///< that form team was given; -1 for the initial team
  gex_Rank_t* ranks;  ///< in the job, of each member; null: the same as in the team
  Team* parent;
  int depth;                   ///< 0 for the initial team
  TeamProgress* progress;      ///< of this image; at the same offset in each member's segment
  BroadcastRing* ring;         ///< the same (small_broadcast.hpp)
  std::uint64_t taken_by_all;  ///< of its small broadcasts, as far as this image has looked

  bool has(int image) const { return image >= 1 && image <= size; }
  gex_Rank_t rank_of(int image) const {
    const auto index = static_cast<gex_Rank_t>(image - 1);
    return ranks ? ranks[index] : index;
  }
  /// The image of a rank of the job; 0 if that is no member.
  int image_of(gex_Rank_t rank) const;
};

/// The statements. A team variable holds a Team*, which lasts until the job ends.
Team* form_team(int number);
void change_team(Team* team);
void end_team();

/// The team at a distance from the current one: 1 for its parent, and so on; the initial team if there are
/// not as many.
const Team& ancestor(int distance);

}  // namespace aqueduct::caf
