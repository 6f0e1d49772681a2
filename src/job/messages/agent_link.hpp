// A connection that carries messages of job/messages/agent_messages.hpp, over two non-blocking descriptors:
// two pipes, or one socket twice.
//
// Messages are queued until the other end takes them; bytes that have been sent or read are wiped from
// memory. One thread.
#pragma once
#include <functional>
#include <string>

#include "job/messages/agent_messages.hpp"
#include "net/event_set.hpp"

namespace aqueduct::job::agent {

class Link {
 public:
  /// Makes the descriptors non-blocking. `skips_preamble`: skips all bytes up to kPreamble.
  Link(net::Descriptor in, net::Descriptor out, bool skips_preamble);
  explicit Link(net::Descriptor socket);

  /// Watches both descriptors from now on; the link must not move. Calls `hear` when there is something for
  /// receive() to read; writes queued bytes by itself when the other end takes them.
  void watch(net::EventSet& events, std::function<void()> hear);
  /// Stops watching, and closes both. Call it before destroying the link if its set of events lives on.
  void close();

  void send(const Message& message);
  void send_raw(std::string_view bytes);
  /// Writes as many queued bytes as possible now.
  void flush();
  /// How many bytes are queued.
  std::size_t backlog() const { return outgoing_.size() - sent_; }

  /// Reads what has come. True if there was something.
  bool receive();
  std::optional<Message> next() { return is_introduced_ ? decoder_.next() : std::nullopt; }

  /// The other end has closed the connection, or it is broken; next() may still return messages that came
  /// before.
  bool is_closed() const { return is_closed_; }
  /// The bytes that came are not a message.
  bool is_garbled() const { return decoder_.is_broken() || is_noise_; }
  /// The first bytes after the preamble, if there is one: if is_garbled(), they may hold a Hello of another
  /// protocol.
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
