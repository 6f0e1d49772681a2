// Which handlers read their payloads, as told by the cache. Every test that depends on times of loads repeats
// until it has seen what it expects, so that a busy machine only makes it slower.
#include "core/mailbox/payload_reading.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "core/mailbox/mailbox.hpp"
#include "support/sanitized.hpp"

namespace aqueduct::core {
namespace {

constexpr std::size_t kBytes = 32768;

void flush(const std::vector<std::byte>& memory) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < memory.size(); i += kCacheLine) __builtin_ia32_clflush(memory.data() + i);
  __builtin_ia32_mfence();
#endif
}

// Whether a handled message is taken for what is expected at least once in many tries.
bool comes_to_say(bool expected, bool reads) {
  std::vector<std::byte> payload(kBytes, std::byte{1});
  for (int attempt = 0; attempt < 1000; ++attempt) {
    PayloadReading reading;
    flush(payload);
    volatile std::byte sum{};
    if (reads) {
      for (const std::byte byte : payload) sum = byte;
    }
    (void)sum;
    if (reading.handled(7, payload.data(), payload.size()) == expected) return true;
  }
  return false;
}

TEST(PayloadReading, APayloadThatWasReadIsSeenToBe) {
  if (test::kSanitized) GTEST_SKIP() << "shadow memory competes for the caches";
  EXPECT_TRUE(comes_to_say(true, true));
}

#if defined(__x86_64__)
TEST(PayloadReading, APayloadThatWasNotReadIsSeenNotToBe) { EXPECT_TRUE(comes_to_say(false, false)); }
#endif

TEST(PayloadReading, HandlersAreToldApartAndLookedAtSeldom) {
  std::vector<std::byte> payload(kBytes, std::byte{1});
  PayloadReading reading;
  const bool first = reading.handled(1, payload.data(), payload.size());
  flush(payload);
  // Nothing is looked at again so soon, and another handler does not matter.
  for (int i = 0; i < 8; ++i) EXPECT_EQ(reading.handled(1, payload.data(), payload.size()), first);
  (void)reading.handled(2, payload.data(), payload.size());
  EXPECT_EQ(reading.handled(1, payload.data(), payload.size()), first);
}

TEST(CacheLines, TakingLinesLeavesThemAsTheyAre) {
  std::vector<std::byte> memory(1000);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i);
  const std::vector<std::byte> before = memory;
  take_lines(memory.data(), memory.size());
  EXPECT_EQ(memory, before);
}

// Requests that are not settled never share a large place, whatever the reader says of them meanwhile.
TEST(LargePlaces, AreSharedByNoTwoRequestsUnderWay) {
  using Memory = MailboxMemory<64>;
  void* const mapped = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* const memory = static_cast<Memory*>(mapped);
  for (std::uint64_t first = 0; first < 1000; first += 7) {
    std::vector<std::byte*> places;
    for (std::uint64_t position = first; position < first + kLargeWindow; ++position) {
      memory->hints[0].say((position * 2654435761u >> 8) % 2 != 0);
      places.push_back(memory->slot(position).payload_area(false, kLargeBytes));
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto apart = places[i] < places[j] ? places[j] - places[i] : places[i] - places[j];
        ASSERT_GE(static_cast<std::size_t>(apart), kLargeBytes)
            << "positions " << first + j << ", " << first + i;
      }
    }
  }
  // Answers have no window: every small request under way may get a large one.
  std::set<std::byte*> answers;
  memory->hints[1].say(false);
  for (std::uint64_t position = 5; position < 5 + Memory::kSlots; ++position) {
    EXPECT_TRUE(answers.insert(memory->slot(position).payload_area(true, kLargeBytes)).second) << position;
  }
  ::munmap(mapped, sizeof(Memory));
}

}  // namespace
}  // namespace aqueduct::core
