#include "scenarios.hpp"

#include <iterator>

#include "hot_spot.hpp"
#include "random_access.hpp"

namespace aqueduct::scenarios {
namespace {

const Scenario kScenarios[] = {
    {"ring", "each rank puts blocks into the next one's segment", ring},
    {"all-to-all", "each rank puts a block into every other's segment, at most 64 of them", all_to_all},
    {"random", "requests, replies, puts and gets at random, on a network that fails", random_traffic, nullptr,
     "drop=5000 corrupt=5000 duplicate=5000 delay=20000 delay-by=20us", nullptr, before_random},
    {"everywhere", "the same outside of segments, as conduits can that reach everything: portals", everywhere,
     nullptr, "drop=5000 corrupt=5000 duplicate=5000 delay=20000 delay-by=20us", nullptr, before_everywhere},
    {"burst", "many send to one at once, with buffers and credits as the seed chooses", burst, nullptr,
     "drop=2000 corrupt=2000 duplicate=2000 delay=10000 delay-by=20us", nullptr, before_burst, burst_findings,
     true},
    {"neighbours", "each rank sends to the six next to it, as fast as it may", neighbours, nullptr, "",
     nullptr, before_neighbours, neighbours_findings, true},
    {"random-access", "random updates of a table over all ranks, by the rules of HPCC (--version, --bytes)",
     random_access, nullptr, "", complaint_about_random_access, before_random_access, random_access_findings},
    {"barriers", "one barrier after the other", barriers},
    {"allreduce", "sums and maxima over all ranks", allreduce},
    {"stencil", "a matrix of rows of --bytes, of which each rank sends its edges to two others", stencil},
    {"kernels", "the work of stencil and random-access without messages, on rank 0", kernels},
    {"loggp", "what a message costs between two ranks, by LogGP's method", loggp},
    {"pairs", "round trips of ranks 0 and 1, 2 and 3, ... at once", pairs},
    {"peers", "what a message costs where a rank has several peers, and several ranks one kernel", peers},
    {"put", "rank 0 puts into the segment of rank 1, one after the other, and says how long each takes", put},
    {"outside-put", "the same from memory outside its segment", outside_put},
    {"put-flood", "many puts at once", put_flood},
    {"round-trip", "medium requests and their replies, with as much payload each", round_trip},
    {"ping-ack", "messages of the minimal MPI and an empty answer to each", ping_ack},
    {"message-flood", "64 messages of the minimal MPI at once and one answer", message_flood},
    {"packets", "messages at random between bare ports, each checked byte for byte", nullptr, packets},
    {"hot-spot",
     "bare ports: what one node that all send to does to the others, against a calculation by hand", nullptr,
     hot_spot, "", nullptr, nullptr, hot_spot_findings},
    {"events", "events and nothing else: how fast the engine is", nullptr, events},
};

}  // namespace

std::span<const Scenario> all() { return kScenarios; }

const Scenario* find(std::string_view name) {
  for (const Scenario& scenario : kScenarios) {
    if (name == scenario.name) return &scenario;
  }
  return nullptr;
}

}  // namespace aqueduct::scenarios
