#include "sim/process/process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"
#include "sim/host.hpp"
#include "sim/process/computing.hpp"
#include "sim/process/debugger.hpp"
#include "sim/process/distress.hpp"
#include "sim/rank_world.hpp"
#include "world/world.hpp"

namespace aqueduct::sim::process {
namespace {

constinit thread_local Thread* current_thread = nullptr;

/// What is the simulator's while a program runs.
struct Own {
  std::byte* pointer = nullptr;
  std::FILE *in = nullptr, *out = nullptr, *err = nullptr;
  char** environment = nullptr;
  int folder = -1;
};
Own own;
/// Where the working folder is now: as in Process::folder.
int folder_now = -1;

void go_to(int folder) {
  if (own.folder < 0) own.folder = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder == folder_now) return;
  if (::fchdir(folder < 0 ? own.folder : folder) == 0) folder_now = folder;
}

void prepare_thread() {
  static const auto prepare =
      reinterpret_cast<void (*)()>(::dlvsym(RTLD_DEFAULT, "__ctype_init", "GLIBC_PRIVATE"));
  if (prepare) prepare();
}

/// Continues at _start with a stack as the system makes one.
[[noreturn]] void start(const void* entry, std::uintptr_t* stack) {
#if defined(__x86_64__)
  asm volatile(
      "mov %1, %%rsp\n\t"
      "xor %%ebp, %%ebp\n\t"
      "xor %%edx, %%edx\n\t"
      "jmp *%0"
      :
      : "r"(entry), "r"(stack)
      : "rdx", "memory");
#else
  (void)entry, (void)stack;
#endif
  __builtin_unreachable();
}

}  // namespace

Thread::Thread(Process& process) : process_(process) { area_.counterpart(current_thread) = this; }

Thread* Thread::current() { return current_thread; }

void Thread::run_ends() {
  while (!at_end_.empty()) {
    const End end = at_end_.back();
    at_end_.pop_back();
    end.function(end.argument);
  }
}

void Thread::enter() {
  count_turn();
  begin_measuring();
  own.in = stdin;
  own.out = stdout;
  own.err = stderr;
  own.environment = ::environ;
  stdin = process_.streams_.in();
  stdout = process_.streams_.out();
  stderr = process_.streams_.err();
  ::environ = process_.environment;
  go_to(process_.folder_);
  own.pointer = ThreadArea::pointer();
  ThreadArea::set_pointer(area_.own_pointer());
  if (!std::exchange(has_begun_, true)) {
    process_.image_.fill_thread_locals(area_.own_pointer());
    prepare_thread();
  }
}

void Thread::leave() {
  ThreadArea::set_pointer(own.pointer);
  stdin = own.in;
  stdout = own.out;
  stderr = own.err;
  ::environ = own.environment;
  go_to(-1);
  own.pointer = nullptr;
}

void Thread::resumed() {
  if (process_.signals.pending != 0) handle_pending_signals(*this);
}

void leave_process() {
  if (!own.pointer) return;
  stdin = own.in;
  stdout = own.out;
  stderr = own.err;
  ::environ = own.environment;
  go_to(-1);
}

void return_to_process() {
  if (!own.pointer) return;
  const Process& process = Process::current();
  stdin = process.streams().in();
  stdout = process.streams().out();
  stderr = process.streams().err();
  ::environ = process.environment;
  go_to(process.folder());
}

Process::Process(Processes& all, const Program& program, const Settings& settings, RankId rank)
    : environment(::environ),
      all_(all),
      settings_(settings),
      rank_(rank),
      image_(program, rank),
      streams_(rank, settings.tags_lines),
      main_(*this),
      argument_words_(settings.arguments) {
  const auto give = [this](const char* name, auto value) {
    if (auto* const variable = image_.variable<decltype(value)>(name)) *variable = value;
  };
  give("stdin", streams_.in());
  give("stdout", streams_.out());
  give("stderr", streams_.err());
  tell_environment();
  for (const char* name : {"program_invocation_name", "__progname_full"})
    give(name, argument_words_[0].data());
  char* const slash = std::strrchr(argument_words_[0].data(), '/');
  for (const char* name : {"program_invocation_short_name", "__progname"})
    give(name, slash ? slash + 1 : argument_words_[0].data());
}

