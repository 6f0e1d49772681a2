#include "sim/fiber.hpp"

#include <cxxabi.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"
#include "sim/engine/sanitizer.hpp"
#include "sim/engine/stack_pool.hpp"
#include "sim/host.hpp"

namespace aqueduct::sim {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constinit thread_local Fiber* current_fiber = nullptr;

// Not inlined: a caller must not keep the address of what is thread-local while the thread pointer changes.
[[gnu::noinline]] void becomes_current(Fiber* fiber) { current_fiber = fiber; }

}  // namespace

struct Fiber::Machine {
  // The C++ runtime's state of exceptions, which is per thread; a fiber may wait inside a catch block.
  struct Exceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;

    void exchange() {
      void* globals = abi::__cxa_get_globals();
      Exceptions now;
      std::memcpy(&now.caught, globals, sizeof now.caught);
      std::memcpy(&now.uncaught, static_cast<std::byte*>(globals) + sizeof now.caught, sizeof now.uncaught);
      std::memcpy(globals, &caught, sizeof caught);
      std::memcpy(static_cast<std::byte*>(globals) + sizeof caught, &uncaught, sizeof uncaught);
      *this = now;
    }
  };

  Stack stack;
  fcontext_t fiber = nullptr;       // where the fiber goes on
  fcontext_t event_loop = nullptr;  // where the event loop goes on, while the fiber runs
  Exceptions exceptions;
  SanitizedStack sanitized;

  // Run on the fiber's stack.
  static void enter(transfer_t from) {
    auto* fiber = static_cast<Fiber*>(from.data);
    fiber->machine_->event_loop = from.fctx;
    fiber->machine_->sanitized.arrived_in_fiber();
    try {
      fiber->main_();
    } catch (...) {
      fatal("simulation", "an exception has left fiber '%s'", fiber->name_.c_str());
    }
    fiber->end();
  }

  void leave(bool for_ever) {
    sanitized.leaves_fiber(for_ever);
    const transfer_t back = jump_fcontext(event_loop, nullptr);
    sanitized.arrived_in_fiber();
    event_loop = back.fctx;
  }
};

Fiber::Fiber(Fibers& owner, Host& host, std::string name, std::function<void()> main)
    : owner_(owner), host_(host), name_(std::move(name)), main_(std::move(main)) {}

Fiber* Fiber::current() { return current_fiber; }

const void* Fiber::saved_registers() const { return machine_ ? machine_->fiber : nullptr; }

void Fiber::give_way() {
  machine_->leave(false);
  if (surroundings_) surroundings_->resumed();
}

void Fiber::sleep_until(Time when) {
  state_ = State::kReady;
  owner_.resume_at(*this, when);
  give_way();
}

void Fiber::park(const char* why) {
  state_ = State::kParked;
  why_ = why;
  ++parkings_;
  give_way();
}

void Fiber::park_until(Time deadline, const char* why) {
  Fiber* const self = this;
  const std::uint32_t parking = parkings_ + 1;
  owner_.engine_.at(deadline, {kFiberRuns, host_.node()}, [self, parking] {
    if (self->parkings_ == parking) self->wake();
  });
  park(why);
}

void Fiber::end() {
  state_ = State::kEnded;
  machine_->leave(true);
  __builtin_unreachable();
}

void Fiber::wake() {
  if (state_ != State::kParked) return;
  state_ = State::kReady;
  why_ = nullptr;
  owner_.resume_at(*this, owner_.engine_.now());
}

Fibers::Fibers(Engine& engine, std::size_t stack_bytes)
    : engine_(engine), stacks_(std::make_unique<StackPool>(stack_bytes)) {}

Fibers::Fibers(Engine& engine, std::size_t stack_bytes, std::size_t most_guarded)
    : engine_(engine), stacks_(std::make_unique<StackPool>(stack_bytes, most_guarded)) {}

Fibers::~Fibers() = default;

Fiber& Fibers::start(Host& host, std::string name, std::function<void()> main,
                     Fiber::Surroundings* surroundings) {
  fibers_.push_back(std::unique_ptr<Fiber>(new Fiber(*this, host, std::move(name), std::move(main))));
  Fiber& fiber = *fibers_.back();
  fiber.surroundings_ = surroundings;
  fiber.machine_ = std::make_unique<Fiber::Machine>();
  fiber.machine_->stack = stacks_->take();
  fiber.machine_->sanitized.begins(fiber.machine_->stack.top, fiber.machine_->stack.bytes);
  ++live_;
  resume_at(fiber, engine_.now());
  return fiber;
}

void Fibers::resume_at(Fiber& fiber, Time when) {
  Fiber* const which = &fiber;
  engine_.at(fiber.host_.can_run_at(when), {kFiberRuns, fiber.host_.node()},
             [which] { which->owner_.resume(*which); });
}

void Fibers::resume(Fiber& fiber) {
  // The host may have been interrupted, frozen or lost since this was planned.
  if (fiber.host_.crashed() && !fiber.ended()) has_abandoned_some_ = true;
  if (fiber.host_.crashed() || fiber.ended()) return;
  if (fiber.host_.can_run_at(engine_.now()) != engine_.now()) {
    resume_at(fiber, engine_.now());
    return;
  }
  Fiber::Machine& machine = *fiber.machine_;
  if (!machine.fiber)
    machine.fiber = make_fcontext(machine.stack.top, machine.stack.bytes, Fiber::Machine::enter);
  Fiber* const before = std::exchange(current_fiber, &fiber);
  fiber.state_ = Fiber::State::kRunning;
  fiber.why_ = nullptr;
  std::swap(current_context, fiber.context_);
  machine.exceptions.exchange();
  machine.sanitized.leaves_loop(machine.stack.top, machine.stack.bytes);
  if (fiber.surroundings_) {
    fiber.surroundings_->enter();
    becomes_current(&fiber);
  }
  machine.fiber = jump_fcontext(machine.fiber, &fiber).fctx;
  if (fiber.surroundings_) fiber.surroundings_->leave();
  machine.sanitized.arrived_in_loop();
  machine.exceptions.exchange();
  std::swap(current_context, fiber.context_);
  current_fiber = before;
  // The saved registers lie on its stack as well.
  if (StackPool::has_overflowed(machine.stack) || machine.fiber < machine.stack.bottom()) [[unlikely]] {
    fatal("simulation", "%s has overflowed its stack of %zu KiB; aqueduct sim --stack gives it more",
          fiber.name_.c_str(), machine.stack.bytes >> 10);
  }
  if (fiber.ended()) free(fiber);
}

void Fibers::free(Fiber& fiber) {
  stacks_->give_back(fiber.machine_->stack);
  fiber.machine_.reset();
  fiber.main_ = nullptr;
  --live_;
}

void Fibers::stop(Fiber& fiber) {
  if (fiber.ended()) return;
  has_abandoned_some_ = true;
  fiber.state_ = Fiber::State::kEnded;
  free(fiber);
}

std::string Fibers::describe_stuck(std::size_t most) const {
  std::string text;
  std::size_t shown = 0;
  for (const auto& fiber : fibers_) {
    if (fiber->ended() || fiber->host_.crashed()) continue;
    if (++shown > most) continue;
    const char* why = fiber->waits_for() ? fiber->waits_for() : "its turn";
    text +=
        "  " + fiber->name_ + " (node " + std::to_string(fiber->host_.node()) + ") waits for " + why + "\n";
  }
  if (shown > most) text += "  and " + std::to_string(shown - most) + " more\n";
  return text;
}

}  // namespace aqueduct::sim
