// am-prepare: a Medium or Long request in two steps (Prepare, Commit) against the same request in one step.
// Each is answered by a Short reply, and the benchmark times the round trip. In every form the client first
// copies the payload to the memory that it is sent from: its own buffer, or the library's.
#include <fmt/format.h>

#include <cstring>

#include "am_ping_pong.hpp"
#include "limits.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

enum Handler : gex_AM_Index_t { kRequest = GEX_AM_INDEX_BASE, kReply };
/// Round trips before a form is timed, between neighbours: ranks learn when to look for an answer
/// (core/mailbox/poll_backoff.hpp), and what they learned from another form is wrong for this one.
constexpr std::uint64_t kFindPace = 8000;

enum class Form { kOneStep, kLibraryBuffer, kClientBuffer };

// Handlers find their state here; one thread of each rank runs them.
std::uint64_t requests_seen = 0;
std::uint64_t replies_seen = 0;

void see_request(gex_Token_t token, void*, std::size_t) {
  gex_AM_ReplyShort0(token, kReply, 0);
  ++requests_seen;
}
void see_reply(gex_Token_t) { ++replies_seen; }

struct Trip {
  Session& session;
  AmKind kind;
  Form form;
  const std::byte* origin;  ///< what the client writes
  std::byte* buffer;        ///< its own buffer
  std::size_t bytes;

  double operator()(std::uint64_t count) const {
    const std::uint64_t warm_up = session.pair_shares_memory() ? kFindPace : kWarmUp;
    if (session.serves()) serve(warm_up + count);
    if (!session.measures()) return 0;
    drive(warm_up);
    const Stopwatch watch;
    drive(count);
    return watch.ns();
  }

 private:
  static void serve(std::uint64_t count) {
    static std::uint64_t expected = 0;  // since the start of the job, as requests_seen is
    expected += count;
    GASNET_BLOCKUNTIL(requests_seen >= expected);
  }

  void drive(std::uint64_t count) const {
    const std::uint64_t start = replies_seen;
    for (std::uint64_t goal = start + 1; goal <= start + count; ++goal) {
      send();
      GASNET_BLOCKUNTIL(replies_seen >= goal);
    }
  }

  void send() const {
    const gex_TM_t team = session.team();
    const gex_Rank_t partner = session.partner();
    std::byte* const landing = session.data_of(partner);
    const bool is_long = kind == AmKind::kLong;
    if (form == Form::kOneStep) {
      std::memcpy(buffer, origin, bytes);
      if (is_long) {
        gex_AM_RequestLong0(team, partner, kRequest, buffer, bytes, landing, GEX_EVENT_NOW, 0);
      } else {
        gex_AM_RequestMedium0(team, partner, kRequest, buffer, bytes, GEX_EVENT_NOW, 0);
      }
      return;
    }
    const bool ours = form == Form::kClientBuffer;
    const void* offered = ours ? buffer : nullptr;
    gex_Event_t* const lc = ours ? GEX_EVENT_NOW : nullptr;
    const gex_AM_SrcDesc_t sd =
        is_long ? gex_AM_PrepareRequestLong(team, partner, offered, bytes, bytes, landing, lc, 0, 0)
                : gex_AM_PrepareRequestMedium(team, partner, offered, bytes, bytes, lc, 0, 0);
    std::memcpy(gex_AM_SrcDescAddr(sd), origin, bytes);
    if (is_long) {
      gex_AM_CommitRequestLong0(sd, kRequest, bytes, landing);
    } else {
      gex_AM_CommitRequestMedium0(sd, kRequest, bytes);
    }
  }
};

void check_least(const AmKind kind, Session& session, std::size_t bytes) {
  const std::size_t most = (kind == AmKind::kLong ? gex_AM_MaxRequestLong : gex_AM_MaxRequestMedium)(
      session.team(), GEX_RANK_INVALID, nullptr, GEX_FLAG_AM_PREPARE_LEAST_ALLOC, 0);
  if (bytes > most)
    throw Unsuitable(
        fmt::format("--sizes: a buffer of the library has at most {} bytes, not {}", most, bytes));
}

}  // namespace

Result run_am_prepare(Session& session, const Parameters& parameters) {
  const AmKind kind = am_kind(parameters.kind);
  for (const std::size_t size : parameters.sizes) check_least(kind, session, size);
  gex_AM_Entry_t handlers[] = {
      {kRequest, reinterpret_cast<gex_AM_Fn_t>(&see_request), GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST, 0,
       nullptr, nullptr},
      {kReply, reinterpret_cast<gex_AM_Fn_t>(&see_reply), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, nullptr,
       nullptr},
  };
  session.register_handlers(handlers);
  Result result{
      .title = fmt::format("{} request in two steps and its short reply, round trip", parameters.kind),
      .unit = "ns",
      .limit_name = "the same request in one step"};
  const PrivateMemory origin(window_bytes(parameters));
  const PrivateMemory buffer(window_bytes(parameters));
  for (const std::size_t size : parameters.sizes) {
    std::vector<Batch> batches;
    for (const Form form : {Form::kOneStep, Form::kLibraryBuffer, Form::kClientBuffer})
      batches.push_back(Trip{session, kind, form, origin.data(), buffer.data(), size});
    const auto times = interleave(session, parameters.repetitions, batches);
    result.rows.push_back({.size = size, .value = times[1], .limit = times[0], .what = "library's buffer"});
    result.rows.push_back({.size = size, .value = times[2], .limit = times[0], .what = "client's buffer"});
  }
  return result;
}

}  // namespace aqueduct::bench
