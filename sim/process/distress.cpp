#include "sim/process/distress.hpp"

#include <cxxabi.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#include <unwind.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "base/fatal.hpp"
#include "sim/process/process.hpp"

extern "C" void __register_frame_info(const void* frames, void* room);

namespace aqueduct::sim::process {
namespace {

constexpr unsigned kMostPatience = 10;

volatile std::sig_atomic_t turns = 0;
std::sig_atomic_t turns_seen = 0;
unsigned periods_in_turn = 0;  // each of them `patience` long
double patience = 0;

/// Tells the unwinder of this process where the copy's functions have their tables.
void introduce(const Image& image) {
  static auto& known = *new std::map<const std::byte*, std::unique_ptr<std::byte[]>>;
  for (const Program::Object& object : image.program().objects()) {
    const Elf64_Phdr* const segment = object.file->segment(PT_GNU_EH_FRAME);
    if (!segment) continue;
    const std::byte* const header = image.base() + object.place + segment->p_vaddr;
    constexpr std::byte kRelative{0x1b};  // four bytes, from where they are
    if (header[1] != kRelative || known.contains(header)) continue;
    std::int32_t distance;
    std::memcpy(&distance, header + 4, sizeof distance);
    constexpr std::size_t kRoom = 128;
    auto& room = known[header] = std::make_unique<std::byte[]>(kRoom);
    __register_frame_info(header + 4 + distance, room.get());
  }
}

std::string name_of(const std::byte* address) {
  const Image* const image = Image::at(address);
  if (!image) return "";
  const auto place = static_cast<std::size_t>(address - image->base());
  const Program::Object* const object = image->program().object_at(place);
  if (!object) return "";
  const char* name = nullptr;
  const Elf64_Sym* const symbol = object->file->function_at(place - object->place, &name);
  const std::string& path = object->file->path();
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%zx", place - object->place - (symbol ? symbol->st_value : 0));
  if (!symbol) return path.substr(path.rfind('/') + 1) + offset;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                     std::free);
  return (plain ? plain.get() : name) + std::string(offset);
}

/// The functions of the program that the caller, a handler of a signal, has interrupted, the innermost first.
std::string stack() {
  struct Walk {
    std::string text;
    unsigned frames = 0;
  } walk;
  introduce(Process::current().image());
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        constexpr unsigned kMostFrames = 12;
        auto& all = *static_cast<Walk*>(data);
        const auto* const address = reinterpret_cast<const std::byte*>(_Unwind_GetIP(context));
        const std::string name = name_of(address);
        if (name.empty()) return _URC_NO_REASON;
        all.text += (all.frames == 0 ? "" : " < ") + name;
        return ++all.frames == kMostFrames ? _URC_END_OF_STACK : _URC_NO_REASON;
      },
      &walk);
  return walk.frames == 0 ? "in the library" : "in " + walk.text;
}

/// Whose memory the address is, in words, if a rank's program has it; the caller is `self`.
std::string owner_of(const void* address, const Process& self) {
  const Image* const image = Image::at(address);
  if (!image || image->number() == self.rank()) return "";
  return ", which is in the copy of rank " + std::to_string(image->number());
}

void crashed(int signal, siginfo_t* info, void*) {
  const Thread* const thread = Thread::current();
  if (!thread) {
    ::signal(signal, SIG_DFL);
    return;
  }
  const Process& process = thread->process();
  fatal("simulation", "rank %u: %s at %p%s, %s", process.rank(), ::strsignal(signal), info->si_addr,
        owner_of(info->si_addr, process).c_str(), stack().c_str());
}

// The thread that it interrupts may be anywhere, also in the C library: it looks into it only where it is
// there for long.
void look_at_turn(int) {
  if (turns != turns_seen) {
    turns_seen = turns;
    periods_in_turn = 0;
    return;
  }
  const Thread* const thread = Thread::current();
  if (!thread) return;
  const unsigned periods = ++periods_in_turn;
  if (periods != 1 && periods != kMostPatience) return;
  const int before = errno;
  constexpr const char* kText =
      "rank %u has computed for %.3g s without a call in which others could run, %s; if it waits for them, "
      "let it call "
      "gasnet_AMPoll() or sched_yield() there";
  const unsigned rank = thread->process().rank();
  leave_process();
  if (periods == kMostPatience) fatal("simulation", kText, rank, periods * patience, stack().c_str());
  warn("simulation", kText, rank, periods * patience, stack().c_str());
  return_to_process();
  errno = before;
}

}  // namespace

void count_turn() { turns = turns + 1; }

void watch_for_distress(double patience_seconds) {
  static bool watches = false;
  if (std::exchange(watches, true)) return;
  constexpr std::size_t kStackBytes = std::size_t{256} << 10;
  void* const stack =
      ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const stack_t other = {.ss_sp = stack, .ss_flags = 0, .ss_size = kStackBytes};
  if (stack == MAP_FAILED || ::sigaltstack(&other, nullptr) != 0) return;
  struct sigaction action = {};
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigaction(signal, &action, nullptr);
  action.sa_handler = look_at_turn;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  ::sigaction(SIGVTALRM, &action, nullptr);
  patience = patience_seconds;
  const auto seconds = static_cast<time_t>(patience);
  const timeval period = {seconds, static_cast<suseconds_t>((patience - static_cast<double>(seconds)) * 1e6)};
  const itimerval every_period = {period, period};
  ::setitimer(ITIMER_VIRTUAL, &every_period, nullptr);
}

}  // namespace aqueduct::sim::process
