// aggregator: many small messages to many ranks, packed into few.
//
//   aqueduct::aggregator updates{job, [&](std::uint64_t at, std::uint64_t with) { table[at] ^= with; }};
//   for (...) updates.send(owner, at, with);
//   co_await updates.quiesce();
//
// Members make it in the same order, each with a function of its own, which may capture what it likes: it
// runs where a message arrives, once for each send(), may send() on, and may not wait. A message to oneself
// may run inside send(). Its parameters are the types that travel: views and strings where it takes them by
// value or reference, and whatever call() takes. Plain values of constant size are packed side by side, and
// the function is inlined into the loop over a packet. One that is copied trivially and can be called as
// const is copied for each packet, so it does not count on changes of members that are `mutable`.
//
// Where the function touches memory that is rarely in a cache, with_prefetch(function, place) says where:
// `place` takes the same parameters and answers the address, which is fetched some messages ahead. So up to
// 32 messages wait at their rank for further ones; they run at the latest when that rank waits or makes
// progress.
//
// Memory: a rank has a pool of buffers, however many ranks there are. A buffer belongs to one destination
// while it is being filled, and is sent when it is full, when it is the oldest and another destination needs
// one, when it is older than the deadline and its rank waits or makes progress, and in quiesce(). The pool
// grows only where functions that messages run send on: there nothing may be sent at once.
//
// Threads (-DGASNET_PAR): any thread sends. Functions run on any thread that sends or waits, one packet at a
// time. The deadline is looked after by the thread that has made the aggregator, while it waits.
#ifndef AQUEDUCT_CXX_AGGREGATOR_HPP_
#define AQUEDUCT_CXX_AGGREGATOR_HPP_

#include <array>
#include <bit>

#include "aqueduct/cxx/aggregator_buffers.hpp"
#include "aqueduct/cxx/distributed.hpp"
#include "aqueduct/cxx/when.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

// A function and the address that it will touch.
template <class F, class Place>
struct prefetching : F {
  prefetching(F function, Place of) : F(std::move(function)), place(std::move(of)) {}
  using F::operator();
  Place place;
};

// `place(arguments...)` answers the address that `function(arguments...)` changes; it may run for messages
// that do not come next, so it only computes.
template <class F, class Place>
prefetching<F, Place> with_prefetch(F function, Place place) {
  return {std::move(function), std::move(place)};
}

namespace detail {

// The parameter types of a function object, as they travel.
template <class F>
struct ParametersOf : ParametersOf<decltype(&F::operator())> {};
template <class C, class R, class... P>
struct ParametersOf<R (C::*)(P...) const> {
  template <template <class...> class To>
  using into = To<std::decay_t<P>...>;
};
template <class C, class R, class... P>
struct ParametersOf<R (C::*)(P...)> : ParametersOf<R (C::*)(P...) const> {};

}  // namespace detail

template <class F>
class aggregator : detail::AggregatorBase {
  template <class... D>
  struct Packing {
    static constexpr bool kFixed = (detail::kFixedSize<D> && ...);
    static constexpr std::size_t kSize = sizeof...(D) ? (0 + ... + sizeof(D)) : 1;
    static constexpr bool kPrefetches = kFixed && requires(F function) { function.place; };
    static constexpr std::size_t kHeld = std::bit_floor(std::clamp<std::size_t>(2048 / kSize, 1, 32));
    // Whether a copy of the function does for all records of a packet.
    static constexpr bool kConstant = std::is_trivially_copyable_v<F> &&
                                      std::is_trivially_copy_constructible_v<F> &&
                                      requires(const F& function, const D&... values) {
      function(values...);
    };

    static std::size_t size(const D&... values) {
      writer count;
      (count(values), ...);
      // The next one begins where everything is aligned.
      return (count.size() + 7) / 8 * 8;
    }

    static std::uint64_t run(aggregator& self, const std::byte* at, std::size_t bytes) {
      if constexpr (kFixed) {
        return run_fixed(self, at, at + bytes);
      } else {
        F& function = self.function_;
        reader from(at, bytes);
        std::uint64_t count = 0;
        for (; from.left(); ++count) {
          const std::size_t before = from.left();
          std::apply(function, std::tuple<typename detail::AsView<D>::type...>{read_one<D>(from)...});
          from.align(8);
          if (from.left() == before) from.bytes(8);
        }
        return count;
      }
    }

   private:
    static std::uint64_t run_fixed(aggregator& self, const std::byte* at, const std::byte* const end) {
      const std::uint64_t count = static_cast<std::size_t>(end - at) / kSize;
      // In registers, as it cannot change.
      std::conditional_t<kConstant, const F, F&> function = self.function_;
      if constexpr (kPrefetches) return run_ahead(self, function, at, end);
      for (; at != end; at += kSize) with(function, at);
      return count;
    }
    // A record runs when kHeld further ones have come, whose memory was asked for meanwhile. So the last ones
    // of a packet wait for theirs while this rank sends.
    template <class G>
    static std::uint64_t run_ahead(aggregator& self, G& function, const std::byte* at,
                                   const std::byte* const end) {
      const std::size_t come = static_cast<std::size_t>(end - at) / kSize;
      const std::size_t before = self.held_, ready = before + come > kHeld ? before + come - kHeld : 0;
      std::byte* const held = self.ahead_.records[0];
      const std::byte* ahead = at;
      if (come < kHeld) {
        for (; ahead != end; ahead += kSize) fetch(function, ahead);
        for (std::size_t i = 0; i < ready; ++i) with(function, held + i * kSize);
        std::memmove(held, held + ready * kSize, (before - ready) * kSize);
        std::memcpy(held + (before - ready) * kSize, at, come * kSize);
      } else {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < before; ++i, ahead += kSize) {
          fetch(function, ahead);
          with(function, held + i * kSize);
        }
        for (; ahead != at + kHeld * kSize; ahead += kSize) fetch(function, ahead);
#pragma GCC unroll 4
        for (; ahead != end; ahead += kSize, at += kSize) {
          fetch(function, ahead);
          with(function, at);
        }
        std::memcpy(held, at, kHeld * kSize);
      }
      self.held_ = before + come - ready;
      return ready;
    }

