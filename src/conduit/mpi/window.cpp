#include "conduit/mpi/window.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "conduit/mpi/endpoint.hpp"

namespace aqueduct::conduit::mpi {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

constexpr std::size_t kMostPiece = std::size_t{1} << 30;  // MPI counts in an int
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

namespace {

// Sizes that are tried, in order, and how often.
struct Size {
  std::size_t bytes;
  unsigned tries;
};
constexpr Size kSizes[] = {{64, 32}, {1024, 32}, {8192, 16}, {16384, 16}, {65536, 8}, {262144, 4}};
using Times = std::array<Microseconds, std::size(kSizes)>;

// The smallest size from which on `window` takes less time than `messages`. Below the smallest: 0.
std::size_t least_that_is_faster(const Times& window, const Times& messages) {
  std::size_t least = ~std::size_t{0};
  for (std::size_t i = std::size(kSizes); i-- != 0 && window[i] < messages[i];)
    least = i == 0 ? 0 : kSizes[i].bytes;
  return least;
}

// What measures: memory of its own, because a client's segment is not ours to write to.
class Trial {
 public:
  Trial(MPI_Comm of, RankId rank, const job::Layout& hosts) : memory_(kMost), source_(kMost) {
    Session::check(MPI_Comm_dup(of, &ranks_), "MPI_Comm_dup");
    Session::check(MPI_Win_create(memory_.data(), kMost, 1, MPI_INFO_NULL, ranks_, &window_),
                   "MPI_Win_create");
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    const auto size = static_cast<int>(hosts.size());
    next_ = (static_cast<int>(rank) + 1) % size;
    previous_ = (static_cast<int>(rank) + size - 1) % size;
    const job::HostId host = hosts.host_of(rank);
    const job::HostId other = host % 2 == 0 && host + 1 < hosts.hosts() ? host + 1 : host - 1;
    target_ = static_cast<int>(hosts.rank_at(other, 0));
  }
  ~Trial() {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
    MPI_Comm_free(&ranks_);
  }
  Trial(const Trial&) = delete;

  void meet() { MPI_Barrier(ranks_); }
  void put(std::size_t bytes) {
    MPI_Put(source_.data(), static_cast<int>(bytes), MPI_BYTE, target_, 0, static_cast<int>(bytes), MPI_BYTE,
            window_);
    MPI_Win_flush(target_, window_);
  }
  void get(std::size_t bytes) {
    MPI_Get(source_.data(), static_cast<int>(bytes), MPI_BYTE, target_, 0, static_cast<int>(bytes), MPI_BYTE,
            window_);
    MPI_Win_flush(target_, window_);
  }
  /// Bytes one way and a word back: two shifts around the ring of all ranks.
  void round_trip(std::size_t bytes) {
    shift(bytes, next_, previous_);
    shift(sizeof(std::uint64_t), previous_, next_);
  }

 private:
  static constexpr std::size_t kMost = kSizes[std::size(kSizes) - 1].bytes;

  void shift(std::size_t bytes, int to, int from) {
    MPI_Sendrecv(source_.data(), static_cast<int>(bytes), MPI_BYTE, to, kTag, memory_.data(),
                 static_cast<int>(bytes), MPI_BYTE, from, kTag, ranks_, MPI_STATUS_IGNORE);
  }

  std::vector<std::byte> memory_, source_;
  MPI_Comm ranks_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  int next_ = 0;
  int previous_ = 0;
  int target_ = 0;
};

}  // namespace

// The hosts with odd numbers measure while the others sleep or wait, and then the other way round.
void Window::measure(RankId rank, const job::Layout& hosts) {
  Trial trial(session_.communicator(), rank, hosts);
  const bool is_odd = hosts.host_of(rank) % 2 != 0;
  Times messages{}, puts{}, gets{};
  for (std::size_t i = 0; i < std::size(kSizes); ++i)
    messages[i] = best_of(kSizes[i].tries, [&] { trial.round_trip(kSizes[i].bytes); });
  trial.put(kSizes[0].bytes);  // connects
  unsigned unaided = 0;
  for (unsigned turn = 0; turn < 2 * kRounds; ++turn) {
    trial.meet();
    const auto start = Clock::now();
    if (is_odd != (turn % 2 != 0)) {
      std::this_thread::sleep_for(kAsleep);
      continue;
    }
    std::this_thread::sleep_for(kFallsAsleep);
    const Microseconds late = Clock::now() - start;
    // Only the first one meets a target that sleeps: if it has to wait, all others come when that is awake.
    if (best_of(1, [&] { trial.put(kSizes[0].bytes); }) <= kUnaided && late <= kBeginsUntil) ++unaided;
  }
  for (unsigned turn = 0; turn < 2; ++turn) {
    trial.meet();
    if (is_odd != (turn % 2 != 0)) continue;
    for (std::size_t i = 0; i < std::size(kSizes); ++i) {
      puts[i] = best_of(kSizes[i].tries, [&] { trial.put(kSizes[i].bytes); });
      gets[i] = best_of(kSizes[i].tries, [&] { trial.get(kSizes[i].bytes); });
    }
  }
  trial.meet();
  if (2 * unaided <= kRounds) return;
  least_put_ = least_that_is_faster(puts, messages);
  least_get_ = least_that_is_faster(gets, messages);
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

unsigned Window::finish() {
  RankId flushed = kNoRank;
  for (const Transfer& transfer : under_way_) {
    if (transfer.target != flushed) flush(transfer.target);
    flushed = transfer.target;
    transfer.finished.done(transfer.finished.argument);
  }
  const auto count = static_cast<unsigned>(under_way_.size());
  under_way_.clear();
  return count;
}

}  // namespace aqueduct::conduit::mpi
