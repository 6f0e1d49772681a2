// injection: the cost of starting an operation for the initiator, by the number it starts before it waits for
// them.
//
// A train of `depth` operations is injected and timed; then it is drained, and draining is not timed. The
// cost of reading the clock is measured in the same run and subtracted, because a train of one is shorter
// than that.
//
// Long messages are injected with local completion in a group, which leaves their payloads to the network; a
// row with GEX_EVENT_NOW shows what that saves.
#include <fmt/format.h>

#include <cstring>

#include "limits.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"
#include "transfer.hpp"

namespace aqueduct::bench {
namespace {

constexpr unsigned kDeepest = 256;

enum Handler : gex_AM_Index_t { kMessage = GEX_AM_INDEX_BASE, kPayload, kTrainSeen };

// Handlers find their state here; one thread of each rank runs them.
std::uint64_t messages_seen = 0;
std::uint64_t messages_expected = 0;
std::uint64_t trains_answered = 0;

void see_message(gex_Token_t token, gex_AM_Arg_t last) {
  ++messages_seen;
  if (last != 0) gex_AM_ReplyShort0(token, kTrainSeen, 0);
}

void see_payload(gex_Token_t token, void*, std::size_t, gex_AM_Arg_t last) { see_message(token, last); }

void see_answer(gex_Token_t) { ++trains_answered; }

/// Times `inject()` once for every train, `drain()` after each; returns nanoseconds for all trains together.
template <typename Inject, typename Drain>
double time_trains(const TickScale& scale, std::uint64_t trains, Inject inject, Drain drain) {
  std::uint64_t sum = 0;
  for (std::uint64_t train = 0; train < trains; ++train) {
    const std::uint64_t start = ticks();
    inject();
    sum += ticks() - start;
    drain();
  }
  return scale.ns(sum, trains);
}

/// The state of trains.
struct Trains {
  Session& session;
  TickScale scale;
  unsigned depth;
  CopyPlan plan;  ///< with the partner's own addresses on the remote side; for plain copies with ours

  double puts(std::uint64_t count) const {
    return time_trains(
        scale, count,
        [this] {
          for (unsigned i = 0; i < depth; ++i) {
            const std::size_t offset = i % plan.slots * plan.stride;
            gex_RMA_PutNBI(session.team(), session.partner(), plan.to + offset,
                           const_cast<std::byte*>(plan.from + offset), plan.bytes, GEX_EVENT_DEFER, 0);
            keep_memory();
          }
        },
        [] { gex_NBI_Wait(GEX_EC_PUT, 0); });
  }

  double gets(std::uint64_t count) const {
    return time_trains(
        scale, count,
        [this] {
          for (unsigned i = 0; i < depth; ++i) {
            const std::size_t offset = i % plan.slots * plan.stride;
            gex_RMA_GetNBI(session.team(), plan.to + offset, session.partner(),
                           const_cast<std::byte*>(plan.from + offset), plan.bytes, 0);
            keep_memory();
          }
        },
        [] { gex_NBI_Wait(GEX_EC_GET, 0); });
  }

  double plain_copies(std::uint64_t count) const {
    return time_trains(
        scale, count,
        [this] {
          for (unsigned i = 0; i < depth; ++i) {
            const std::size_t offset = i % plan.slots * plan.stride;
            std::memcpy(plan.to + offset, plan.from + offset, plan.bytes);
            keep_memory();
          }
        },
        [] {});
  }

  double shorts(std::uint64_t count) const {
    return messages(count, [this](unsigned, gex_AM_Arg_t last) {
      gex_AM_RequestShort1(session.team(), session.partner(), kMessage, 0, last);
    });
  }

  /// `lc`: GEX_EVENT_NOW or GEX_EVENT_GROUP.
  double longs(std::uint64_t count, gex_Event_t* lc) const {
    return messages(count, [this, lc](unsigned i, gex_AM_Arg_t last) {
      const std::size_t offset = i % plan.slots * plan.stride;
      gex_AM_RequestLong1(session.team(), session.partner(), kPayload,
                          const_cast<std::byte*>(plan.from + offset), plan.bytes, plan.to + offset, lc, 0,
                          last);
    });
  }

