// Lines and sinks by themselves.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "job/supervision/output.hpp"

namespace {

using aqueduct::job::LineSource;
using aqueduct::job::OutputSink;

class Sink : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(pipe2(in_, O_NONBLOCK), 0);
    ASSERT_EQ(pipe2(out_, O_NONBLOCK), 0);
  }
  void TearDown() override {
    for (const int fd : {in_[0], in_[1], out_[0], out_[1]}) close(fd);
  }
  void feed(LineSource& source, OutputSink& sink, const std::string& text) {
    ASSERT_EQ(write(in_[1], text.data(), text.size()), ssize_t(text.size()));
    EXPECT_TRUE(source.read_some(in_[0], sink));
  }
  std::string written(OutputSink& sink) {
    sink.write_some();
    std::string text(65536, '\0');
    const ssize_t length = read(out_[0], text.data(), text.size());
    text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return text;
  }

  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
};

TEST_F(Sink, PartOfALineWaitsForTheRest) {
  OutputSink sink(out_[1]);
  LineSource source(3, true);
  feed(source, sink, "one\ntw");
  EXPECT_EQ(written(sink), "[3] one\n");
  feed(source, sink, "o\n\n");
  EXPECT_EQ(written(sink), "[3] two\n[3] \n");
}

TEST_F(Sink, UnfinishedLineIsHandedOnAtTheEnd) {
  OutputSink sink(out_[1]);
  LineSource source(0, false);
  feed(source, sink, "rest");
  source.finish(sink);
  EXPECT_EQ(written(sink), "rest");
}

TEST_F(Sink, OverlongLineComesInPiecesWithOneTag) {
  OutputSink sink(out_[1]);
  LineSource source(1, true);
  std::string all;
  for (int i = 0; i < 10; ++i) {
    feed(source, sink, std::string(60000, 'x'));
    all += written(sink);
  }
  EXPECT_FALSE(all.empty());
  feed(source, sink, "\n");
  for (std::string more; !(more = written(sink)).empty();) all += more;
  EXPECT_EQ(all, "[1] " + std::string(600000, 'x') + "\n");
}

TEST_F(Sink, FullPipeKeepsABacklogAndLosesNothing) {
  OutputSink sink(out_[1]);
  const std::string line = std::string(999, 'x') + "\n";
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    sink.append(0, line);
    expected += line;
  }
  sink.write_some();
  EXPECT_GT(sink.backlog(), 0u);
  std::string got;
  for (std::string more; !(more = written(sink)).empty();) got += more;
  EXPECT_EQ(got, expected);
  EXPECT_TRUE(sink.is_empty());
}

TEST_F(Sink, ClosedReaderIsAnErrorAndEndsTheBacklog) {
  std::signal(SIGPIPE, SIG_IGN);
  OutputSink sink(out_[1]);
  close(out_[0]);
  sink.append(0, "lost\n");
  sink.write_some();
  EXPECT_EQ(sink.error(), EPIPE);
  EXPECT_TRUE(sink.is_empty());
  std::signal(SIGPIPE, SIG_DFL);
  out_[0] = -1;
}

}  // namespace
