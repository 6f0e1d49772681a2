// A fiber runs on a simulated processor (a rank, a benchmark, a kernel client) and may wait.
//
// A fiber has a stack of its own and runs inside an event of the engine until it waits. It waits in three
// ways: sleep_until() a time, park() until somebody wakes it, or, in most code, through its Host (host.hpp).
// Each fiber has its own "current" context (base/context.hpp), which is switched with it.
//
// The stack is small (kDefaultStackBytes unless asked otherwise). A fiber that overflows it faults, or, where
// there are very many, ends the program at its next wait with one line that names it (stack_pool.hpp).
// Exceptions must not leave `main`. If a fiber has not ended when the simulation is destroyed, its stack is
// freed, but objects on it are not destroyed.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "sim/engine/engine.hpp"

namespace aqueduct::sim {

class Fibers;
class Host;

class Fiber {
 public:
  /// What is exchanged, beside the stack, when a fiber runs: by its owner, on the stack of the event loop.
  class Surroundings {
   public:
    virtual void enter() = 0;
    virtual void leave() = 0;
    /// On the fiber's own stack, where it goes on after it has waited. It may wait itself.
    virtual void resumed() {}

   protected:
    ~Surroundings() = default;
  };

  /// The fiber that is running; null in the code of an event.
  static Fiber* current();

  const std::string& name() const { return name_; }
  Host& host() const { return host_; }
  /// All of its simulation.
  Fibers& fibers() const { return owner_; }
  bool ended() const { return state_ == State::kEnded; }
  /// What it waits for, in words; null unless it is parked.
  const char* waits_for() const { return why_; }

  /// Where its registers are saved while it does not run, on its stack, as Boost.Context has them; null if it
  /// has not begun, or has ended.
  const void* saved_registers() const;

  /// By the fiber itself: lets others run until virtual time has reached `when`.
  void sleep_until(Time when);
  /// By the fiber itself: lets others run until wake(). `why` must stay valid: a literal.
  void park(const char* why);
  /// The same, at most until `deadline`.
  void park_until(Time deadline, const char* why);
  /// By the fiber itself: ends it here, without unwinding its stack.
  [[noreturn]] void end();

  /// By anybody: lets a parked fiber go on now, or as soon as its host allows. Does nothing if it is not
  /// parked, or was woken already.
  void wake();

 private:
  friend class Fibers;
  enum class State : std::uint8_t { kReady, kRunning, kParked, kEnded };

  Fiber(Fibers& owner, Host& host, std::string name, std::function<void()> main);

  Fibers& owner_;
  Host& host_;
  std::string name_;
  std::function<void()> main_;
  State state_ = State::kReady;
  std::uint32_t parkings_ = 0;  // distinguishes this deadline from that of an earlier park
  const char* why_ = nullptr;
  Surroundings* surroundings_ = nullptr;
  Context context_;  // while it does not run
  void give_way();
  struct Machine;  // stack and registers
  std::unique_ptr<Machine> machine_;
};

/// All fibers of a simulation.
class Fibers {
 public:
  static constexpr std::size_t kDefaultStackBytes = std::size_t{256} << 10;

  explicit Fibers(Engine& engine, std::size_t stack_bytes = kDefaultStackBytes);
  /// The same with at most `most_guarded` stacks with inaccessible pages.
  Fibers(Engine& engine, std::size_t stack_bytes, std::size_t most_guarded);
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  /// A new fiber on `host`; it starts at the present time, after the present event.
  /// `surroundings` may change the thread pointer, and with it what is thread-local: enter() before each turn
  /// of the fiber, leave() after it. They outlive the fiber.
  Fiber& start(Host& host, std::string name, std::function<void()> main,
               Fiber::Surroundings* surroundings = nullptr);

  /// Ends a fiber that does not run, without unwinding its stack.
  void stop(Fiber& fiber);

  /// Fibers that have not ended.
  std::size_t live() const { return live_; }
  /// Whether a fiber will never return from where it waits: it was stopped, or its host has crashed.
  bool has_abandoned_some() const { return has_abandoned_some_; }
  const std::vector<std::unique_ptr<Fiber>>& all() const { return fibers_; }
  /// What the fibers that have not ended wait for, one line each, at most `most` of them.
  std::string describe_stuck(std::size_t most) const;

 private:
  friend class Fiber;

  void resume_at(Fiber& fiber, Time when);
  void resume(Fiber& fiber);
  void free(Fiber& fiber);

  Engine& engine_;
  std::unique_ptr<class StackPool> stacks_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::size_t live_ = 0;
  bool has_abandoned_some_ = false;
};

}  // namespace aqueduct::sim
