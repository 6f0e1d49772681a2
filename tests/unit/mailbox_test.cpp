// The mailbox alone: one sender and one receiver, as two threads, over the same memory.
#include "core/mailbox/mailbox.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "support/pattern.hpp"

namespace aqueduct::core {
namespace {

using test::key_of;
using Queue = MailboxMemory<64>;
using Express = MailboxMemory<1>;

// Zero-filled, as a fresh memfd is.
template <class Memory>
struct Pair {
  std::unique_ptr<Memory, void (*)(void*)> memory{
      new (std::aligned_alloc(kPage, round_up(sizeof(Memory), kPage))) Memory{}, std::free};
  CumulativeAckWord ack_word{};
  MailboxSender<Memory> sender;
  MailboxReceiver<Memory> receiver;

  Pair() {
    sender.open(memory.get(), &ack_word);
    receiver.open(memory.get(), &ack_word);
  }
};

template <class Memory>
class Mailbox : public ::testing::Test {
 protected:
  Pair<Memory> pair;
};
using Shapes = ::testing::Types<Express, Queue>;
TYPED_TEST_SUITE(Mailbox, Shapes);

Message short_message(const std::array<std::int32_t, am::kMaxArgs>& args, unsigned nargs) {
  Message message;
  message.handler = 200;
  message.nargs = static_cast<std::uint8_t>(nargs);
  message.args = args.data();
  return message;
}

TYPED_TEST(Mailbox, ZeroedMemoryIsEmpty) {
  Header header;
  EXPECT_FALSE(this->pair.receiver.peek(&header));
  EXPECT_FALSE(this->pair.sender.peek_answer(&header));
  EXPECT_FALSE(this->pair.sender.outstanding());
  EXPECT_FALSE(this->pair.sender.full());
}

TYPED_TEST(Mailbox, IsFullAfterAsManyRequestsAsItHasSlotsAndFreeAgainWhenTheFirstIsSettled) {
  std::array<std::int32_t, am::kMaxArgs> args{};
  Header header;
  for (std::uint32_t i = 0; i < TypeParam::kSlots; ++i) {
    ASSERT_FALSE(this->pair.sender.full());
    this->pair.sender.write(short_message(args, 1), 0);
  }
  EXPECT_TRUE(this->pair.sender.full());
  EXPECT_FALSE(this->pair.sender.peek_answer(&header)) << "nothing was answered yet";
  ASSERT_TRUE(this->pair.receiver.peek(&header));
  const Slot slot = this->pair.receiver.take();
  slot.publish(Header::done(slot.lap));
  EXPECT_TRUE(this->pair.sender.full()) << "the answer was not taken yet";
  ASSERT_TRUE(this->pair.sender.peek_answer(&header));
  this->pair.sender.finish(this->pair.sender.claim());
  EXPECT_FALSE(this->pair.sender.full());
}

struct Content {
  std::array<std::int32_t, am::kMaxArgs> args;
  std::vector<unsigned char> payload;
  Message message;
};

// A message whose every part follows from `key`.
Content make_content(std::uint64_t key, Category category, bool is_reply, unsigned nargs, std::size_t bytes,
                     void* destination) {
  Content content;
  for (unsigned i = 0; i < am::kMaxArgs; ++i) content.args[i] = static_cast<std::int32_t>(key_of(key, i));
  content.payload = test::patterned(bytes, key);
  content.message = {category,
                     is_reply,
                     static_cast<std::uint8_t>(128 + key % 128),
                     static_cast<std::uint8_t>(nargs),
                     nullptr,
                     nullptr,
                     bytes,
                     destination};
  return content;
}
// Points into the content, so it is made when the content has found its place.
Message message_of(const Content& content) {
  Message message = content.message;
  message.args = content.args.data();
  message.payload = content.payload.data();
  return message;
}

void expect_content(const Message& seen, const Content& sent, std::uint64_t key) {
  EXPECT_EQ(seen.is_reply, sent.message.is_reply);
  EXPECT_EQ(seen.category, sent.message.category);
  EXPECT_EQ(seen.handler, sent.message.handler);
  ASSERT_EQ(seen.nargs, sent.message.nargs);
  for (unsigned i = 0; i < seen.nargs; ++i) ASSERT_EQ(seen.args[i], sent.args[i]) << "argument " << i;
  ASSERT_EQ(seen.payload_bytes, sent.payload.size());
  EXPECT_TRUE(test::holds(seen.payload, seen.payload_bytes, key));
}

TYPED_TEST(Mailbox, CarriesEveryNumberOfArgumentsInEveryCategoryBothWays) {
  std::array<std::int32_t, am::kMaxArgs> spill;
  std::vector<std::byte> segment(kLargeBytes);
  std::uint64_t key = 0;
  for (Category category : {Category::kShort, Category::kMedium, Category::kLong})
    for (unsigned nargs = 0; nargs <= am::kMaxArgs; ++nargs)
      for (std::size_t bytes :
           {std::size_t{0}, std::size_t{1}, kInlineBytes, kInlineBytes + 1, kLargeBytes}) {
        if (category == Category::kShort && bytes != 0) continue;
        void* const destination = category == Category::kLong ? segment.data() : nullptr;
        Header header;
        const Content request = make_content(++key, category, false, nargs, bytes, destination);
        this->pair.sender.write(message_of(request), 0);
        ASSERT_TRUE(this->pair.receiver.peek(&header));
        const Slot slot = this->pair.receiver.take();
        expect_content(slot.view(header, spill.data()), request, key);

        const Content reply = make_content(++key, category, true, nargs, bytes, destination);
        slot.publish(slot.fill(message_of(reply), 0));
        ASSERT_TRUE(this->pair.sender.peek_answer(&header));
        const std::uint64_t position = this->pair.sender.claim();
        expect_content(this->pair.sender.slot(position).view(header, spill.data()), reply, key);
        this->pair.sender.finish(position);
        EXPECT_FALSE(this->pair.sender.outstanding());
      }
}

// Answers may come in any order, and come late; requests and replies are still each seen once and in order.
TYPED_TEST(Mailbox, LosesAndDoublesNothingBetweenTwoThreads) {
  // A lap count of eight bits wraps, in either mailbox; that of one slot takes turns for each message.
  constexpr std::uint64_t kMessages = TypeParam::kSlots == 1 ? 5'000 : 20'000;
  constexpr std::size_t kBytes = 40;
  auto& pair = this->pair;

  std::thread receiver([&pair] {
    std::vector<std::pair<Slot, std::uint64_t>> unanswered;
    std::array<std::int32_t, am::kMaxArgs> spill;
    std::uint64_t next = 0;
    const auto answer = [&](std::size_t at) {
      const auto [slot, number] = unanswered[at];
      unanswered.erase(unanswered.begin() + static_cast<std::ptrdiff_t>(at));
      if (number % 3 == 0) {
        slot.publish(Header::done(slot.lap));
      } else {
        const Content reply = make_content(~number, Category::kMedium, true, 3, kBytes, nullptr);
        slot.publish(slot.fill(message_of(reply), 0));
      }
    };
    while (next < kMessages || !unanswered.empty()) {
      Header header;
      if (next < kMessages && pair.receiver.peek(&header)) {
        const Slot slot = pair.receiver.take();
        const Content request = make_content(next, Category::kMedium, false, 5, kBytes, nullptr);
        expect_content(slot.view(header, spill.data()), request, next);
        unanswered.emplace_back(slot, next++);
      } else if (!unanswered.empty()) {
        answer(test::mix(next) % unanswered.size());
      } else {
        std::this_thread::yield();
      }
    }
  });

  std::array<std::int32_t, am::kMaxArgs> spill;
  std::uint64_t sent = 0, settled = 0;
  while (settled < kMessages) {
    Header header;
    if (pair.sender.peek_answer(&header)) {
      const std::uint64_t position = pair.sender.claim();
      ASSERT_EQ(header.state(), settled % 3 == 0 ? SlotState::kDone : SlotState::kReply);
      if (header.state() == SlotState::kReply) {
        const Content reply = make_content(~settled, Category::kMedium, true, 3, kBytes, nullptr);
        expect_content(pair.sender.slot(position).view(header, spill.data()), reply, ~settled);
      }
      pair.sender.finish(position);
      ++settled;
    } else if (sent < kMessages && !pair.sender.full()) {
      const Content request = make_content(sent, Category::kMedium, false, 5, kBytes, nullptr);
      pair.sender.write(message_of(request), 0);
      ++sent;
    } else {
      std::this_thread::yield();
    }
  }
  receiver.join();
  EXPECT_FALSE(pair.sender.outstanding());
}

// A receiver that counts, answers for a while as one of several threads would, and counts again.
TEST(MailboxAck, LosesAndDoublesNothingBetweenTwoThreads) {
  constexpr std::uint64_t kMessages = 60'000;
  Pair<Queue> pair;
  const auto has_reply = [](std::uint64_t number) {
    return number / 500 % 3 == 1 ? number % 2 == 0 : number / 500 % 3 == 2 && test::mix(number) % 40 == 0;
  };

  std::thread receiver([&] {
    for (std::uint64_t number = 0; number < kMessages;) {
      Header header;
      while (number < kMessages && pair.receiver.peek(&header)) {
        const Slot slot = pair.receiver.take();
        ASSERT_EQ(slot.envelope->args[0], static_cast<std::int32_t>(number));
        const bool replies = has_reply(number), counts = number / 700 % 2 == 0;
        if (!counts) pair.receiver.note_answered();
        if (replies) {
          slot.envelope->args[0] = ~static_cast<std::int32_t>(number);
          slot.publish(Header::make(slot.lap, SlotState::kReply, Category::kShort, 200, 1));
        } else if (!counts) {
          slot.publish(Header::done(slot.lap));
        }
        if (counts && pair.receiver.note_handled(replies)) pair.receiver.store_ack();
        ++number;
        // As when a poll ends; the mode changes only there.
        if (test::mix(number) % 20 == 0 || number % 700 == 0) break;
      }
      if (pair.receiver.ack_is_due()) pair.receiver.store_ack();
      std::this_thread::yield();
    }
  });

  std::uint64_t sent = 0, settled = 0;
  while (settled < kMessages) {
    Header header;
    if (pair.sender.peek_answer(&header)) {
      if (header.state() == SlotState::kDone) {
        for (unsigned many = pair.sender.settle_done(); many > 0; --many, ++settled)
          ASSERT_FALSE(has_reply(settled)) << settled;
        continue;
      }
      ASSERT_TRUE(has_reply(settled)) << settled;
      const std::uint64_t position = pair.sender.claim();
      ASSERT_EQ(pair.sender.slot(position).envelope->args[0], ~static_cast<std::int32_t>(settled));
      pair.sender.finish(position);
      ++settled;
    } else if (sent < kMessages && !pair.sender.full()) {
      const auto argument = static_cast<std::int32_t>(sent++);
      pair.sender.write_short(200, 1, &argument);
    } else {
      std::this_thread::yield();
    }
  }
  receiver.join();
  EXPECT_FALSE(pair.sender.outstanding());
}

TEST(MailboxAck, FreesManySlotsAtOnceButNoneBehindAReply) {
  Pair<Queue> pair;
  const std::int32_t argument = 0;
  Header header;
  for (unsigned i = 0; i < 20; ++i) pair.sender.write_short(200, 1, &argument);
  const auto handle = [&](unsigned requests) {
    for (unsigned i = 0; i < requests; ++i) {
      ASSERT_TRUE(pair.receiver.peek(&header));
      pair.receiver.take();
      ASSERT_FALSE(pair.receiver.note_handled(false));
    }
  };
  handle(5);
  EXPECT_FALSE(pair.sender.peek_answer(&header)) << "not told yet";
  EXPECT_TRUE(pair.receiver.ack_is_due());
  ASSERT_TRUE(pair.receiver.peek(&header));
  const Slot slot = pair.receiver.take();
  slot.publish(Header::make(slot.lap, SlotState::kReply, Category::kShort, 200, 0));
  EXPECT_TRUE(pair.receiver.note_handled(true)) << "the reply would wait behind requests that have none";
  pair.receiver.store_ack();
  handle(14);
  pair.receiver.store_ack();

  for (unsigned i = 0; i < 5; ++i) {  // a reply is among those counted: one by one
    ASSERT_TRUE(pair.sender.peek_answer(&header));
    ASSERT_EQ(header.state(), SlotState::kDone);
    ASSERT_EQ(pair.sender.settle_done(), 1u);
  }
  ASSERT_TRUE(pair.sender.peek_answer(&header));
  ASSERT_EQ(header.state(), SlotState::kReply);
  pair.sender.finish(pair.sender.claim());
  ASSERT_TRUE(pair.sender.peek_answer(&header));
  EXPECT_EQ(pair.sender.settle_done(), 14u);
  EXPECT_FALSE(pair.sender.outstanding());
}

// The promise under which a receiver may answer before it is done with a payload.
TEST(MailboxPayload, StaysWhileTheNextRequestOfItsSlotIsWrittenAndAnswered) {
  Pair<Express> pair;
  std::array<std::int32_t, am::kMaxArgs> spill;
  Slot before{};
  for (std::uint64_t number = 0; number < 600; ++number) {  // beyond the last lap and back to the first
    const Content request =
        make_content(number, Category::kMedium, false, am::kMaxArgs, kInlineBytes, nullptr);
    pair.sender.write(message_of(request), 0);
    Header header;
    ASSERT_TRUE(pair.receiver.peek(&header));
    const Slot slot = pair.receiver.take();
    expect_content(slot.view(header, spill.data()), request, number);
    const Content reply = make_content(~number, Category::kMedium, true, 3, kInlineBytes, nullptr);
    slot.publish(slot.fill(message_of(reply), 0));
    if (number != 0) {
      const Content earlier =
          make_content(number - 1, Category::kMedium, false, am::kMaxArgs, kInlineBytes, nullptr);
      EXPECT_EQ(std::memcmp(before.request().payload, message_of(earlier).payload, kInlineBytes), 0)
          << number;
    }
    before = slot;
    ASSERT_TRUE(pair.sender.peek_answer(&header));
    pair.sender.finish(pair.sender.claim());
  }
}

TEST(CopySmall, CopiesJustSoManyBytes) {
  std::array<std::byte, 1200> from, to;
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(1 + i % 251);
  for (std::size_t bytes = 0; bytes <= kInlineBytes; ++bytes) {
    to.fill(std::byte{0});
    const std::size_t at = bytes % 5;  // aligned or not
    copy_small(to.data() + at, from.data() + 1, bytes);
    EXPECT_EQ(std::memcmp(to.data() + at, from.data() + 1, bytes), 0) << bytes;
    for (std::size_t i = 0; i < at; ++i) EXPECT_EQ(to[i], std::byte{0}) << bytes;
    for (std::size_t i = at + bytes; i < to.size(); ++i) EXPECT_EQ(to[i], std::byte{0}) << bytes;
  }
}

TEST(MailboxSettling, FreesASlotWhenAllBeforeItAreFinished) {
  Pair<Queue> pair;
  std::array<std::int32_t, am::kMaxArgs> args{};
  Header header;
  std::array<std::uint64_t, Queue::kSlots> positions;
  for (std::uint64_t& position : positions) {
    pair.sender.write(short_message(args, 0), 0);
    ASSERT_TRUE(pair.receiver.peek(&header));
    const Slot slot = pair.receiver.take();
    slot.publish(Header::done(slot.lap));
    ASSERT_TRUE(pair.sender.peek_answer(&header));
    position = pair.sender.claim();  // as several threads would, each with a handler still running
  }
  for (std::uint32_t i = Queue::kSlots - 1; i > 0; --i) pair.sender.finish(positions[i]);
  EXPECT_TRUE(pair.sender.full()) << "the first one is not finished";
  pair.sender.finish(positions[0]);
  EXPECT_FALSE(pair.sender.outstanding());
}

}  // namespace
}  // namespace aqueduct::core
