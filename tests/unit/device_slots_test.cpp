// Slots of the staging room: who may have how many, whose Long may come where, and what a dead rank keeps.
#include <gtest/gtest.h>

#include <vector>

#include "extended/device/slots.hpp"

namespace aqueduct::extended::device_memory {
namespace {

constexpr std::size_t kMany = 6;

class SlotsOfARoom : public ::testing::Test {
 protected:
  SlotsOfARoom() { slots_.open({memory_.data(), memory_.size()}); }

  std::vector<std::byte> memory_ = std::vector<std::byte>(kMany * Slots::kBytes);
  Slots slots_;
};

TEST_F(SlotsOfARoom, HalfAreForEachUse) {
  std::vector<Slot*> of_puts;
  while (Slot* const slot = slots_.take(Slot::Use::kPut, 1)) of_puts.push_back(slot);
  EXPECT_EQ(kMany / 2, of_puts.size());
  unsigned of_gets = 0;
  while (slots_.take(Slot::Use::kGet, 1)) ++of_gets;
  EXPECT_EQ(kMany / 2, of_gets);
  slots_.give_back(*of_puts.back());
  EXPECT_EQ(nullptr, slots_.take(Slot::Use::kGet, 1)) << "it belongs to the other use";
  EXPECT_EQ(of_puts.back(), slots_.take(Slot::Use::kPut, 1));
}

TEST_F(SlotsOfARoom, AreFilledOnceByWhomTheyWereLentTo) {
  Slot* const slot = slots_.take(Slot::Use::kPut, 3);
  EXPECT_EQ(nullptr, slots_.came(2, slot->memory));
  EXPECT_EQ(nullptr, slots_.came(3, slot->memory + 8));
  EXPECT_EQ(nullptr, slots_.came(3, memory_.data() + memory_.size()));
  EXPECT_EQ(nullptr, slots_.came(3, memory_.data() - 1));
  EXPECT_EQ(slot, slots_.came(3, slot->memory));
  EXPECT_EQ(nullptr, slots_.came(3, slot->memory)) << "twice";
}

TEST_F(SlotsOfARoom, OfADeadRankAreNotUsedAgain) {
  Slot* const lost = slots_.take(Slot::Use::kPut, 1);
  Slot* const kept = slots_.take(Slot::Use::kPut, 2);
  slots_.retire(1);
  EXPECT_EQ(nullptr, slots_.came(1, lost->memory));
  EXPECT_EQ(kept, slots_.came(2, kept->memory));
  slots_.give_back(*kept);
  unsigned left = 0;
  while (Slot* const slot = slots_.take(Slot::Use::kPut, 1)) {
    EXPECT_NE(lost, slot);
    ++left;
  }
  EXPECT_EQ(kMany / 2 - 1, left);
  slots_.retire(1);
  EXPECT_FALSE(slots_.has_any(Slot::Use::kPut));
  EXPECT_TRUE(slots_.has_any(Slot::Use::kGet));
}

TEST(SlotsWithoutRoom, AreNone) {
  Slots slots;
  EXPECT_FALSE(slots.is_open());
  slots.open({});
  EXPECT_TRUE(slots.is_open());
  EXPECT_FALSE(slots.has_any(Slot::Use::kPut));
  EXPECT_EQ(nullptr, slots.take(Slot::Use::kGet, 0));
}

}  // namespace
}  // namespace aqueduct::extended::device_memory
