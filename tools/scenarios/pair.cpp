#include "pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/context.hpp"
#include "base/fatal.hpp"
#include "base/types.hpp"
#include "conduit/registry/registry.hpp"
#include "world/world.hpp"

namespace aqueduct::scenarios {
namespace {

constexpr gex_AM_Index_t kRequest = GEX_AM_INDEX_BASE;
constexpr gex_AM_Index_t kReply = kRequest + 1;
constexpr gex_AM_Index_t kLongRequest = kRequest + 2;
constexpr gex_AM_Index_t kLongReply = kRequest + 3;
constexpr gex_AM_Index_t kArrival = kRequest + 4;
constexpr parts::Tag kTag = 5;
/// The same as in osu_bw.
constexpr unsigned kWindow = 64;
constexpr unsigned kWarmUp = 8;
/// Trains of an injection; the last one is measured.
constexpr unsigned kTrains = 2;
/// The sources of blocks.
constexpr std::uint64_t kInside = 1, kOutside = 2;

std::byte* next_page(std::byte* address) {
  return reinterpret_cast<std::byte*>(round_up(reinterpret_cast<std::uintptr_t>(address), kPage));
}

world::World& world() { return world::current(); }

bool has_portals() {
  const char* const name = std::getenv("AQUEDUCT_CONDUIT");
  const conduit::Description* const used = name ? conduit::find(name) : nullptr;
  return used && used->nic && std::strcmp(used->nic, "portals3") == 0;
}

}  // namespace

Pair::Pair(std::size_t largest)
    : me_(2 * round_up(largest, kPage), &state_, handlers_),
      outside_memory_(std::make_unique<std::byte[]>(largest + kPage)),
      outside_(next_page(outside_memory_.get())),
      largest_(largest) {
  if (me_.size() != 2) fatal("pair", "this is measured between 2 ranks, not %u: --nodes 2", me_.size());
  if (has_portals()) mpi_.emplace(me_.rank(), me_.size(), parts::PortalsMpi::Settings{});
  fill(me_.mine(), largest, me_.rank(), kInside);
  fill(outside_, largest, me_.rank(), kOutside);
  state_.reply_to = me_.at(0, round_up(largest, kPage));
  me_.barrier();
}

Pair::~Pair() { me_.barrier(); }

std::size_t Pair::max_medium() const {
  return std::min(gex_AM_MaxRequestMedium(me_.team(), 1, GEX_EVENT_NOW, 0, 0),
                  gex_AM_MaxReplyMedium(me_.team(), 1, GEX_EVENT_NOW, 0, 0));
}

std::vector<gex_AM_Entry_t> Pair::handlers() {
  return {{kRequest, reinterpret_cast<gex_AM_Fn_t>(on_request), GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0,
           nullptr, "request"},
          {kReply, reinterpret_cast<gex_AM_Fn_t>(on_reply), GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 0,
           nullptr, "reply"},
          {kLongRequest, reinterpret_cast<gex_AM_Fn_t>(on_long_request),
           GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 0, nullptr, "long request"},
          {kLongReply, reinterpret_cast<gex_AM_Fn_t>(on_long_reply), GEX_FLAG_AM_LONG | GEX_FLAG_AM_REPLY, 0,
           nullptr, "long reply"},
          {kArrival, reinterpret_cast<gex_AM_Fn_t>(on_arrival), GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 0,
           nullptr, "long request without reply"}};
}

void Pair::on_request(gex_Token_t token, void* payload, std::size_t bytes) {
  check("a request's payload", static_cast<std::byte*>(payload), bytes, 0, kInside);
  gex_AM_ReplyMedium0(token, kReply, payload, bytes, GEX_EVENT_NOW, 0);
}

void Pair::on_reply(gex_Token_t token, void* payload, std::size_t bytes) {
  check("a reply's payload", static_cast<std::byte*>(payload), bytes, 0, kInside);
  ++static_cast<State*>(Member::state_of(token))->replies;
}

void Pair::on_long_request(gex_Token_t token, void* payload, std::size_t bytes) {
  check("a long request's payload", static_cast<std::byte*>(payload), bytes, 0, kInside);
  gex_AM_ReplyLong0(token, kLongReply, payload, bytes, static_cast<State*>(Member::state_of(token))->reply_to,
                    GEX_EVENT_NOW, 0);
}

void Pair::on_long_reply(gex_Token_t token, void* payload, std::size_t bytes) {
  check("a long reply's payload", static_cast<std::byte*>(payload), bytes, 0, kInside);
  ++static_cast<State*>(Member::state_of(token))->replies;
}

void Pair::on_arrival(gex_Token_t token, void* payload, std::size_t bytes) {
  check("a long request's payload", static_cast<std::byte*>(payload), bytes, 0, kInside);
  ++static_cast<State*>(Member::state_of(token))->arrivals;
}

void Pair::puts(const std::byte* source, std::size_t bytes, unsigned count) {
  std::byte* const target = me_.at(1, round_up(largest_, kPage));
  for (unsigned i = 0; i < count; ++i) gex_RMA_PutBlocking(me_.team(), 1, target, source, bytes, 0);
}

void Pair::flood(std::size_t bytes, unsigned count) {
  std::byte* const target = me_.at(1, round_up(largest_, kPage));
  for (unsigned i = 0; i < count; ++i) {
    gex_RMA_PutNBI(me_.team(), 1, target, me_.mine(), bytes, GEX_EVENT_DEFER, 0);
  }
  gex_NBI_Wait(GEX_EC_PUT, 0);
}

void Pair::round_trips(std::size_t bytes, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t expected = state_.replies + 1;
    gex_AM_RequestMedium0(me_.team(), 1, kRequest, me_.mine(), bytes, GEX_EVENT_NOW, 0);
    GASNET_BLOCKUNTIL(state_.replies == expected);
  }
}

