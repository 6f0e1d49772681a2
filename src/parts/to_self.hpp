// A message from a rank to itself, for conduits whose network does not carry those.
#pragma once
#include "am/message.hpp"

namespace aqueduct::parts {

/// Runs the handler here and now, with the payload of a Long at its destination and a copy of a Medium's,
/// which the handler may change. The origin that it is given has the cookie 0. Always kDone.
am::Post deliver_to_self(am::Receiver& receiver, RankId self, const am::Message& message);

}  // namespace aqueduct::parts
