// The world that a test of several ranks lives in.
//
// Every rank runs the same GoogleTest cases in the same order. Before the first case the program's main
// (support/spmd_main.cpp) has joined the job, attached a segment of `kSegmentBytes` (or, with
// AQUEDUCT_TEST_OUTSIDE, made as much other memory, which local() and remote() then mean) and registered
// every `Handler` that the file declares; between two cases all ranks meet in a barrier. Rank 0 reports what
// passed, each rank reports what it saw fail, and a rank that stops in the middle of a case (ASSERT_*) ends
// the job, because the others wait for it.
//
//   using ActiveMessages = Spmd;
//   std::atomic<int> seen{0};
//   void on_ping(gex_Token_t, gex_AM_Arg_t) { ++seen; }
//   Handler ping(on_ping, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST);
//   TEST_F(ActiveMessages, AShortRequestRunsItsHandlerOnce) {
//     gex_AM_RequestShort1(job().tm, right(), ping, 0, 7);
//     GASNET_BLOCKUNTIL(seen == 1);
//   }
#pragma once
#include <gasnetex.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace aqueduct::test {

inline constexpr std::size_t kSegmentBytes = std::size_t{16} << 20;

struct Job {
  gex_Client_t client = GEX_CLIENT_INVALID;
  gex_EP_t ep = GEX_EP_INVALID;
  gex_TM_t tm = GEX_TM_INVALID;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  gex_Rank_t rank = 0;
  gex_Rank_t size = 0;
};
const Job& job();

/// The ranks beside this one on the ring of all ranks; each is this rank itself in a job of one.
inline gex_Rank_t right() { return (job().rank + 1) % job().size; }
inline gex_Rank_t left() { return (job().rank + job().size - 1) % job().size; }

/// Where `rank`'s segment begins in its own address space, plus `offset`.
std::byte* remote(gex_Rank_t rank, std::size_t offset = 0);
/// The same for this rank's segment.
inline std::byte* local(std::size_t offset = 0) { return remote(job().rank, offset); }

/// All ranks meet; what they wrote before is visible after.
void barrier();

/// `count` multiplied by AQUEDUCT_TEST_SCALE (default 1): how often a repeated part runs.
std::uint32_t scaled(std::uint32_t count);

class Spmd : public ::testing::Test {
 protected:
  void SetUp() override { barrier(); }
  void TearDown() override { barrier(); }
};

/// While it lives, errors that calls return are not reported on stderr as well. A report that nobody expects
/// fails the test.
class QuietErrors {
 public:
  QuietErrors() { gex_System_SetVerboseErrors(0); }
  ~QuietErrors() { gex_System_SetVerboseErrors(1); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
};

/// An active-message handler of the test program. Declared at namespace scope, it is registered before the
/// first case and converts to the index it was given. The argument count comes from the function's type.
class Handler {
 public:
  template <class... Args>
  Handler(void (*function)(gex_Token_t, Args...), gex_Flags_t flags, const char* name = nullptr,
          const void* client_data = nullptr) {
    add(reinterpret_cast<gex_AM_Fn_t>(function), flags, argument_count<Args...>(), name, client_data);
  }
  operator gex_AM_Index_t() const;

 private:
  template <class... Args>
  static constexpr unsigned argument_count() {
    constexpr bool has_payload =
        (std::is_same_v<Args, void*> || ...);  // (void* buffer, size_t bytes) come first
    return sizeof...(Args) - (has_payload ? 2 : 0);
  }
  void add(gex_AM_Fn_t function, gex_Flags_t flags, unsigned arguments, const char* name,
           const void* client_data);
  std::size_t slot_ = 0;
};

/// Runs `observe` on every rank after the client was initialised and before its segment is attached.
struct BeforeAttach {
  explicit BeforeAttach(void (*observe)());
};

}  // namespace aqueduct::test
