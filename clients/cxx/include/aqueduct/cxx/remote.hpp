// The side of the rank that is called: reads a function and its arguments, runs it, answers.
#ifndef AQUEDUCT_CXX_REMOTE_HPP_
#define AQUEDUCT_CXX_REMOTE_HPP_

#include <typeinfo>

#include "aqueduct/cxx/incoming.hpp"
#include "aqueduct/cxx/remotable.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

template <class D>
struct ObjectOf {
  static constexpr bool value = false;
};
template <class T>
struct ObjectOf<ObjectName<T>> {
  static constexpr bool value = true;
};

inline void* find_object(Context& context, std::uint64_t number) {
  const std::lock_guard lock(context.objects_lock);
  const auto found = context.objects.find(number);
  return found == context.objects.end() ? nullptr : found->second;
}

// A call that needs an object which this rank has not made yet; what runs in the loop when it has.
inline void call_early(Context& context, std::uint64_t number, Deferred* call) {
  {
    const std::lock_guard lock(context.objects_lock);
    if (context.objects.contains(number)) return this_loop(context).push(call);
    const auto made = context.objects_made.find(static_cast<std::uint32_t>(number >> 32));
    if (made == context.objects_made.end() || static_cast<std::uint32_t>(number) > made->second) {
      context.early_calls[number].push_back(call);
      return;
    }
  }
  call->run = [](Work* work) {
    Deferred* const self = static_cast<Deferred*>(work);
    self->incoming.fail("the distributed object has been destroyed");
    release_pooled(self);
  };
  this_loop(context).push(call);
}

// Runs a call that was kept, in the loop.
inline void run_deferred(Work* work) {
  Deferred* const self = static_cast<Deferred*>(work);
  {
    const HandlerDepth depth(self->incoming.context);
    self->incoming.function->invoke(self->incoming);
  }
  release_pooled(self);
}

// Runs a function of type F with arguments that travel as D...
template <class F, class... D>
class Remote {
 public:
  static void invoke(Incoming& in) {
    if constexpr (IsTask<Returned<F, D...>>::value) {
      // It may wait and send, and so runs in the loop.
      later(in.kept());
    } else {
      reader from(in.payload, in.size);
      if constexpr ((ObjectOf<D>::value || ...)) {
        if (const std::uint64_t missing = missing_object(in)) return wait_for(missing, in);
      }
      // Answers are sent behind the catch clause: a simulated rank may wait there, and others would throw
      // meanwhile.
      std::string wrong;
      try {
        F function = read_function(from);
        if constexpr (std::is_void_v<Returned<F, D...>>) {
          apply(in.context, function, from);
          in.answer();
        } else {
          in.answer(apply(in.context, function, from));
        }
        return;
      } catch (...) {
        wrong = text_of(std::current_exception());
      }
      in.fail(wrong);
    }
  }

 private:
  static F read_function(reader& from) {
    if constexpr (std::is_empty_v<F>) {
      return std::bit_cast<F>(std::array<unsigned char, sizeof(F)>{});
    } else {
      std::array<unsigned char, sizeof(F)> bytes;
      std::memcpy(bytes.data(), from.bytes(sizeof(F)), sizeof(F));
      return std::bit_cast<F>(bytes);
    }
  }

  template <class One>
  static Given<F, One, D...> read_argument(Context& context, reader& from) {
    if constexpr (ObjectOf<One>::value) {
      using T = std::remove_reference_t<typename AsView<One>::type>;
      return *static_cast<T*>(find_object(context, from.read<One>().number));
    } else if constexpr (Range<One>) {
      return {read_view<One>(from)};
    } else {
      return from.read<One>();
    }
  }

  // Arguments are read from left to right: those in braces are evaluated in order.
  struct Arguments {
    std::tuple<Given<F, D, D...>...> values;
  };
  static Arguments read_arguments(Context& context, reader& from) {
    (void)context;
    (void)from;
    return {std::tuple<Given<F, D, D...>...>{read_argument<D>(context, from)...}};
  }
  static decltype(auto) apply(Context& context, F& function, reader& from) {
    return std::apply(function, read_arguments(context, from).values);
  }

  // The first distributed object among the arguments that this rank has not made yet; 0 if there is none.
  // Names of objects stand where the arguments do, so all before them are read, too.
  static std::uint64_t missing_object(Incoming& in) {
    reader from(in.payload, in.size);
    read_function(from);
    std::uint64_t missing = 0;
    (void)(look_at<D>(in.context, from, missing) && ...);
    return missing;
  }
  template <class One>
  static bool look_at(Context& context, reader& from, std::uint64_t& missing) {
    if constexpr (ObjectOf<One>::value) {
      const std::uint64_t number = from.read<One>().number;
      if (!find_object(context, number)) missing = number;
    } else if constexpr (Range<One>) {
      read_view<One>(from);
    } else {
      from.read<One>();
    }
    return missing == 0;
  }
  static void wait_for(std::uint64_t number, Incoming& in) {
    Context& context = in.context;
    Deferred* const deferred = make_pooled<Deferred>(in.kept());
    deferred->run = run_deferred;
    call_early(context, number, deferred);
  }

  static void later(Incoming&& in) {
    Context& context = in.context;
    Deferred* const deferred = make_pooled<Deferred>(std::move(in));
    deferred->run = [](Work* work) {
      Deferred* const self = static_cast<Deferred*>(work);
      if constexpr ((ObjectOf<D>::value || ...)) {
        if (const std::uint64_t missing = missing_object(self->incoming)) {
          return call_early(self->incoming.context, missing, self);
        }
      }
      run_task(std::move(self->incoming));
      release_pooled(self);
    };
    this_loop(context).push(deferred);
  }
  static Detached run_task(Incoming in) {
    std::exception_ptr error;
    try {
      reader from(in.payload, in.size);
      F function = read_function(from);
      Arguments arguments = read_arguments(in.context, from);
      if constexpr (std::is_void_v<AnswerType<F, D...>>) {
        co_await std::apply(function, arguments.values);
        in.answer();
      } else {
        in.answer(co_await std::apply(function, arguments.values));
      }
    } catch (...) {
      error = std::current_exception();
    }
    if (error) in.fail(text_of(error));
  }
};

template <class F, class... D>
inline Function function_entry{&Remote<F, D...>::invoke, typeid(Remote<F, D...>).name()};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
