// Every number of arguments, in every category and direction, through both forms of the call.
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "support/arity.hpp"
#include "support/pattern.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Arity = Spmd;

constexpr std::size_t kPayload = 200;
enum Category { kShort, kMedium, kLong };

std::atomic<int> requests_seen{0}, replies_seen{0};

// What rank `source` sends as argument `i` of `n`: all 32 bits matter, the sign too.
gex_AM_Arg_t request_argument(gex_Rank_t source, unsigned n, unsigned i) {
  return static_cast<gex_AM_Arg_t>(key_of(source, n, i, 1));
}
gex_AM_Arg_t reply_argument(gex_Rank_t source, unsigned n, unsigned i) {
  return ~request_argument(source, n, i);
}
std::uint64_t request_key(gex_Rank_t source, unsigned n) { return key_of(source, n, 2); }
std::uint64_t reply_key(gex_Rank_t source, unsigned n) { return key_of(source, n, 3); }

// Where the long payloads of one sender and arity go in the target's segment.
std::size_t long_offset(gex_Rank_t sender, unsigned n, bool reply) {
  return ((sender * (kMaxArgs + 1) + n) * 2 + reply) * 256;
}

gex_Rank_t source_of(gex_Token_t token) {
  gex_Token_Info_t info;
  EXPECT_TRUE(gex_Token_Info(token, &info, GEX_TI_SRCRANK) & GEX_TI_SRCRANK);
  return info.gex_srcrank;
}

void check_arguments(const gex_AM_Arg_t* args, unsigned n, gex_Rank_t source, bool reply) {
  for (unsigned i = 0; i < n; ++i)
    EXPECT_EQ(args[i], reply ? reply_argument(source, n, i) : request_argument(source, n, i))
        << "argument " << i << " of " << n << (reply ? " of the reply" : " of the request");
}

gex_AM_Index_t reply_handler(Category category, unsigned n);

void answer(gex_Token_t token, Category category, unsigned n, gex_Rank_t source) {
  Arguments a{};
  for (unsigned i = 0; i < n; ++i) a[i] = reply_argument(source, n, i);
  const auto payload = patterned(kPayload, reply_key(source, n));
  const Form form = n % 2 ? Form::kNumbered : Form::kCounted;
  const gex_AM_Index_t handler = reply_handler(category, n);
  switch (category) {
    case kShort:
      EXPECT_EQ(reply_short(form, token, handler, 0, n, a), 0);
      break;
    case kMedium:
      EXPECT_EQ(reply_medium(form, token, handler, payload.data(), kPayload, GEX_EVENT_NOW, 0, n, a), 0);
      break;
    case kLong:
      EXPECT_EQ(reply_long(form, token, handler, payload.data(), kPayload,
                           remote(source, long_offset(job().rank, n, true)), GEX_EVENT_NOW, 0, n, a),
                0);
      break;
  }
  ++requests_seen;
}

template <class Indices>
struct Of;  // the six handlers of one arity
template <std::size_t... I>
struct Of<std::index_sequence<I...>> {
  static constexpr unsigned n = sizeof...(I);

  static void short_request(gex_Token_t token, ArgumentAt<I>... args) {
    const std::array<gex_AM_Arg_t, n + 1> a{args..., 0};
    const gex_Rank_t source = source_of(token);
    check_arguments(a.data(), n, source, false);
    answer(token, kShort, n, source);
  }
  static void short_reply(gex_Token_t, ArgumentAt<I>... args) {
    const std::array<gex_AM_Arg_t, n + 1> a{args..., 0};
    check_arguments(a.data(), n, job().rank, true);
    ++replies_seen;
  }
  static void medium_request(gex_Token_t token, void* payload, std::size_t bytes, ArgumentAt<I>... args) {
    const std::array<gex_AM_Arg_t, n + 1> a{args..., 0};
    const gex_Rank_t source = source_of(token);
    check_arguments(a.data(), n, source, false);
    EXPECT_EQ(bytes, kPayload);
    EXPECT_TRUE(holds(payload, bytes, request_key(source, n)));
    answer(token, kMedium, n, source);
  }
  static void medium_reply(gex_Token_t, void* payload, std::size_t bytes, ArgumentAt<I>... args) {
    const std::array<gex_AM_Arg_t, n + 1> a{args..., 0};
    check_arguments(a.data(), n, job().rank, true);
    EXPECT_EQ(bytes, kPayload);
    EXPECT_TRUE(holds(payload, bytes, reply_key(job().rank, n)));
    ++replies_seen;
  }
  static void long_request(gex_Token_t token, void* payload, std::size_t bytes, ArgumentAt<I>... args) {
    const std::array<gex_AM_Arg_t, n + 1> a{args..., 0};
    const gex_Rank_t source = source_of(token);
    check_arguments(a.data(), n, source, false);
    EXPECT_EQ(bytes, kPayload);
    EXPECT_EQ(payload, local(long_offset(source, n, false)));
    EXPECT_TRUE(holds(payload, bytes, request_key(source, n)));
    answer(token, kLong, n, source);
  }
  static void long_reply(gex_Token_t token, void* payload, std::size_t bytes, ArgumentAt<I>... args) {
    const std::array<gex_AM_Arg_t, n + 1> a{args..., 0};
    check_arguments(a.data(), n, job().rank, true);
    EXPECT_EQ(payload, local(long_offset(source_of(token), n, true)));
    EXPECT_TRUE(holds(payload, bytes, reply_key(job().rank, n)));
    ++replies_seen;
  }
};

