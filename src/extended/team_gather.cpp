#include "extended/team_gather.hpp"

#include <algorithm>
#include <mutex>

#include "core/am.hpp"
#include "extended/extended.hpp"

namespace aqueduct::extended {

using core::Internal;
using core::Thread;

void TeamGather::register_handler(core::HandlerTable& handlers) {
  handlers.add_internal(Internal::kTeamGather, reinterpret_cast<gex_AM_Fn_t>(&on_items), 5, "team gather");
}

void TeamGather::on_items(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t team_id,
                          gex_AM_Arg_t parity, gex_AM_Arg_t round, gex_AM_Arg_t first,
                          gex_AM_Arg_t item_bytes) {
  core::Rank& rank = core::from_handle(token).rank;
  core::Team* team = core::find_team(rank.objects(), static_cast<core::TeamId>(team_id));
  if (!team) fatal("poll", "a message for team %d, of which this rank is no member", team_id);
  ops(*team).gather.store(static_cast<unsigned>(parity), static_cast<unsigned>(round),
                          static_cast<gex_Rank_t>(first), payload, bytes,
                          static_cast<std::size_t>(item_bytes));
}

void TeamGather::store(unsigned parity, unsigned round, gex_Rank_t first, const void* items,
                       std::size_t bytes, std::size_t item_bytes) {
  const std::lock_guard guard(lock_);
  Mail& mail = mail_[parity % 2];
  mail.items.resize(team_.size() * item_bytes);
  mail.arrived.resize(kMaxRounds);
  std::memcpy(mail.items.data() + first * item_bytes, items, bytes);
  mail.arrived[round % kMaxRounds] += static_cast<gex_Rank_t>(bytes / item_bytes);
}

// The items at positions [0, count), to the member 2^round before us, for whom they follow 2^round later.
void TeamGather::send(Thread& thread, unsigned parity, unsigned round, gex_Rank_t count,
                      std::size_t item_bytes) {
  const gex_Rank_t size = team_.size();
  const gex_Rank_t distance = gex_Rank_t{1} << round;
  const RankId target = team_.job_rank((team_.rank() + size - distance) % size);
  const auto at_once = static_cast<gex_Rank_t>(rank_.limits().max_medium / item_bytes);
  for (gex_Rank_t first = 0; first < count; first += at_once) {
    const std::int32_t args[] = {static_cast<std::int32_t>(team_.id), static_cast<std::int32_t>(parity),
                                 static_cast<std::int32_t>(round),
                                 static_cast<std::int32_t>(distance + first),
                                 static_cast<std::int32_t>(item_bytes)};
    am::Message message;
    message.category = am::Category::kMedium;
    message.handler = static_cast<std::uint8_t>(Internal::kTeamGather);
    message.nargs = 5;
    message.args = args;
    // What is sent has arrived in earlier rounds, so nobody writes there now.
    message.payload = mail_[parity].items.data() + first * item_bytes;
    message.payload_bytes = std::min(at_once, count - first) * item_bytes;
    core::send_request("team", thread, target, message, 0);
  }
}

void TeamGather::gather(Thread& thread, const void* mine, void* all, std::size_t item_bytes) {
  const unsigned parity = begun_++ % 2;
  const gex_Rank_t size = team_.size();
  store(parity, kMaxRounds - 1, 0, mine, item_bytes, item_bytes);
  Mail& mail = mail_[parity];
  for (unsigned round = 0; (gex_Rank_t{1} << round) < size; ++round) {
    const gex_Rank_t distance = gex_Rank_t{1} << round;
    const gex_Rank_t count = std::min(distance, size - distance);
    send(thread, parity, round, count, item_bytes);
    const auto is_complete = [&] {
      if (const core::Failures* const failures = rank_.failures(); failures && failures->breaks(team_))
          [[unlikely]]
        fatal("team", "rank %u has died; its team can no longer be divided", (*failures)[0]);
      const std::lock_guard guard(lock_);
      return mail.arrived[round] == count;
    };
    core::wait_until(thread, core::Scope::kAll, is_complete, [&](observe::WaitRecord& record) {
      record.kind = observe::WaitKind::kNewTeam;
      record.peer = team_.job_rank((team_.rank() + distance) % size);
    });
  }
  for (gex_Rank_t position = 0; position < size; ++position) {
    std::memcpy(static_cast<std::byte*>(all) + (team_.rank() + position) % size * item_bytes,
                mail.items.data() + position * item_bytes, item_bytes);
  }
  const std::lock_guard guard(lock_);
  mail = {};
}

}  // namespace aqueduct::extended