Process::~Process() {
  if (folder_ >= 0) ::close(folder_);
}

int Process::run() {
  if (setjmp(end_) != 0) return code_;
  rank_fiber_ = Fiber::current();
  // argc, argv, environment, and no auxiliary vector: each list ends with a zero.
  std::size_t variables = 0;
  while (environment[variables]) ++variables;
  const std::size_t words = 1 + argument_words_.size() + 1 + variables + 1 + 2;
  auto* const stack =
      static_cast<std::uintptr_t*>(__builtin_alloca_with_align(words * sizeof(std::uintptr_t), 128));
  std::uintptr_t* next = stack;
  *next++ = argument_words_.size();
  for (std::string& word : argument_words_) *next++ = reinterpret_cast<std::uintptr_t>(word.data());
  *next++ = 0;
  for (std::size_t i = 0; i < variables; ++i) *next++ = reinterpret_cast<std::uintptr_t>(environment[i]);
  *next++ = 0;
  *next++ = 0;
  *next = 0;
  start(image_.entry(), stack);
}

int Process::begin(int (*main)(int, char**, char**), int argc, char** argv) {
  const Program& program = image_.program();
  const auto call = [&](std::uint64_t function) {
    reinterpret_cast<void (*)(int, char**, char**)>(function)(argc, argv, environment);
  };
  const auto call_all = [&](std::byte* base, std::uint64_t table, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes / sizeof(std::uint64_t); ++i)
      if (const std::uint64_t each = reinterpret_cast<const std::uint64_t*>(base + table)[i];
          each != 0 && each != ~0ull)
        call(each);
  };
  for (const std::size_t number : program.in_order()) {
    const Program::Object& object = program.objects()[number];
    const ElfFile& file = *object.file;
    std::byte* const base = image_.base() + object.place;
    if (number == 0) call_all(base, file.dynamic(DT_PREINIT_ARRAY), file.dynamic(DT_PREINIT_ARRAYSZ));
    if (const std::uint64_t one = file.dynamic(DT_INIT)) call(reinterpret_cast<std::uint64_t>(base) + one);
    call_all(base, file.dynamic(DT_INIT_ARRAY), file.dynamic(DT_INIT_ARRAYSZ));
  }
  return main(argc, argv, environment);
}

void Process::at_exit(void (*function)(void*), void* argument, void* object) {
  exit_handlers_.push_back({function, argument, object});
}

void Process::on_exit(void (*function)(int, void*), void* argument) {
  exit_handlers_.push_back({nullptr, argument, nullptr, function});
}

void Process::run_exit_handlers(void* object) {
  for (std::size_t i = exit_handlers_.size(); i-- > 0;) {
    if (i >= exit_handlers_.size()) continue;
    const ExitHandler handler = exit_handlers_[i];
    if (object && handler.object != object) continue;
    exit_handlers_.erase(exit_handlers_.begin() + static_cast<std::ptrdiff_t>(i));
    if (handler.with_code) {
      handler.with_code(code_, handler.argument);
    } else {
      handler.function(handler.argument);
    }
    i = exit_handlers_.size();  // it may have added some
  }
}

