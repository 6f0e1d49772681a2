#include "core/position_signal.hpp"

#include <execinfo.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "core/progress_thread.hpp"
#include "gasnet_tools/signals.hpp"

namespace aqueduct::core {
namespace {

/// Few use the last ones; the one after it is a warden's (job/warden/order.hpp).
int position_signal() { return SIGRTMAX - 3; }

std::atomic<Rank*> asked_rank{nullptr};

/// The message whose handler the thread really runs: preparing a message, or holding a lock, looks like one.
const Token* running_handler(const Thread& thread) {
  const Token* token = thread.handling;
  if (token == &thread.held_locks.marker) token = thread.held_locks.outer;
  if (token == &thread.prepared_reply.marker) token = thread.prepared_reply.token;
  const bool is_marker = token == &thread.prepared_request.marker || token == &thread.held_locks.marker;
  return is_marker ? nullptr : token;
}

void tell_handler(const Thread& thread, observe::Position& position) {
  position.in_handler = position.has_prepared = 0;
  position.handler_name[0] = '\0';
  // What it handles then lies on the stack of another thread.
  if (thread.stand_in && thread.stand_in->may_act_for_client()) return;
  position.has_prepared = thread.prepared_request.active || thread.prepared_reply.active ? 1 : 0;
  const Token* const token = running_handler(thread);
  if (!token) return;
  position.in_handler = token->is_request ? 1 : 2;
  position.handler = token->entry.client.gex_index;
  position.source = token->origin.source;
  const char* const name = token->entry.client.gex_name;
  std::size_t length = 0;
  for (; name && name[length] != '\0' && length + 1 < sizeof position.handler_name; ++length)
    position.handler_name[length] = name[length];
  position.handler_name[length] = '\0';
}

/// Where the thread was when the signal came.
void* interrupted_at(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(machine.pc);
#else
  (void)machine;
  return nullptr;
#endif
}

/// Without the frames of the signal handler itself and of the kernel's return from it.
void tell_stack(observe::Position& position, void* interrupted) {
  constexpr int kOwnFrames = 8;
  void* frames[observe::Position::kMostFrames + kOwnFrames];
  void** const end = frames + ::backtrace(frames, observe::Position::kMostFrames + kOwnFrames);
  void** first = std::find(frames, end, interrupted);
  if (first == end) first = frames;
  const auto count = std::min<std::ptrdiff_t>(end - first, observe::Position::kMostFrames);
  for (std::ptrdiff_t i = 0; i < count; ++i) position.stack[i] = reinterpret_cast<std::uint64_t>(first[i]);
  position.frames = static_cast<std::uint8_t>(count);
}

void tell_position(const Thread& thread, std::uint32_t asked, void* interrupted) {
  observe::Position& position = thread.record->position;
  if (position.answered.load(std::memory_order_relaxed) == asked) return;
  tell_handler(thread, position);
  tell_stack(position, interrupted);
  position.answered.store(asked, std::memory_order_release);
}

void on_position_signal(int, siginfo_t*, void* context) {
  const int error = errno;
  Rank* const rank = asked_rank.load(std::memory_order_acquire);
  const Thread* const thread = current_thread();
  if (rank && thread)
    tell_position(*thread, rank->own_record().shared()->asked.load(std::memory_order_relaxed),
                  interrupted_at(context));
  errno = error;
}

void on_report_signal(int, siginfo_t*, void*) {
  const int error = errno;
  if (Rank* const rank = asked_rank.load(std::memory_order_acquire)) rank->own_record().ask_for_report();
  errno = error;
}

}  // namespace

void answer_position_signals(Rank& rank) {
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // the first use loads a library, which a signal handler may not
  asked_rank.store(&rank, std::memory_order_release);
  const bool is_free = gasnet_tools::handle_where_free(position_signal(), on_position_signal);
  gasnet_tools::handle_where_free(SIGUSR1, on_report_signal);
  rank.own_record().open(is_free ? position_signal() : 0);
}

}  // namespace aqueduct::core
