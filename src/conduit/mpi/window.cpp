#include "conduit/mpi/window.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "conduit/mpi/engine.hpp"

namespace aqueduct::conduit::mpi {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

constexpr std::size_t kMostPiece = std::size_t{1} << 30;  // MPI counts in an int
constexpr std::size_t kSmallPut = 64;
constexpr unsigned kTries = 32;
constexpr int kTag = 1;
// How long the target sleeps outside of MPI, when a put begins while it does, and what that may take if it
// needs no help. On a busy machine a rank may be late, so most of some rounds decide.
constexpr std::chrono::microseconds kAsleep{4000};
constexpr std::chrono::microseconds kFallsAsleep{1000};
constexpr Microseconds kBeginsUntil{2000};
constexpr Microseconds kUnaided{1000};
constexpr unsigned kRounds = 3;

enum class Choice { kMeasure, kWindow, kMessages };

Choice choice() {
  const std::string_view text = env::text({"AQUEDUCT_MPI_RMA"}, "auto");
  if (text == "auto") return Choice::kMeasure;
  if (text == "window") return Choice::kWindow;
  if (text == "messages") return Choice::kMessages;
  fatal("mpi", "AQUEDUCT_MPI_RMA=%s: use auto, window or messages", text.data());
}

// The shortest of some tries.
template <class Try>
Microseconds best_of(unsigned tries, Try&& attempt) {
  Microseconds best = Microseconds::max();
  for (; tries != 0; --tries) {
    const auto start = Clock::now();
    attempt();
    best = std::min<Microseconds>(best, Clock::now() - start);
  }
  return best;
}

bool is_unified(MPI_Win window) {
  int* model = nullptr;
  int is_there = 0;
  MPI_Win_get_attr(window, MPI_WIN_MODEL, static_cast<void*>(&model), &is_there);
  return is_there && *model == MPI_WIN_UNIFIED;
}

}  // namespace

void Window::open(std::span<const SegmentBounds> segments, RankId rank, const job::Layout& hosts) {
  const Choice wanted = choice();
  if (wanted == Choice::kMessages || hosts.hosts() == 1 || window_ != MPI_WIN_NULL) return;
  segments_ = segments;
  const SegmentBounds& mine = segments[rank];
  const int created = MPI_Win_create(reinterpret_cast<void*>(mine.base), static_cast<MPI_Aint>(mine.size), 1,
                                     MPI_INFO_NULL, session_.communicator(), &window_);
  if (created != MPI_SUCCESS || !is_unified(window_)) {
    if (wanted == Choice::kWindow)
      fatal("mpi",
            "AQUEDUCT_MPI_RMA=window: this MPI has no windows that others' loads and stores agree with");
    return;
  }
  MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
  Session::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
  if (wanted == Choice::kWindow) {
    least_put_ = least_get_ = 0;
    return;
  }
  measure(rank, hosts);
}

// The hosts with odd numbers measure while the others sleep, and then the other way round. All take part,
// with a window over memory of their own, because a client's segment is not ours to write to.
void Window::measure(RankId rank, const job::Layout& hosts) {
  std::byte memory[kSmallPut] = {}, source[kSmallPut] = {};
  MPI_Comm ranks;
  MPI_Win window;
  Session::check(MPI_Comm_dup(session_.communicator(), &ranks), "MPI_Comm_dup");
  Session::check(MPI_Win_create(memory, kSmallPut, 1, MPI_INFO_NULL, ranks, &window), "MPI_Win_create");
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);

  // A round trip is two shifts around the ring of all ranks.
  const auto size = static_cast<int>(hosts.size());
  const int next = (static_cast<int>(rank) + 1) % size;
  const int previous = (static_cast<int>(rank) + size - 1) % size;
  const Microseconds shift = best_of(kTries, [&] {
    std::byte received[kSmallPut];
    MPI_Sendrecv(source, kSmallPut, MPI_BYTE, next, kTag, received, kSmallPut, MPI_BYTE, previous, kTag,
                 ranks, MPI_STATUS_IGNORE);
  });
  const job::HostId host = hosts.host_of(rank);
  const job::HostId other = host % 2 == 0 && host + 1 < hosts.hosts() ? host + 1 : host - 1;
  const int target = static_cast<int>(hosts.rank_at(other, 0));
  const auto put = [&] {
    MPI_Put(source, kSmallPut, MPI_BYTE, target, 0, kSmallPut, MPI_BYTE, window);
    MPI_Win_flush(target, window);
  };
  put();  // connects
  unsigned unaided = 0;
  Microseconds best = Microseconds::max();
  for (unsigned turn = 0; turn < 2 * kRounds; ++turn) {
    MPI_Barrier(ranks);
    const auto start = Clock::now();
    if (host % 2 != turn % 2) {
      std::this_thread::sleep_for(kAsleep);
      continue;
    }
    std::this_thread::sleep_for(kFallsAsleep);
    const Microseconds late = Clock::now() - start;
    // Only the first one meets a target that sleeps: if it has to wait, all others come when that is awake.
    if (best_of(1, put) <= kUnaided && late <= kBeginsUntil) ++unaided;
    best = std::min(best, best_of(kTries, put));
  }
  MPI_Barrier(ranks);
  if (2 * unaided > kRounds) {
    least_get_ = Engine::kMostCopied + 1;
    least_put_ = best < 2 * shift ? 0 : least_get_;
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Comm_free(&ranks);
}

void Window::close() {
  if (window_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
  least_put_ = least_get_ = kNever;
}

template <class Post>
void Window::in_pieces(std::size_t bytes, Post&& post) {
  for (std::size_t at = 0; at < bytes; at += kMostPiece)
    post(at, static_cast<int>(std::min(kMostPiece, bytes - at)));
}

void Window::put(RankId target, void* to, const void* from, std::size_t bytes) {
  const auto offset = static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(to) - segments_[target].base);
  in_pieces(bytes, [&](std::size_t at, int piece) {
    Session::check(
        MPI_Put(static_cast<const std::byte*>(from) + at, piece, MPI_BYTE, static_cast<int>(target),
                offset + static_cast<MPI_Aint>(at), piece, MPI_BYTE, window_),
        "MPI_Put");
  });
}

void Window::get(RankId target, void* to, const void* from, std::size_t bytes) {
  const auto offset = static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(from) - segments_[target].base);
  in_pieces(bytes, [&](std::size_t at, int piece) {
    Session::check(MPI_Get(static_cast<std::byte*>(to) + at, piece, MPI_BYTE, static_cast<int>(target),
                           offset + static_cast<MPI_Aint>(at), piece, MPI_BYTE, window_),
                   "MPI_Get");
  });
}

void Window::flush(RankId target) {
  Session::check(MPI_Win_flush(static_cast<int>(target), window_), "MPI_Win_flush");
}

void Window::finish(std::vector<Finished>& finished) {
  RankId flushed = kNoRank;
  for (const Transfer& transfer : under_way_) {
    if (transfer.target != flushed) flush(transfer.target);
    flushed = transfer.target;
    finished.push_back(transfer.finished);
  }
  under_way_.clear();
}

}  // namespace aqueduct::conduit::mpi
