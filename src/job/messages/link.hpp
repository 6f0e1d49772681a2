// A connection that carries messages (job/messages/frames.hpp), over two non-blocking descriptors: two pipes,
// or a socket and a copy of its descriptor.
//
// Messages are queued until the other end takes them; bytes that have been sent or read are wiped from
// memory. One thread.
#pragma once
#include <functional>
#include <string>

#include "job/messages/frames.hpp"
#include "net/descriptor.hpp"
#include "net/event_set.hpp"

namespace aqueduct::job {

/// The connection, whatever its messages are.
class FrameLink {
 public:
  /// Makes the descriptors non-blocking. If there is a preamble, skips all bytes up to its end.
  FrameLink(net::Descriptor in, net::Descriptor out, std::string_view preamble = {});
  explicit FrameLink(net::Descriptor socket);

  /// Watches both descriptors from now on; the link must not move. Calls `hear` when there is something for
  /// receive() to read; writes queued bytes by itself when the other end takes them.
  void watch(net::EventSet& events, std::function<void()> hear);
  /// Stops watching, and closes both. Call it before destroying the link if its set of events lives on.
  void close();

  void send_raw(std::string_view bytes);
  /// Writes as many queued bytes as possible now.
  void flush();
  /// How many bytes are queued.
  std::size_t backlog() const { return outgoing_.size() - sent_; }

  /// Reads what has come. True if there was something.
  bool receive();

  /// The other end has closed the connection, or it is broken; next() may still return messages that came
  /// before.
  bool is_closed() const { return is_closed_; }
  /// The bytes that came are not a message.
  bool is_garbled() const { return frames_.is_broken() || is_noise_; }
  /// The first bytes after the preamble, if there is one: if is_garbled(), they may be of another version.
  const std::string& first_bytes() const { return first_bytes_; }
  bool is_open() const { return static_cast<bool>(in_); }

 protected:
  FrameReader frames_;

 private:
  void take(std::string_view bytes);

  net::Descriptor in_;
  net::Descriptor out_;
  net::EventSet* events_ = nullptr;
  bool is_out_watched_ = false;
  WipedText outgoing_;
  std::size_t sent_ = 0;
  std::string_view preamble_;
  std::string before_;  // what has come before the end of the preamble
  std::string first_bytes_;
  bool is_introduced_;
  bool is_noise_ = false;
  bool is_closed_ = false;
};

/// `Message`: a variant of kinds.
template <class Message>
class MessageLink final : public FrameLink {
 public:
  using FrameLink::FrameLink;
  void send(const Message& message) { send_raw(Codec<Message>::encode(message)); }
  std::optional<Message> next() { return Codec<Message>::next(frames_); }
};

}  // namespace aqueduct::job
