#include "job/place/control.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace aqueduct::job {
namespace {

struct WireHeader {
  ControlKind kind;
  std::int32_t code;
};
static_assert(sizeof(WireHeader) == 8);

struct WireMessage {
  WireHeader header;
  char text[kMaxAbortText];
};

bool send_message(int control_fd, const WireMessage& message, std::size_t text_bytes) {
  const std::size_t size = sizeof(WireHeader) + text_bytes;
  ssize_t sent;
  do {
    sent = send(control_fd, &message, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(size);
}

bool send_number(int control_fd, ControlKind kind, int number) {
  WireMessage message;
  message.header = {kind, number};
  return send_message(control_fd, message, 0);
}

}  // namespace

bool announce_exit(int control_fd, int code) { return send_number(control_fd, ControlKind::kExit, code); }

bool announce_start(int control_fd, int timeout_ms) {
  return send_number(control_fd, ControlKind::kStart, timeout_ms);
}

bool announce_return(int control_fd) { return send_number(control_fd, ControlKind::kReturn, 0); }

bool announce_hang(int control_fd) { return send_number(control_fd, ControlKind::kHang, 0); }

bool announce_abort(int control_fd, const char* text, int peer) {
  WireMessage message;
  message.header = {ControlKind::kAbort, peer + 1};
  const std::size_t length = strnlen(text, kMaxAbortText);
  std::memcpy(message.text, text, length);
  return send_message(control_fd, message, length);
}

std::optional<Announcement> receive_announcement(int control_fd) {
  for (;;) {
    WireMessage message;
    const ssize_t received = recv(control_fd, &message, sizeof message, MSG_DONTWAIT | MSG_TRUNC);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return std::nullopt;
    const auto size = static_cast<std::size_t>(received);
    if (size < sizeof(WireHeader) || size > sizeof message) continue;
    const std::size_t text_bytes = size - sizeof(WireHeader);
    const ControlKind kind = message.header.kind;
    const bool has_number = kind == ControlKind::kStart || kind == ControlKind::kExit ||
                            kind == ControlKind::kReturn || kind == ControlKind::kHang;
    if (has_number && text_bytes == 0) return Announcement{kind, message.header.code, {}};
    if (kind == ControlKind::kAbort && text_bytes > 0) {
      std::string text(message.text, text_bytes);
      std::replace_if(
          text.begin(), text.end(), [](char c) { return c == '\n' || c == '\0'; }, ' ');
      return Announcement{ControlKind::kAbort, message.header.code, std::move(text)};
    }
  }
}

}  // namespace aqueduct::job
