// aggregator: many small messages to many ranks, packed into few.
//
//   aqueduct::aggregator updates{job, [&](std::uint64_t at, std::uint64_t with) { table[at] ^= with; }};
//   for (...) updates.send(owner, at, with);
//   co_await updates.quiesce();
//
// Members make it in the same order, each with a function of its own, which may capture what it likes: it
// runs where a message arrives, once for each send(), may send() on, and may not wait. A message to oneself
// may run inside send(). Its parameters are the types that travel: views and strings where it takes them by
// value or reference, and whatever call() takes.
//
// Memory: a rank has a pool of buffers, however many ranks there are. A buffer belongs to one destination
// while it is being filled, and is sent when it is full, when it is the oldest and another destination needs
// one, when it is older than the deadline and its rank waits or makes progress, and in quiesce(). The pool
// grows only where functions that messages run send on: there nothing may be sent at once.
#ifndef AQUEDUCT_CXX_AGGREGATOR_HPP_
#define AQUEDUCT_CXX_AGGREGATOR_HPP_

#include "aqueduct/cxx/aggregator_buffers.hpp"
#include "aqueduct/cxx/distributed.hpp"
#include "aqueduct/cxx/when.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

struct aggregator_options {
  std::size_t buffer_bytes = 4096;             // of a message
  std::size_t buffers = 256;                   // of a rank
  std::chrono::nanoseconds deadline{200'000};  // how long a buffer may wait for more
};

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
  static_assert(!detail::kThreads, "an aggregator is for programs of one thread: compile with -DGASNET_SEQ");

  template <class... D>
  struct Packing {
    static constexpr bool kFixed = (detail::kFixedSize<D> && ...);
    static constexpr std::size_t kSize = (0 + ... + sizeof(D));
    static std::size_t size(const D&... values) {
      writer count;
      (count(values), ...);
      // The next one begins where everything is aligned.
      return (count.size() + 7) / 8 * 8;
    }
    static void run(F& function, reader& from) {
      std::apply(function, std::tuple<typename detail::AsView<D>::type...>{read_one<D>(from)...});
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

 public:
  aggregator(team& members, F function, const aggregator_options& options = {})
      : AggregatorBase(members, options.buffer_bytes, options.buffers, options.deadline),
        function_(std::move(function)) {
    run_records = [](AggregatorBase& base, reader& from) {
      aggregator& self = static_cast<aggregator&>(base);
      std::uint64_t count = 0;
      while (from.left()) {
        Packed::run(self.function_, from);
        if constexpr (!Packed::kFixed) from.align(8);
        ++count;
      }
      return count;
    };
    name_.emplace(members, static_cast<AggregatorBase*>(this));
    name_in_packets_ = name_->number();
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
      std::uint64_t both[] = {sent_, run_};
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
    ++sent_;
    if constexpr (std::is_invocable_v<F&, const D&...>) {
      if (member == me() && !running_) return run_here(values...);
    }
    std::size_t size;
    if constexpr (Packing<D...>::kFixed) {
      size = Packing<D...>::kSize;
    } else {
      size = Packing<D...>::size(values...);
    }
    std::byte* const there = room(member, size);
    writer to(there);
    (to(values), ...);
    if constexpr (!Packing<D...>::kFixed) std::memset(there + to.size(), 0, size - to.size());
  }

  template <class... D>
  [[gnu::always_inline]] void run_here(const D&... values) {
    running_ = 1;
    function_(values...);
    running_ = 0;
    // Others must be heard, too.
    if (++run_ % 256 == 0 && detail::HandlerDepth::get(here_) == 0) gasnet_AMPoll();
  }

  F function_;
  std::optional<detail::NamedObject> name_;
};

}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