   public:
    static std::uint64_t run_held(aggregator& self) {
      const std::size_t count = std::exchange(self.held_, 0);
      for (std::size_t i = 0; i < count; ++i) with(self.function_, self.ahead_.records[i]);
      return count;
    }

   private:
    template <class G>
    [[gnu::always_inline]] static void fetch(G& function, const std::byte* at) {
      __builtin_prefetch(with(function.place, at), 1);
    }
    // Calls g with the values at `at`.
    template <class G>
    [[gnu::always_inline]] static decltype(auto) with(G& g, const std::byte* at) {
      return at_places(g, at, std::index_sequence_for<D...>());
    }
    template <class G, std::size_t... kPlace>
    [[gnu::always_inline]] static decltype(auto) at_places(G& g, [[maybe_unused]] const std::byte* at,
                                                           std::index_sequence<kPlace...>) {
      return g(value_at<D>(at + kOffsets[kPlace])...);
    }
    static constexpr auto kOffsets = [] {
      std::array<std::size_t, sizeof...(D) + 1> offsets{};
      std::size_t at = 0, place = 0;
      ((offsets[place++] = at, at += sizeof(D)), ...);
      return offsets;
    }();
    template <class One>
    [[gnu::always_inline]] static One value_at(const std::byte* at) {
      if constexpr (std::is_default_constructible_v<One>) {
        One value;
        std::memcpy(&value, at, sizeof value);
        return value;
      } else {
        return reader(at, sizeof(One)).template read<One>();
      }
    }
    template <class One>
    static typename detail::AsView<One>::type read_one(reader& from) {
      if constexpr (detail::Range<One>) {
        return detail::read_view<One>(from);
      } else {
        return from.read<One>();
      }
    }
  };
  using Packed = typename detail::ParametersOf<F>::template into<Packing>;
  static constexpr std::size_t kRecordBytes = Packed::kFixed ? Packed::kSize : 0;

 public:
  aggregator(team& members, F function, const aggregator_options& options = {})
      : AggregatorBase(members, options, kRecordBytes,
                       [](AggregatorBase& base, const std::byte* first, std::size_t bytes) {
                         auto& self = static_cast<aggregator&>(base);
                         std::uint64_t count = 0;
                         if (!Packed::kPrefetches || bytes != 0) count = Packed::run(self, first, bytes);
                         if constexpr (Packed::kPrefetches) {
                           if (detail::kThreads || bytes == 0) count += Packed::run_held(self);
                         }
                         return count;
                       }),
        function_(std::move(function)),
        name_(members, receiver()) {
    begin(name_.number());
  }

  // To a rank of the team, itself included.
  template <class... A>
  [[gnu::always_inline]] void send(rank_t member, const A&... values) {
    put(member, Packed{}, values...);
  }

  // Collective: when all messages of all members have run, and those that they have sent, and so on.
  task<> quiesce() {
    // Twice the same: as many were run as were sent, and nobody has sent anything in between.
    std::uint64_t before = ~std::uint64_t{0};
    for (;;) {
      flush();
      const aggregator_statistics mine = statistics();
      std::uint64_t both[] = {mine.sent, mine.run};
      co_await members_.reduce_all(std::span(both), std::plus<>());
      if (both[0] == both[1] && both[0] == before) co_return;
      before = both[0] == both[1] ? both[0] : ~std::uint64_t{0};
      if (both[0] != both[1]) co_await yield();
    }
  }

  // Sends what there is, without waiting for it.
  using AggregatorBase::flush;
  // Messages that this rank has sent, that have run here, and how many packets it took.
  using AggregatorBase::statistics;

 private:
  template <class... D>
  [[gnu::always_inline]] void put(rank_t member, Packing<D...>, const std::type_identity_t<D>&... values) {
    (detail::check_sendable<D>(), ...);
    const std::lock_guard hold(lock());
    if constexpr (kRecordBytes) {
      std::byte* there = room_for_equal(member, kRecordBytes);
      ((std::memcpy(there, &values, sizeof values), there += sizeof values), ...);
    } else {
      const std::size_t size = std::max(Packing<D...>::size(values...), std::size_t{8});
      std::byte* const there = room(member, size);
      count_one();
      writer to(there);
      (to(values), ...);
      std::memset(there + to.size(), 0, size - to.size());
    }
  }

  // Records whose memory is being fetched, the oldest first.
  struct Ahead {
    alignas(8) std::byte records[Packed::kHeld][Packed::kSize];
  };
  struct Nothing {};

  F function_;
  [[no_unique_address]] std::conditional_t<Packed::kPrefetches, Ahead, Nothing> ahead_;
  detail::NamedObject name_;
};

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
