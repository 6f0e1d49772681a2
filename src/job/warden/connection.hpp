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
  /// `socket` is connected, and watched from now on, as kLinkIn and kLinkOut with this index.
  Connection(net::Descriptor socket, std::uint32_t patience_ms, net::EventSet& events, std::uint32_t index);

  void send(const agent::Message& message) { link_.send(message); }
  void close() { link_.close(); }
  /// By either end.
  bool is_closed() const { return link_.is_closed(); }

  /// It is ready: `hear` gets what has come, until it closes the connection. Returns what is wrong, if
  /// anything is.
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
