// Announcements from ranks: what is malformed is dropped, what follows it still arrives.
#include "job/place/control.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace {

using namespace aqueduct::job;

class Control : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends_), 0); }
  void TearDown() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  void send_raw(const std::string& bytes) {
    ASSERT_EQ(send(ends_[1], bytes.data(), bytes.size(), 0), ssize_t(bytes.size()));
  }

  int ends_[2] = {-1, -1};
};

TEST_F(Control, ExitArrives) {
  EXPECT_TRUE(announce_exit(ends_[1], -7));
  const auto news = receive_announcement(ends_[0]);
  ASSERT_TRUE(news);
  EXPECT_EQ(news->kind, ControlKind::kExit);
  EXPECT_EQ(news->code, -7);
  EXPECT_FALSE(receive_announcement(ends_[0]));
}

TEST_F(Control, StartAndReturnArrive) {
  EXPECT_TRUE(announce_start(ends_[1], 2500));
  EXPECT_TRUE(announce_return(ends_[1]));
  const auto start = receive_announcement(ends_[0]);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->kind, ControlKind::kStart);
  EXPECT_EQ(start->code, 2500);
  const auto end = receive_announcement(ends_[0]);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, ControlKind::kReturn);
}

TEST_F(Control, AbortArrivesAsOneLineOfAtMostItsLimit) {
  EXPECT_TRUE(announce_abort(ends_[1], ("two\nlines" + std::string(5000, 'x')).c_str()));
  const auto news = receive_announcement(ends_[0]);
  ASSERT_TRUE(news);
  EXPECT_EQ(news->kind, ControlKind::kAbort);
  EXPECT_EQ(news->text.size(), kMaxAbortText);
  EXPECT_EQ(news->text.substr(0, 10), "two linesx");
}

TEST_F(Control, AbortNamesTheRankThatDoesNotAnswer) {
  EXPECT_TRUE(announce_abort(ends_[1], "the reason"));
  EXPECT_TRUE(announce_abort(ends_[1], "the reason", 0));
  EXPECT_TRUE(announce_abort(ends_[1], "the reason", 7));
  for (const int code : {0, 1, 8}) {
    const auto news = receive_announcement(ends_[0]);
    ASSERT_TRUE(news);
    EXPECT_EQ(news->kind, ControlKind::kAbort);
    EXPECT_EQ(news->code, code);
    EXPECT_EQ(news->text, "the reason");
  }
}

TEST_F(Control, MalformedMessagesAreDropped) {
  send_raw("x");
  send_raw(std::string(8, '\0'));
  send_raw(std::string("\1\0\0\0\0\0\0\0surplus", 15));
  send_raw(std::string("\2\0\0\0\0\0\0\0", 8));
  send_raw(std::string(9000, '\2'));
  announce_exit(ends_[1], 3);
  const auto news = receive_announcement(ends_[0]);
  ASSERT_TRUE(news);
  EXPECT_EQ(news->code, 3);
}

TEST_F(Control, LostSupervisorIsAnAnswer) {
  close(ends_[0]);
  EXPECT_FALSE(announce_exit(ends_[1], 0));
  EXPECT_FALSE(announce_abort(ends_[1], "text"));
  ends_[0] = -1;
}

}  // namespace
