// The processes of a simulated job whose ranks run a program of the user's: one for each rank, with its copy
// of the program, its environment, its streams, its handlers for the end.
//
// A process begins on its rank's fiber where the system would begin it, at the program's _start, and ends
// when main returns, or exit() or one of its kind is called: run() then returns its exit code. gasnet_exit()
// ends it without its handlers, as in a live job.
//
// What the C library has once for all, and what programs see of it, is exchanged with each turn of a
// process's fiber: the thread pointer, stdin, stdout, stderr, environ, and the working folder of a process
// that has changed it.
#pragma once
#include <pthread.h>

#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/fiber.hpp"
#include "sim/process/image.hpp"
#include "sim/process/signals.hpp"
#include "sim/process/streams.hpp"
#include "sim/process/thread_area.hpp"

namespace aqueduct::sim::process {

struct Settings {
  std::vector<std::string> arguments;  ///< with the program's name
  bool tags_lines = false;
  double patience_seconds = 10;  ///< with a rank that computes without a call (distress.hpp)
};

class Process;
class Processes;

/// What getpid() says of rank 0.
inline constexpr int kFirstProcessNumber = 10'000;

/// A thread of a process, which is a fiber.
class Thread final : public Fiber::Surroundings {
 public:
  explicit Thread(Process& process);

  /// Of the caller; null if that is no program's code.
  static Thread* current();
  Process& process() const { return process_; }
  /// To be called when it ends, the last one first.
  void at_end(void (*function)(void*), void* argument) { at_end_.push_back({function, argument}); }
  void run_ends();

  void enter() override;
  void leave() override;
  void resumed() override;

  pthread_t handle() const { return reinterpret_cast<pthread_t>(area_.own_pointer()); }
  /// Distinguishes those of a process; 1 is its first.
  int number = 1;
  /// Null for the first thread, whose fiber is the rank's.
  Fiber* fiber = nullptr;
  bool is_detached = false, has_ended = false;
  void* result = nullptr;
  /// Its values of the process's keys.
  std::vector<void*> values;

  // Of its signals (signals.hpp).
  SignalSet blocked = 0;
  std::vector<SignalSet> before_handlers;  ///< what was blocked before each handler that it is in
  std::uint64_t handled = 0;               ///< handlers that have run

  /// Time that it has taken and that is not charged yet.
  std::uint64_t owed_ns = 0;
  // Of its looks at clocks (virtual_clock.hpp).
  std::uint64_t look_ns = 20;
  Time looked_until = 0;
  unsigned looks_in_a_row = 0;

 private:
  struct End {
    void (*function)(void*);
    void* argument;
  };

  Process& process_;
  ThreadArea area_;
  bool has_begun_ = false;
  std::vector<End> at_end_;
};

class Process {
 public:
  Process(Processes& all, const Program& program, const Settings& settings, RankId rank);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Of the caller, which is code of a program.
  static Process& current() { return Thread::current()->process(); }

  RankId rank() const { return rank_; }
  /// Those of its job.
  Processes& all() { return all_; }
  /// Where it runs; of a process that has begun.
  Host& host() const { return rank_fiber_->host(); }
  bool has_ended() const { return has_ended_; }
  Image& image() { return image_; }
  const Image& image() const { return image_; }
  Streams& streams() { return streams_; }
  const Streams& streams() const { return streams_; }
  int folder() const { return folder_; }
  Thread& main_thread() { return main_; }

  /// By the rank's fiber: from _start to the end; returns the exit code.
  int run();
  /// By the program: main is called after the constructors.
  int begin(int (*main)(int, char**, char**), int argc, char** argv);
  /// By the program: ends it, after its handlers, or at once.
  [[noreturn]] void exit(int code);
  [[noreturn]] void exit_at_once(int code);
  /// Its other threads end where they are, and what it has written comes out: nothing of it runs any more.
  void prepare_exit();

  /// A new thread, which begins at the present time.
  Thread& start_thread(void* (*function)(void*), void* argument);
  /// Null if there is none, or if it was joined.
  Thread* find_thread(pthread_t handle);
  void forget_thread(Thread& thread);
  /// By a thread: it ends.
  [[noreturn]] void end_thread(void* result);
  /// All but the caller's end where they are.
  void stop_other_threads();
  std::size_t threads() const { return 1 + others_.size(); }

