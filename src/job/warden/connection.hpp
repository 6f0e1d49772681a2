// The connection between two wardens: messages of agents (job/messages/agent_messages.hpp) over one socket,
// with a heartbeat. One thread.
//
// What is wrong with it is said as what the other warden does or did ("has closed its connection ..."), for
// the line that ends the job.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "job/messages/agent_link.hpp"
#include "job/messages/heartbeat.hpp"

namespace aqueduct::job::warden {

class Connection {
 public:
  /// `socket` is connected. It is watched from now on: `is_ready` is called when something has come, which
  /// serve() reads.
  Connection(net::Descriptor socket, std::uint32_t patience_ms, net::EventSet& events,
             std::function<void()> is_ready);

  void send(const agent::Message& message) { link_.send(message); }
  void close() { link_.close(); }
  /// By either end.
  bool is_closed() const { return link_.is_closed(); }

  /// Gives `hear` what has come, until that closes the connection. Returns what is wrong, if anything is.
  std::string serve(const std::function<void(const agent::Message&)>& hear);
  /// To be called at next_ns() at the latest. Returns what is wrong, if anything is.
  std::string keep_time();
  std::uint64_t next_ns() const { return heartbeat_.next_ns(); }

  /// Of a message that wardens do not send.
  static constexpr char kNonsense[] = "says what no warden says";

 private:
  agent::Link link_;
  std::uint32_t patience_ms_;
  Heartbeat heartbeat_;
};

}  // namespace aqueduct::job::warden
