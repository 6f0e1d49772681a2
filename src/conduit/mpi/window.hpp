// Puts and gets by the one-sided calls of MPI-3: a window over each rank's segment, which all have locked for
// all (passive target). A transfer begins with MPI_Put or MPI_Get and is over after a flush of its target.
//
// It is used where it is faster than messages on this MPI and this network: if its calls need no help of the
// target, so that a put to one that sleeps outside of MPI is complete, and from the size on from which they
// take less time than bytes one way and a word back. Each rank measures that when segments are attached, with
// a rank that it talks to through MPI, for puts and for gets (AQUEDUCT_MPI_RMA overrides it).
//
// An MPI that has no windows on its network, or whose windows are copies (MPI_WIN_SEPARATE), has none.
//
// Threads: whoever calls holds the session.
#pragma once
#include <vector>

#include "conduit/mpi/session.hpp"
#include "job/place/layout.hpp"

namespace aqueduct::conduit::mpi {

class Window {
 public:
  using Done = Rma::Done;
  struct Finished {
    Done done = nullptr;
    void* argument = nullptr;
  };

  explicit Window(Session& session) : session_(session) {}

  /// On all ranks. The segment of rank r is segments[r], which stays. `hosts`: who talks through MPI.
  void open(std::span<const SegmentBounds> segments, RankId rank, const job::Layout& hosts);

  /// MPI ends, on all ranks: nothing goes this way any more.
  void close();

  bool takes_put(std::size_t bytes) const { return bytes >= least_put_; }
  bool takes_get(std::size_t bytes) const { return bytes >= least_get_; }

  void put(RankId target, void* to, const void* from, std::size_t bytes);
  void get(RankId target, void* to, const void* from, std::size_t bytes);
  /// What has just begun is still under way; `finished` is told of its end.
  void remember(RankId target, const Finished& finished) { under_way_.push_back({target, finished}); }
  std::size_t under_way() const { return under_way_.size(); }
  bool is_idle() const { return under_way_.empty(); }
  /// Waits until those of `target` are complete there. Not for long: the target's help is not needed.
  void flush(RankId target);
  /// Completes all that are under way and tells who began them; returns how many.
  unsigned finish();

 private:
  struct Transfer {
    RankId target;
    Finished finished;
  };
  void measure(RankId rank, const job::Layout& hosts);
  template <class Post>
  void in_pieces(std::size_t bytes, Post&& post);

  Session& session_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::span<const SegmentBounds> segments_;
  static constexpr std::size_t kNever = ~std::size_t{0};
  std::size_t least_put_ = kNever;  // these go by the window from this size on
  std::size_t least_get_ = kNever;
  std::vector<Transfer> under_way_;
};

}  // namespace aqueduct::conduit::mpi