  // What threads wait for: they look again whenever one of them has done something that others may wait for.
  /// `why` is a literal.
  void wait(const char* why);
  /// At most until that time; false if nobody has done anything.
  bool wait_until(Time when, const char* why);
  void stir();
  /// By a thread: lets time pass until then. False if a handler of a signal has run before.
  bool sleep_until(Time when);
  /// A signal has come: whoever waits goes on, to look.
  void interrupt();
  struct Waiter {
    const void* condition;
    bool is_signalled = false;
  };
  std::vector<Waiter*> at_conditions;  ///< in the order in which they came
  /// What ends with a value of each key; of keys that are not in use, nothing.
  struct Key {
    bool in_use = false;
    void (*destroy)(void*) = nullptr;
  };
  std::vector<Key> keys;

  /// What exit() calls, the last one first. `object` is the library to which it belongs.
  void at_exit(void (*function)(void*), void* argument, void* object);
  /// The same of a function that wants to know the exit code.
  void on_exit(void (*function)(int, void*), void* argument);
  /// A library is unloaded: calls what belongs to it; null: everything.
  void run_exit_handlers(void* object);

  /// Its environment, as the C library has it.
  char** environment = nullptr;
  /// A variable that it has set; the memory stays.
  void set_variable(std::string text);
  void remove_variable(const char* name);
  void put_variable(char* text);
  void clear_variables();

  /// The folder that it has changed to, which is open as `descriptor` and is now the working folder.
  void change_folder(int descriptor);

  /// What the C library keeps about getopt()'s variables.
  struct Options {
    int index = 1, complains = 1;
    bool have_begun = false;
  };
  Options options;
  /// Its random numbers: those of the system, and the state of the C library's generators.
  struct Chance {
    std::uint64_t drawn = 0;
    bool numbers_begun = false;
    random_data numbers{};
    char numbers_state[128];
    drand48_data wide_numbers{};
  };
  Chance chance;
  Signals signals;
  /// That of its simulated host, once it was asked for.
  std::string host_name;
  /// What it knows its executable by.
  const char* path() const { return argument_words_[0].c_str(); }

 private:
  friend class Thread;
  friend class Processes;
  struct ExitHandler {
    void (*function)(void*);
    void* argument;
    void* object;
    void (*with_code)(int, void*) = nullptr;  // in place of function
  };
  void own_environment();
  void tell_environment();
  char** find_variable(const char* name, std::size_t length);

  Processes& all_;
  const Settings& settings_;
  RankId rank_;
  Image image_;
  Streams streams_;
  Thread main_;
  std::vector<std::string> argument_words_;
  std::vector<char*> own_environment_;  // empty: the simulator's
  std::vector<std::unique_ptr<std::string>> variables_;
  std::vector<ExitHandler> exit_handlers_;
  std::vector<std::unique_ptr<Thread>> others_;  // threads that were not joined
  std::vector<std::unique_ptr<Thread>> ended_;   // and those that were
  int last_number_ = 1;
  std::vector<Fiber*> waiting_;
  std::vector<Fiber*> sleeping_;
  Fiber* rank_fiber_ = nullptr;
  bool has_ended_ = false;
  int folder_ = -1;  // the simulator's
  std::jmp_buf end_;
  int code_ = 0;
};

/// Those of a job.
class Processes {
 public:
  Processes(const Program& program, Settings settings);
  ~Processes();

  /// That of a rank; made when it is first asked for.
  Process& of(RankId rank);
  /// The one that getpid() numbers so; null if there is none, or it has ended.
  Process* by_number(int number);
  /// Of each thread of each process that has begun, its fiber with it.
  void for_each_thread(const std::function<void(const Thread&, const Fiber&)>& act) const;
  /// The job is over: what ranks have written comes out, unfinished lines as well.
  void finish();

 private:
  const Program& program_;
  Settings settings_;
  std::vector<std::unique_ptr<Process>> processes_;
};

/// What the C library has once for all becomes the simulator's own again: before it reports a failure in the
/// middle of a program's code.
void leave_process();
/// It goes on all the same.
void return_to_process();

}  // namespace aqueduct::sim::process