// handlers[category][reply][n]
using Column = std::vector<std::unique_ptr<Handler>>;
std::array<std::array<Column, 2>, 3> handlers;

template <std::size_t N>
void register_arity() {
  using Set = Of<std::make_index_sequence<N>>;
  constexpr gex_Flags_t kRequest = GEX_FLAG_AM_REQUEST, kReply = GEX_FLAG_AM_REPLY;
  handlers[kShort][0].push_back(std::make_unique<Handler>(&Set::short_request, GEX_FLAG_AM_SHORT | kRequest));
  handlers[kShort][1].push_back(std::make_unique<Handler>(&Set::short_reply, GEX_FLAG_AM_SHORT | kReply));
  handlers[kMedium][0].push_back(
      std::make_unique<Handler>(&Set::medium_request, GEX_FLAG_AM_MEDIUM | kRequest));
  handlers[kMedium][1].push_back(std::make_unique<Handler>(&Set::medium_reply, GEX_FLAG_AM_MEDIUM | kReply));
  handlers[kLong][0].push_back(std::make_unique<Handler>(&Set::long_request, GEX_FLAG_AM_LONG | kRequest));
  handlers[kLong][1].push_back(std::make_unique<Handler>(&Set::long_reply, GEX_FLAG_AM_LONG | kReply));
}
const bool registered = []<std::size_t... N>(std::index_sequence<N...>) {
  (register_arity<N>(), ...);
  return true;
}
(std::make_index_sequence<kMaxArgs + 1>{});

gex_AM_Index_t reply_handler(Category category, unsigned n) { return *handlers[category][1][n]; }

// Sends one message of each arity to every rank, in the given form, and waits for the answers.
void exchange(Category category, Form form) {
  requests_seen = replies_seen = 0;
  barrier();
  for (unsigned n = 0; n <= kMaxArgs; ++n) {
    Arguments a{};
    for (unsigned i = 0; i < n; ++i) a[i] = request_argument(job().rank, n, i);
    const auto payload = patterned(kPayload, request_key(job().rank, n));
    const gex_AM_Index_t handler = *handlers[category][0][n];
    for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
      switch (category) {
        case kShort:
          ASSERT_EQ(request_short(form, job().tm, rank, handler, 0, n, a), 0);
          break;
        case kMedium:
          ASSERT_EQ(
              request_medium(form, job().tm, rank, handler, payload.data(), kPayload, GEX_EVENT_NOW, 0, n, a),
              0);
          break;
        case kLong:
          ASSERT_EQ(request_long(form, job().tm, rank, handler, payload.data(), kPayload,
                                 remote(rank, long_offset(job().rank, n, false)), GEX_EVENT_NOW, 0, n, a),
                    0);
          break;
      }
    }
  }
  const int expected = static_cast<int>(job().size * (kMaxArgs + 1));
  GASNET_BLOCKUNTIL(replies_seen == expected && requests_seen == expected);
  barrier();
  EXPECT_EQ(requests_seen, expected);
  EXPECT_EQ(replies_seen, expected);
}

TEST_F(Arity, TheLimitIsSixteenArguments) { EXPECT_EQ(gex_AM_MaxArgs(), kMaxArgs); }

TEST_F(Arity, ShortMessagesCarryUpToSixteenArgumentsBothWays) { exchange(kShort, Form::kNumbered); }
TEST_F(Arity, MediumMessagesCarryUpToSixteenArgumentsBothWays) { exchange(kMedium, Form::kNumbered); }
TEST_F(Arity, LongMessagesCarryUpToSixteenArgumentsBothWays) { exchange(kLong, Form::kNumbered); }

TEST_F(Arity, TheFormWithoutANumberCountsItsArguments) {
  exchange(kShort, Form::kCounted);
  exchange(kMedium, Form::kCounted);
  exchange(kLong, Form::kCounted);
}

}  // namespace
}  // namespace aqueduct::test
