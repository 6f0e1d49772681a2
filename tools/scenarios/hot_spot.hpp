// A hot spot: all nodes send to each other at a fifth of the rate of their gates; for a while every twentieth
// message of each goes to one node, several times the rate that it can take. The links towards it fill up,
// then messages to other nodes that share their buffers stop as well; all go on when the hot spot is over.
// The scenario uses bare ports; nodes that are blocked wait and lose nothing.
//
// Calculation by hand. Every sender's messages stay in order, so while the hot node takes one message, all
// its senders together send only kHotEvery - 1 others. The hot node takes one in T, what a message needs at
// its ejection gate; n - 1 nodes send. So each one's messages to others go at (kHotEvery - 1) / (T (n - 1)),
// wherever in the tree it sits on average, unless that is more than it wants to send.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "scenarios.hpp"

namespace aqueduct::scenarios {

inline constexpr unsigned kHotEvery = 20;
inline constexpr unsigned kLoadPercent = 20;  ///< of the injection gate, by each sender

struct HotSpotFigures {
  sim::Time window = 0;  ///< of by_window
  sim::Time hot_from = 0, hot_until = 0;
  sim::Time drained = 0;                     ///< the hot node got its last message
  std::vector<double> by_window;             ///< MB/s of a sender to others than the hot node, in each window
  double before = 0, during = 0, after = 0;  ///< MB/s: during the second half of the hot time
  double by_hand = 0;                        ///< what `during` should be
  std::uint64_t late = 0;                    ///< messages to the hot node that were under way at hot_until
  sim::Time late_by_hand = 0;                ///< how long the hot node needs for them
  double busiest_link = 0;                   ///< the share of the time in which it was busy
};

/// Of the last run.
const HotSpotFigures& hot_spot_figures();

/// `parameters.rounds`: how long it is hot, in units of 100 us; `parameters.bytes`: of a message.
std::function<void()> hot_spot(sim::Simulation& simulation, const Parameters& parameters);
std::string hot_spot_findings();

}  // namespace aqueduct::scenarios