void Pair::long_round_trips(std::size_t bytes, unsigned count) {
  std::byte* const target = me_.at(1, round_up(largest_, kPage));
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t expected = state_.replies + 1;
    gex_AM_RequestLong0(me_.team(), 1, kLongRequest, me_.mine(), bytes, target, GEX_EVENT_NOW, 0);
    GASNET_BLOCKUNTIL(state_.replies == expected);
  }
}

double Pair::injection(std::size_t bytes, unsigned depth) {
  std::byte* const target = me_.at(1, round_up(largest_, kPage));
  double took_ns = 0;
  for (unsigned train = 0; train < kTrains; ++train) {
    if (leads()) {
      const std::uint64_t start_ns = world().clock().now_ns();
      for (unsigned i = 0; i < depth; ++i)
        gex_AM_RequestLong0(me_.team(), 1, kArrival, me_.mine(), bytes, target, GEX_EVENT_GROUP, 0);
      took_ns = static_cast<double>(world().clock().now_ns() - start_ns);
      gex_NBI_Wait(GEX_EC_AM, 0);
    } else {
      GASNET_BLOCKUNTIL(state_.arrivals == (train + 1) * static_cast<std::uint64_t>(depth));
    }
    me_.barrier();
  }
  state_.arrivals = 0;
  return took_ns / depth;
}

void Pair::finish(parts::Operation operation) {
  while (!mpi_->test(operation, nullptr)) world().rest("a message");
}

void Pair::ping_acks(std::size_t bytes, unsigned count) {
  const RankId other = 1 - me_.rank();
  for (unsigned i = 0; i < count; ++i) {
    const parts::Operation receive =
        leads() ? mpi_->irecv(nullptr, 0, other, kTag)
                : mpi_->irecv(me_.mine(round_up(largest_, kPage)), bytes, other, kTag);
    parts::Operation send = 0;
    if (leads()) send = mpi_->isend(me_.mine(), bytes, other, kTag);
    finish(receive);
    if (!leads()) send = mpi_->isend(nullptr, 0, other, kTag);
    finish(send);
  }
}

