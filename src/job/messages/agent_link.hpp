// A connection that carries messages of job/messages/agent_messages.hpp: two descriptors, which may be pipes
// or one socket, neither of which blocks.
//
// What is sent is queued and leaves when the other end takes it; nothing of what has gone or has been read is
// left in memory. One thread.
#pragma once
#include <functional>
#include <string>

#include "job/messages/agent_messages.hpp"
#include "net/event_set.hpp"

namespace aqueduct::job::agent {

class Link {
 public:
  /// Makes both not block. `preamble`: whatever comes before kPreamble is skipped.
  Link(net::Descriptor in, net::Descriptor out, bool skips_preamble);

  /// Watches both from now on, and stays where it is: calls `hear` when something has come, which receive()
  /// reads, and writes by itself what is queued when the other end takes it.
  void watch(net::EventSet& events, std::function<void()> hear);
  /// Watches neither any more, and closes both. To be called before the link goes while its set of events
  /// stays.
  void close();

  void send(const Message& message);
  void send_raw(std::string_view bytes);
  /// Writes what can be written now.
  void flush();
  /// How much waits to be written.
  std::size_t backlog() const { return outgoing_.size() - sent_; }

  /// Reads what has come. True if something has.
  bool receive();
  std::optional<Message> next() { return is_introduced_ ? decoder_.next() : std::nullopt; }

  /// The other end has closed it, or it is broken; what came before may still be read.
  bool is_closed() const { return is_closed_; }
  /// What came is no message.
  bool is_garbled() const { return decoder_.is_broken() || is_noise_; }
  /// The first bytes after the preamble, if there is one: where is_garbled(), a Hello of another protocol may
  /// be in them.
  const std::string& first_bytes() const { return first_bytes_; }
  bool is_open() const { return static_cast<bool>(in_); }

 private:
  void take(std::string_view bytes);

  net::Descriptor in_;
  net::Descriptor out_;
  net::EventSet* events_ = nullptr;
  bool is_out_watched_ = false;
  WipedText outgoing_;
  std::size_t sent_ = 0;
  std::string before_;  // the preamble
  std::string first_bytes_;
  Decoder decoder_;
  bool has_preamble_;
  bool is_introduced_;
  bool is_noise_ = false;
  bool is_closed_ = false;
};

}  // namespace aqueduct::job::agent