 private:
  /// `send(i, last)` sends one message of a train.
  template <typename Send>
  double messages(std::uint64_t count, Send send) const {
    if (session.serves()) {
      messages_expected += count * depth;
      GASNET_BLOCKUNTIL(messages_seen >= messages_expected);
    }
    if (!session.measures()) return 0;
    std::uint64_t answers = trains_answered;
    return time_trains(
        scale, count,
        [this, &send] {
          for (unsigned i = 1; i <= depth; ++i) send(i, i == depth ? 1 : 0);
        },
        [&answers] {
          ++answers;
          GASNET_BLOCKUNTIL(trains_answered >= answers);
          gex_NBI_Wait(GEX_EC_AM, 0);
        });
  }
};

Batch train_batch(const Trains& trains, const std::string& kind) {
  return [trains, kind](std::uint64_t count) {
    if (kind == "short") return trains.shorts(count);
    if (kind == "long") return trains.longs(count, GEX_EVENT_GROUP);
    if (!trains.session.measures()) return 0.0;
    return kind == "get" ? trains.gets(count) : trains.puts(count);
  };
}

Batch waiting_train_batch(const Trains& trains) {
  return [trains](std::uint64_t count) { return trains.longs(count, GEX_EVENT_NOW); };
}

Batch plain_train_batch(const Trains& trains) {
  return
      [trains](std::uint64_t count) { return trains.session.measures() ? trains.plain_copies(count) : 0.0; };
}

void register_handlers(Session& session) {
  gex_AM_Entry_t handlers[] = {
      {kMessage, reinterpret_cast<gex_AM_Fn_t>(see_message), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1,
       nullptr, nullptr},
      {kPayload, reinterpret_cast<gex_AM_Fn_t>(see_payload), GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 1,
       nullptr, nullptr},
      {kTrainSeen, reinterpret_cast<gex_AM_Fn_t>(see_answer), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0,
       nullptr, nullptr},
  };
  session.register_handlers(handlers);
}

}  // namespace

Result run_injection(Session& session, const Parameters& parameters) {
  // Shorter batches, because only a part of a batch's time is injection.
  constexpr double kInjectionBatchNs = 50'000;
  const bool is_short = parameters.kind == "short";
  const bool is_long = parameters.kind == "long";
  const bool has_limit = is_long || (!is_short && session.pair_shares_memory());
  Result result{.title = is_short || is_long
                             ? fmt::format("injecting {} active messages, time per message", parameters.kind)
                             : fmt::format("injecting {0}s, time per {0}", parameters.kind),
                .unit = "ns",
                .limit_name = is_long     ? "waiting in each call until its payload is free (GEX_EVENT_NOW)"
                              : has_limit ? "plain copies between the same buffers"
                                          : ""};
  register_handlers(session);
  const TickScale scale = TickScale::measure();
  const PrivateMemory memory(window_bytes(parameters));
  const bool get = parameters.kind == "get";
  for (const std::size_t size : parameters.sizes) {
    const Window window(size);
    for (unsigned depth = 1; depth <= kDeepest; depth *= 2) {
      const auto trains_over = [&](std::byte* remote) {
        return Trains{.session = session,
                      .scale = scale,
                      .depth = depth,
                      .plan = {.to = get ? memory.data() : remote,
                               .from = get ? remote : memory.data(),
                               .bytes = size,
                               .stride = window.stride,
                               .slots = window.slots}};
      };
      std::vector<Batch> batches{
          train_batch(trains_over(session.data_of(session.partner())), parameters.kind)};
      if (is_long)
        batches.push_back(waiting_train_batch(trains_over(session.data_of(session.partner()))));
      else if (has_limit)
        batches.push_back(plain_train_batch(trains_over(session.mapped_data_of(session.partner()))));
      const auto times = interleave(session, parameters.repetitions, batches, kInjectionBatchNs);
      Row row{.size = is_short ? 0 : size,
              .value = times[0].scaled(1.0 / depth),
              .limit = has_limit ? std::optional(times[1].scaled(1.0 / depth)) : std::nullopt,
              .what = fmt::format("{} at once", depth)};
      row.more["depth"] = depth;
      result.rows.push_back(std::move(row));
    }
  }
  result.notes.push_back(
      fmt::format("Reading the clock takes {:.1f} ns; that much was subtracted from every train.",
                  scale.empty_interval_ticks * scale.ns_per_tick));
  return result;
}

}  // namespace aqueduct::bench
