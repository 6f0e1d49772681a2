#include "parts/long/choice.hpp"

#include <cstring>

#include "base/env.hpp"
#include "base/fatal.hpp"

namespace aqueduct::parts {
namespace {

struct Known {
  const char* name;
  std::unique_ptr<LongProtocol> (*make)(LongNetwork& network);
};
constexpr Known kKnown[kLongProtocols] = {
    {"ordered", make_ordered},
    {"put-sync-send", make_put_sync_send},
    {"async-chaining", make_async_chaining},
    {"rendezvous-get", make_rendezvous_get},
    {"reassembly", make_reassembly},
};
const Known& known(LongProtocolKind kind) { return kKnown[static_cast<unsigned>(kind)]; }

}  // namespace

const char* name_of(LongProtocolKind kind) { return known(kind).name; }

const char* what_lacks(LongProtocolKind kind, const LongAbilities& abilities) {
  switch (kind) {
    case LongProtocolKind::kOrdered:
      return abilities.ordered != Ability::kNo ? nullptr : "messages may overtake payloads";
    case LongProtocolKind::kPutSyncSend:
    case LongProtocolKind::kAsyncChaining:
      return abilities.reports_landing ? nullptr : "the initiator is not told when a payload has landed";
    case LongProtocolKind::kRendezvousGet:
      return abilities.reads != Ability::kNo ? nullptr : "the target cannot read the payload";
    default:
      return abilities.tells_target ? nullptr : "the target is not told when a payload has landed";
  }
}

bool best_of(const LongAbilities& abilities, LongProtocolKind* best) {
  if (abilities.ordered == Ability::kYes) {
    *best = LongProtocolKind::kOrdered;
  } else if (abilities.tells_target) {
    *best = LongProtocolKind::kReassembly;
  } else if (abilities.reports_landing) {
    *best = LongProtocolKind::kAsyncChaining;
  } else if (abilities.reads != Ability::kNo) {
    *best = LongProtocolKind::kRendezvousGet;
  } else {
    return false;
  }
  return true;
}

LongProtocolKind choose_long_protocol(const char* conduit, const LongAbilities& abilities) {
  constexpr const char* kVariable = "AQUEDUCT_LONG_PROTOCOL";
  LongProtocolKind kind;
  if (const char* const text = env::text({kVariable})) {
    for (unsigned i = 0; i < kLongProtocols; ++i) {
      kind = static_cast<LongProtocolKind>(i);
      if (std::strcmp(text, name_of(kind)) != 0) continue;
      const char* const lacks = what_lacks(kind, abilities);
      if (lacks) fatal(kVariable, "the %s conduit cannot do %s: %s", conduit, text, lacks);
      return kind;
    }
    fatal(kVariable, "'%s' is none of ordered, put-sync-send, async-chaining, rendezvous-get, reassembly",
          text);
  }
  if (!best_of(abilities, &kind)) fatal(conduit, "its network can carry no long messages");
  return kind;
}

std::unique_ptr<LongProtocol> make_long_protocol(LongProtocolKind kind, LongNetwork& network) {
  return known(kind).make(network);
}

}  // namespace aqueduct::parts
