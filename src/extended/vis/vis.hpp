// Put and get of memory that is not contiguous, on either side: lists of pieces (vector, indexed) and strided
// regions.
//
// Remote memory that can be reached from here is copied at once, piece by piece. Elsewhere pieces that are
// large enough each become a put or get (vis_settings.hpp), and many small ones travel together in messages
// (packed.hpp).
#pragma once
#include "extended/rma.hpp"
#include "extended/vis/strided.hpp"

namespace aqueduct::extended::vis {

/// Whom a transfer is with, and how it is to be done. `where` names the API function.
struct VisTransfer {
  const char* where = nullptr;
  OpKind kind = OpKind::kPut;  ///< or kGet
  RankId target = 0;           ///< in the job
  gex_Flags_t flags = 0;
  gex_EP_Index_t endpoint = 0;  ///< of the target
  gex_EP_Index_t local = 0;     ///< that of this process
};

/// A strided transfer as the client describes it. Strides in bytes, the innermost level first.
struct StridedTransfer {
  void* to = nullptr;
  const std::ptrdiff_t* to_strides = nullptr;
  const void* from = nullptr;
  const std::ptrdiff_t* from_strides = nullptr;
  std::size_t element = 0;
  const std::size_t* counts = nullptr;
  std::size_t levels = 0;

  std::size_t bytes() const {
    std::size_t product = element;
    for (std::size_t level = 0; level < levels; ++level) product *= counts[level];
    return product;
  }
  /// Whether there is nothing to do, whatever the other arguments are.
  bool is_empty() const {
    if (element == 0) return true;
    for (std::size_t level = 0; level < levels; ++level) {
      if (counts[level] == 0) return true;
    }
    return false;
  }
};

/// Start a transfer, as start_put() and start_get() do; the destination of a put and the source of a get are
/// remote. Both sides of a list must have the same number of bytes, or the job ends. The lists must stay
/// valid until the transfer is complete; what describes a strided transfer is consumed at once.
Started start_vector(Thread& thread, const VisTransfer& transfer, MemvecList to, MemvecList from,
                     Pending& pending);
Started start_indexed(Thread& thread, const VisTransfer& transfer, IndexedList to, IndexedList from,
                      Pending& pending);
/// The same; `strided` is not empty.
Started start_strided(Thread& thread, const VisTransfer& transfer, const StridedTransfer& strided,
                      Pending& pending);

}  // namespace aqueduct::extended::vis