void Process::exit(int code) {
  code_ = code & 0xff;
  Thread::current()->run_ends();
  run_exit_handlers(nullptr);
  const Program& program = image_.program();
  for (auto number = program.in_order().rbegin(); number != program.in_order().rend(); ++number) {
    const Program::Object& object = program.objects()[*number];
    const ElfFile& file = *object.file;
    std::byte* const base = image_.base() + object.place;
    const auto* const table = reinterpret_cast<void (*const*)()>(base + file.dynamic(DT_FINI_ARRAY));
    for (std::size_t i = file.dynamic(DT_FINI_ARRAYSZ) / sizeof(void*); i-- > 0;) table[i]();
    if (const std::uint64_t one = file.dynamic(DT_FINI)) reinterpret_cast<void (*)()>(base + one)();
  }
  exit_at_once(code);
}

void Process::prepare_exit() {
  stop_other_threads();
  streams_.finish();
  has_ended_ = true;
}

void Process::exit_at_once(int code) {
  prepare_exit();
  if (Fiber::current() != rank_fiber_) world::current().exit(code & 0xff);
  code_ = code & 0xff;
  std::longjmp(end_, 1);
}

void Process::change_folder(int descriptor) {
  if (own.folder < 0) fatal("simulation", "the working folder was changed before it was known");
  if (folder_ >= 0) ::close(folder_);
  folder_ = descriptor;
  folder_now = descriptor;
}

Thread& Process::start_thread(void* (*function)(void*), void* argument) {
  others_.push_back(std::make_unique<Thread>(*this));
  Thread& thread = *others_.back();
  thread.number = ++last_number_;
  Fiber& self = *Fiber::current();
  const Context context = {.world = current_context.world,
                           .nic = current_context.nic,
                           .call_site = {},
                           .reporting_rank = current_context.reporting_rank};
  static_cast<RankWorld&>(world::current()).has_threads = true;
  const std::string name = "rank " + std::to_string(rank_) + ", thread " + std::to_string(thread.number);
  thread.fiber = &self.fibers().start(
      self.host(), name,
      [this, context, function, argument] {
        current_context = context;
        end_thread(function(argument));
      },
      &thread);
  return thread;
}

Thread* Process::find_thread(pthread_t handle) {
  if (handle == main_.handle()) return &main_;
  for (const auto& thread : others_)
    if (thread->handle() == handle) return thread.get();
  return nullptr;
}

void Process::forget_thread(Thread& thread) {
  const auto it = std::ranges::find(others_, &thread, &std::unique_ptr<Thread>::get);
  if (it == others_.end()) return;
  ended_.push_back(std::move(*it));
  others_.erase(it);
}

void Process::end_thread(void* result) {
  Thread& thread = *Thread::current();
  thread.run_ends();
  for (int rounds = 0; rounds < PTHREAD_DESTRUCTOR_ITERATIONS; ++rounds) {
    for (std::size_t key = 0; key < thread.values.size(); ++key) {
      void* const value = std::exchange(thread.values[key], nullptr);
      if (value && keys[key].in_use && keys[key].destroy) keys[key].destroy(value);
    }
  }
  // The library gives its record of the thread back.
  static const auto run_own_ends =
      reinterpret_cast<void (*)()>(::dlvsym(RTLD_DEFAULT, "__call_tls_dtors", "GLIBC_PRIVATE"));
  if (!thread.fiber) {  // the first one waits for the others
    while (std::ranges::any_of(others_, [](const auto& other) { return !other->has_ended; }))
      wait("the end of its threads");
    exit(0);
  }
  if (run_own_ends) run_own_ends();
  thread.result = result;
  thread.has_ended = true;
  if (thread.is_detached) forget_thread(thread);
  stir();
  Fiber::current()->end();
}

void Process::stop_other_threads() {
  Fiber& self = *Fiber::current();
  for (const auto& thread : others_)
    if (thread->fiber && thread->fiber != &self) self.fibers().stop(*thread->fiber);
  if (rank_fiber_ != &self) self.fibers().stop(*rank_fiber_);
  waiting_.clear();
}

void Process::wait(const char* why) {
  waiting_.push_back(Fiber::current());
  Fiber::current()->park(why);
}

