// How messages lie in slots.
#include "papers/nic/extoll/mailbox.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace aqueduct::extoll {
namespace {

std::uint64_t word(const Mailbox& mailbox, std::size_t slot, std::size_t index) {
  std::uint64_t value;
  std::memcpy(&value, mailbox.slot(slot).data() + 8 * index, 8);
  return value;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span{text}); }

TEST(Mailbox, StatusHasTheFieldsOfTheCard) {
  const VeloStatus status{
      .source = VELO2_ADDR_PACK(0x1234, 0x56), .tag = 0x78, .mtt = 3, .length = 56, .end_of_message = true};
  const std::uint64_t expected = std::uint64_t{0x1234} | std::uint64_t{0x56} << 16 | std::uint64_t{3} << 32 |
                                 std::uint64_t{1} << 36 | std::uint64_t{0x78} << 40 | std::uint64_t{56} << 48;
  EXPECT_EQ(status.encode(), expected);
  const VeloStatus again = VeloStatus::decode(expected);
  EXPECT_EQ(again.source, status.source);
  EXPECT_EQ(again.tag, 0x78);
  EXPECT_EQ(again.mtt, 3);
  EXPECT_EQ(again.length, 56);
  EXPECT_TRUE(again.end_of_message);
}

TEST(Mailbox, AStatusIsNeverZero) {
  EXPECT_NE((VeloStatus{.end_of_message = true}).encode(), 0u);
  EXPECT_NE((VeloStatus{.length = 56}).encode(), 0u);
}

TEST(Mailbox, PayloadLiesRightBelowTheStatusInWholeQuadwords) {
  Mailbox mailbox(2);
  const std::string text = "0123456789";
  mailbox.write({.length = 10, .end_of_message = true}, bytes_of(text));
  // Ten bytes are two quadwords: words 5 and 6, and the status is word 7.
  EXPECT_EQ(std::memcmp(mailbox.slot(0).data() + 40, text.data(), 10), 0);
  EXPECT_NE(word(mailbox, 0, 7), 0u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(word(mailbox, 0, i), 0u) << i;
  EXPECT_EQ(word(mailbox, 1, 7), 0u);
}

TEST(Mailbox, ReadingClearsTheStatusAndCommitMakesRoom) {
  Mailbox mailbox(1);
  const std::string text(VELO2_SLOT_PAYLOAD, 'x');
  VeloStatus status;
  std::byte read[VELO2_SLOT_PAYLOAD];
  EXPECT_FALSE(mailbox.peek(&status));
  mailbox.write({.tag = 7, .length = VELO2_SLOT_PAYLOAD, .end_of_message = true}, bytes_of(text));
  EXPECT_FALSE(mailbox.has_room());
  ASSERT_TRUE(mailbox.peek(&status));
  EXPECT_EQ(status.tag, 7);
  mailbox.read(read);
  EXPECT_EQ(std::memcmp(read, text.data(), sizeof read), 0);
  EXPECT_EQ(word(mailbox, 0, 7), 0u);
  EXPECT_FALSE(mailbox.peek(&status));
  EXPECT_EQ(mailbox.uncommitted(), 1u);
  EXPECT_FALSE(mailbox.has_room()) << "the card was not told yet";
  mailbox.commit();
  EXPECT_TRUE(mailbox.has_room());
  EXPECT_EQ(mailbox.uncommitted(), 0u);
}

}  // namespace
}  // namespace aqueduct::extoll
