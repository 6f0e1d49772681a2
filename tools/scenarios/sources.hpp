// Memory that a rank of a scenario sends from, and spoils as soon as it may: whoever still reads it then
// sends wrong bytes, which the target's check finds.
//
// A Source is taken, filled and sent from, and its local completion is asked for in any of the ways that the
// interface has. look() and take() overwrite sources whose completion has come; nobody else does.
//
//   Source& source = sources.take(bytes);
//   fill(source.bytes, bytes, rank, round);
//   gex_AM_RequestMedium1(..., source.bytes, bytes, source.completion(), 0, round);
//   sources.sent(source);
//
// Half of the sources lie in the segment, the others elsewhere; a random number chooses.
#pragma once
#include <vector>

#include "member.hpp"

namespace aqueduct::scenarios {

/// Overwrites memory.
void spoil(std::byte* bytes, std::size_t count);

class Sources {
 public:
  /// How the rank learns that it may spoil a source.
  enum class Told : std::uint8_t {
    kAtReturn,    ///< GEX_EVENT_NOW
    kByEvent,     ///< an explicit event of local completion
    kImplicitly,  ///< GEX_EVENT_GROUP, and a wait for all of this kind
  };

  struct Source {
    std::byte* bytes = nullptr;
    std::size_t used = 0;
    Told told = Told::kAtReturn;
    gex_Event_t event = GEX_EVENT_INVALID;

    gex_Event_t* completion() {
      return told == Told::kAtReturn ? GEX_EVENT_NOW : told == Told::kByEvent ? &event : GEX_EVENT_GROUP;
    }
  };

  static constexpr unsigned kSources = 6;
  /// Memory that they need in the segment.
  static constexpr std::size_t bytes_in_segment(std::size_t most_bytes) { return kSources / 2 * most_bytes; }

  /// `in_segment`: where that lies.
  Sources(std::byte* in_segment, std::size_t most_bytes, sim::Random& random);

  /// A free source; waits if there is none.
  Source& take(std::size_t bytes);
  /// The call that it was given to has returned. `category`: what an implicit completion waits for.
  void sent(Source& source, gex_EC_t category);
  /// Spoils sources whose completion has come.
  void look();
  /// Waits for all.
  void finish();

 private:
  void over(Source& source);

  sim::Random& random_;
  Block elsewhere_;
  std::vector<Source> sources_{kSources};
  std::vector<Source*> free_;
  std::vector<Source*> leaving_;  // whose event has not come, oldest first
};

}  // namespace aqueduct::scenarios
