// The connection between two wardens: messages of agents (job/messages/rank_messages.hpp) over one socket,
// with a heartbeat. One thread.
//
// It describes errors as what the other warden has done ("has closed its connection ..."), for the line that
// ends the job.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "job/messages/heartbeat.hpp"
#include "job/messages/rank_messages.hpp"

namespace aqueduct::job::warden {

class WardenConnection {
 public:
  /// Watches `socket`, which is connected, from now on, and calls `is_ready` when there is something for
  /// serve() to read.
  WardenConnection(net::Descriptor socket, std::uint32_t patience_ms, net::EventSet& events,
                   std::function<void()> is_ready);

  void send(const agent::RankMessage& message) { link_.send(message); }
  void close() { link_.close(); }
  /// Whether either end has closed it.
  bool is_closed() const { return link_.is_closed(); }

  /// Passes each message that has come to `hear`, until that closes the connection. Returns the error, if
  /// there is one.
  std::string serve(const std::function<void(const agent::RankMessage&)>& hear);
  /// Call it at next_ns() at the latest. Returns the error, if there is one.
  std::string keep_time();
  std::uint64_t next_ns() const { return heartbeat_.next_ns(); }

  /// The error of a message that wardens do not send.
  static constexpr char kNonsense[] = "says what no warden says";

 private:
  RankLink link_;
  std::uint32_t patience_ms_;
  Heartbeat heartbeat_;
};

}  // namespace aqueduct::job::warden
