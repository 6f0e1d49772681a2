// What waits for messages depend on. The condition of GASNET_BLOCKUNTIL is not recorded, but handlers make it
// true, and mostly they count.
//
// A wait in which handlers ran ended with the last of them: the condition became true then. So it needed as
// many messages of that handler as had been handled by then: such a wait is an *anchor* of that handler. If
// several handlers ran since the condition was last seen to be false, it may have needed less; then it is
// none.
//
// A wait whose condition was true at once needed no more than had come, and maybe much less: a program that
// keeps 16 requests under way goes on with 15 of them unanswered. It is taken to need what lies between the
// anchors before and after it, in proportion to the waits in between; after the last anchor in the same
// proportion as on average before; and never more than had come, or less than had been seen to be too few.
//
// Handlers of which no wait has an anchor count where none has one: the wait then needs as many messages of
// the handler that ran last as had come, and as many replies.
#pragma once
#include <vector>

#include "tools/replay/program.hpp"

namespace aqueduct::replay {

/// A wait of a rank, while its program is made.
struct MessageWait {
  std::uint32_t handled = 0;  ///< how many messages had been handled when it ended
  bool has_ended_it = false;  ///< one of these was handled in it
  std::uint32_t too_few = 0;  ///< then: so many had been handled when the condition was still false
};

/// `arrived` are the messages that a rank has handled, in their order. Fills `arrivals`, one for each wait.
void find_arrivals(const Program& program, const std::vector<std::uint32_t>& arrived,
                   const std::vector<MessageWait>& waits, std::vector<Arrivals>& arrivals);

}  // namespace aqueduct::replay