bool Process::wait_until(Time when, const char* why) {
  Fiber* const self = Fiber::current();
  waiting_.push_back(self);
  self->park_until(when, why);
  return std::erase(waiting_, self) == 0;
}

void Process::stir() {
  for (Fiber* const fiber : std::exchange(waiting_, {})) fiber->wake();
}

bool Process::sleep_until(Time when) {
  Fiber* const self = Fiber::current();
  if (!signals.in_use) {
    self->sleep_until(when);
    return true;
  }
  const Thread& thread = *Thread::current();
  const std::uint64_t handled = thread.handled;
  while (thread.handled == handled && host().engine().now() < when) {
    sleeping_.push_back(self);
    self->park_until(when, "a time");
    std::erase(sleeping_, self);
  }
  return thread.handled == handled;
}

void Process::interrupt() {
  stir();
  for (Fiber* const fiber : std::vector(sleeping_)) fiber->wake();
  host().notify();
}

void Process::tell_environment() {
  for (const char* name : {"environ", "__environ", "_environ"})
    if (auto* const variable = image_.variable<char**>(name)) *variable = environment;
  if (Thread::current() && &Thread::current()->process() == this) ::environ = environment;
}

void Process::own_environment() {
  std::vector<char*> copy;
  for (char** each = environment; each && *each; ++each) copy.push_back(*each);
  copy.push_back(nullptr);
  own_environment_ = std::move(copy);
  environment = own_environment_.data();
}

char** Process::find_variable(const char* name, std::size_t length) {
  for (char** each = environment; each && *each; ++each)
    if (std::strncmp(*each, name, length) == 0 && (*each)[length] == '=') return each;
  return nullptr;
}

void Process::set_variable(std::string text) {
  variables_.push_back(std::make_unique<std::string>(std::move(text)));
  put_variable(variables_.back()->data());
}

void Process::put_variable(char* text) {
  own_environment();
  const char* const equals = std::strchr(text, '=');
  if (char** const there = find_variable(text, static_cast<std::size_t>(equals - text))) {
    *there = text;
  } else {
    own_environment_.back() = text;
    own_environment_.push_back(nullptr);
    environment = own_environment_.data();
  }
  tell_environment();
}

void Process::remove_variable(const char* name) {
  own_environment();
  while (char** const there = find_variable(name, std::strlen(name)))
    own_environment_.erase(own_environment_.begin() + (there - own_environment_.data()));
  environment = own_environment_.data();
  tell_environment();
}

void Process::clear_variables() {
  own_environment_.assign(1, nullptr);
  environment = own_environment_.data();
  tell_environment();
}

Processes::Processes(const Program& program, Settings settings)
    : program_(program), settings_(std::move(settings)) {
  watch_for_distress(settings_.patience_seconds);
  show_to_debuggers(this);
}

Processes::~Processes() { show_to_debuggers(nullptr); }

void Processes::for_each_thread(const std::function<void(const Thread&, const Fiber&)>& act) const {
  for (const auto& process : processes_) {
    if (!process || !process->rank_fiber_) continue;
    act(process->main_, *process->rank_fiber_);
    for (const auto& thread : process->others_)
      if (thread->fiber) act(*thread, *thread->fiber);
  }
}

Process& Processes::of(RankId rank) {
  if (processes_.size() <= rank) processes_.resize(rank + 1);
  if (!processes_[rank]) processes_[rank] = std::make_unique<Process>(*this, program_, settings_, rank);
  return *processes_[rank];
}

Process* Processes::by_number(int number) {
  const auto rank = static_cast<std::size_t>(number - kFirstProcessNumber);
  if (number < kFirstProcessNumber || rank >= processes_.size() || !processes_[rank]) return nullptr;
  return processes_[rank]->has_ended() ? nullptr : processes_[rank].get();
}

void Processes::finish() {
  for (const auto& process : processes_)
    if (process) process->streams().finish();
}

}  // namespace aqueduct::sim::process