void Pair::messages(std::size_t bytes, unsigned count) {
  const RankId other = 1 - me_.rank();
  std::vector<parts::Operation> window;
  for (unsigned done = 0; done < count; done += kWindow) {
    window.clear();
    const unsigned now = std::min(kWindow, count - done);
    for (unsigned i = 0; i < now; ++i) {
      window.push_back(leads() ? mpi_->isend(me_.mine(), bytes, other, kTag)
                               : mpi_->irecv(me_.mine(round_up(largest_, kPage)), bytes, other, kTag));
    }
    for (const parts::Operation operation : window) finish(operation);
    finish(leads() ? mpi_->irecv(nullptr, 0, other, kTag) : mpi_->isend(nullptr, 0, other, kTag));
  }
}

void Pair::repeat(Pattern pattern, std::size_t bytes, unsigned count) {
  if (!mpi_ && (pattern == Pattern::kPingAck || pattern == Pattern::kMessageFlood))
    fatal("pair", "the minimal MPI runs over Portals: --conduit portals or mpi-portals");
  if (pattern == Pattern::kPingAck) return ping_acks(bytes, count);
  if (pattern == Pattern::kMessageFlood) return messages(bytes, count);
  if (!leads()) return;  // the other rank handles messages at the barrier
  switch (pattern) {
    case Pattern::kOutsidePut:
      return puts(outside_, bytes, count);
    case Pattern::kPutFlood:
      return flood(bytes, count);
    case Pattern::kRoundTrip:
      return round_trips(bytes, count);
    case Pattern::kLongRoundTrip:
      return long_round_trips(bytes, count);
    default:
      return puts(me_.mine(), bytes, count);
  }
}

double Pair::measure(Pattern pattern, std::size_t bytes, unsigned count) {
  std::byte* const landing = me_.mine(round_up(largest_, kPage));
  std::fill_n(landing, bytes, std::byte{0});
  me_.barrier();
  if (pattern == Pattern::kLongInjection) return injection(bytes, count);
  repeat(pattern, bytes, std::min(kWarmUp, count));
  const std::uint64_t start_ns = world().clock().now_ns();
  repeat(pattern, bytes, count);
  const auto took_ns = static_cast<double>(world().clock().now_ns() - start_ns);
  me_.barrier();
  if (!leads() && pattern != Pattern::kRoundTrip) {
    check("what was put", landing, bytes, 0, pattern == Pattern::kOutsidePut ? kOutside : kInside);
  }
  return took_ns / count;
}

namespace {

int measured(const Parameters& parameters, Pattern pattern, unsigned usual_rounds) {
  const std::size_t bytes = parameters.bytes_or(8);
  Pair pair(bytes);
  const double ns = pair.measure(pattern, bytes, parameters.rounds_or(usual_rounds));
  if (pair.leads()) {
    fmt::print("each          {:.3f} us, {:.1f} MB/s ({} bytes)\n", ns / 1e3,
               static_cast<double>(bytes) / ns * 1e3, bytes);
  }
  return 0;
}

}  // namespace

int put(const Parameters& parameters) { return measured(parameters, Pattern::kPut, 100); }
int outside_put(const Parameters& parameters) { return measured(parameters, Pattern::kOutsidePut, 100); }
int put_flood(const Parameters& parameters) { return measured(parameters, Pattern::kPutFlood, 1000); }
int round_trip(const Parameters& parameters) { return measured(parameters, Pattern::kRoundTrip, 100); }
int ping_ack(const Parameters& parameters) { return measured(parameters, Pattern::kPingAck, 100); }
int message_flood(const Parameters& parameters) { return measured(parameters, Pattern::kMessageFlood, 1024); }

}  // namespace aqueduct::scenarios
