#include "papers/scenarios/scarce_settings.hpp"

#include <cstdlib>
#include <string_view>

namespace aqueduct::scenarios {
namespace {

using sim::Random;

// Streams of random numbers.
constexpr std::uint64_t kPortals = 103, kAries = 104, kExtoll = 105;

/// The least of a range in a third of all cases, otherwise any of it.
class Choice {
 public:
  Choice(const Parameters& parameters, std::uint64_t stream, std::vector<Setting>& settings)
      : random_(parameters.seed, stream), settings_(settings) {}

  void number(const char* name, std::uint64_t least, std::uint64_t most) {
    const std::uint64_t value = random_.below(3) == 0 ? least : least + random_.below(most - least + 1);
    settings_.push_back({name, std::to_string(value)});
  }
  void any_number(const char* name, std::uint64_t least, std::uint64_t most) {
    settings_.push_back({name, std::to_string(least + random_.below(most - least + 1))});
  }
  void word(const char* name, std::initializer_list<const char*> words) {
    settings_.push_back({name, words.begin()[random_.below(words.size())]});
  }

 private:
  Random random_;
  std::vector<Setting>& settings_;
};

void add_portals(Choice choice) {
  choice.word("GASNET_PORTAL_AM_CHUNK", {"1024", "2048"});
  choice.word("AQUEDUCT_PORTALS_STAGE", {"native", "firehose"});
  choice.word("GASNET_PORTAL_DYNAMIC_CREDITS", {"0", "1", "1", "1", "1", "1", "1", "1"});
  choice.any_number("GASNET_PORTAL_PACKED_LONG", 0, 1);
  choice.any_number("GASNET_PORTAL_RB_CHUNKS", 2, 24);
  choice.any_number("GASNET_PORTAL_SPARE_BUFFERS", 1, 2);
  choice.any_number("GASNET_PORTAL_CRED_PER_NODE", 4, 20);
  choice.any_number("GASNET_PORTAL_BANKED_CREDITS", 0, 60);
  choice.any_number("GASNET_PORTAL_MAX_CRED_PER_NODE", 20, 100);
  choice.any_number("GASNET_PORTAL_EPOCH_DURATION", 2, 60);
  choice.any_number("GASNET_PORTAL_SB_CHUNKS", 3, 40);
  choice.any_number("GASNET_PORTAL_RPL_CHUNKS", 2, 20);
  choice.any_number("GASNET_PORTAL_MSG_LIMIT", 12, 60);
  choice.any_number("GASNET_PORTAL_SAFE_LIMIT", 1, 12);
  choice.any_number("GASNET_PORTAL_AM_LIMIT", 1, 8);
  choice.number("GASNET_PORTAL_NUM_TMPMD", 2, 8);
  choice.number("GASNET_PORTAL_PUT_BOUNCE_LIMIT", 0, 1024);
  choice.number("GASNET_PORTAL_GET_BOUNCE_LIMIT", 0, 1024);
  choice.number("GASNET_FIREHOSE_MAXVICTIM_R", 4, 8);
  choice.word("GASNET_FIREHOSE_MAXREGION_SIZE", {"12K", "16K", "80K"});
}

void add_extoll(Choice choice) {
  choice.word("AQUEDUCT_EXTOLL_AM", {"first", "second"});
  choice.number("AQUEDUCT_EXTOLL_REQUESTS", 1, 16);
  choice.number("AQUEDUCT_EXTOLL_POSTS", 2, 8);
  choice.number("AQUEDUCT_EXTOLL_PACKED_LONG", 0, 3072);
  choice.number("AQUEDUCT_EXTOLL_BOUNCE", 64, 4096);
  choice.number("AQUEDUCT_EXTOLL_BOUNCE_POOL", 4096, 8192);
  choice.number("AQUEDUCT_EXTOLL_REGISTRATIONS", 1, 6);
  choice.word("AQUEDUCT_LONG_PROTOCOL", {"reassembly", "put-sync-send", "async-chaining", "rendezvous-get"});
}

void add_aries(Choice choice) {
  choice.number("GASNET_NETWORKDEPTH", 1, 8);
  choice.number("GASNET_NETWORKDEPTH_TOTAL", 1, 12);
  choice.number("GASNET_LONG_DEPTH", 1, 4);
  choice.number("GASNET_NETWORKDEPTH_SPACE", 1, 32 << 10);
  choice.number("GASNET_GNI_NUM_PD", 32, 48);
  choice.number("GASNET_GNI_MEMREG", 1, 6);
  choice.number("GASNET_GNI_PACKEDLONG_CUTOVER", 0, 3072);
  choice.number("GASNET_GNI_AMPOLL_BURST", 1, 6);
  choice.number("GASNET_GNI_AM_RVOUS_BUFFERS", 1, 4);
  choice.number("GASNET_GNI_PUT_FMA_RDMA_CUTOVER", 0, 1023);
  choice.number("GASNET_GNI_PUT_BOUNCE_REGISTER_CUTOVER", 0, 4096);
  choice.word("GASNET_GNI_AM_RVOUS_CUTOVER", {"1", "0", "0"});
  choice.word("GASNET_USE_UDREG", {"0", "1"});
  choice.word("GASNET_GNI_ROUTING_MODE", {"ADAPTIVE_0", "ADAPTIVE_0", "IN_ORDER"});
  choice.word("AQUEDUCT_LONG_PROTOCOL",
              {"reassembly", "reassembly", "ordered", "put-sync-send", "async-chaining", "rendezvous-get"});
  choice.number("GASNET_GNI_BOUNCE_SIZE", 16384, 20480);
}

}  // namespace

std::vector<Setting> scarce_settings(const Parameters& parameters) {
  const char* const set = std::getenv("AQUEDUCT_CONDUIT");
  const std::string_view conduit = set ? set : "";
  std::vector<Setting> settings;
  if (conduit == "portals") add_portals({parameters, kPortals, settings});
  if (conduit == "aries") add_aries({parameters, kAries, settings});
  if (conduit == "extoll") add_extoll({parameters, kExtoll, settings});
  return settings;
}

std::vector<Setting> before_random(const Parameters& parameters) {
  return parameters.seed % 2 == 0 ? scarce_settings(parameters) : std::vector<Setting>{};
}

}  // namespace aqueduct::scenarios
