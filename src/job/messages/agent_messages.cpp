#include "job/messages/agent_messages.hpp"

#include <type_traits>
#include <utility>

#include "base/fields.hpp"

namespace aqueduct::job::agent {
namespace {

void visit_key(auto& to, const net::JobKey& key) { to(key.bytes()); }
void visit_key(FieldReader& from, net::JobKey& key) {
  key = net::JobKey::filled_by([&](std::span<std::uint8_t, net::JobKey::kBytes> bytes) { from(bytes); });
}

// The fields of each message, in their order, for encoding and decoding.
template <class To>
void visit_fields(To& to, auto& message) {
  using Kind = std::remove_cvref_t<decltype(message)>;
  auto& m = message;
  if constexpr (std::is_same_v<Kind, Hello>) {
    to(m.protocol, m.version, m.machine, m.interfaces, m.reached_at, m.seen_from);
  } else if constexpr (std::is_same_v<Kind, Meet>) {
    visit_key(to, m.key);
    to(m.participants, m.on_loopback);
  } else if constexpr (std::is_same_v<Kind, Meeting>) {
    to(m.port);
  } else if constexpr (std::is_same_v<Kind, Reach>) {
    visit_key(to, m.key);
    to(m.participants, m.addresses);
  } else if constexpr (std::is_same_v<Kind, Reached>) {
    to(m.index, m.why_not);
  } else if constexpr (std::is_same_v<Kind, Start>) {
    to(m.size, m.ranks, m.machines, m.command, m.directory, m.environment, m.conduit, m.bind, m.tag,
       m.rendezvous, m.launcher);
    visit_key(to, m.key);
  } else if constexpr (std::is_same_v<Kind, Failed>) {
    to(m.why, m.code);
  } else if constexpr (std::is_same_v<Kind, Happened>) {
    to(m.kind, m.rank, m.number, m.text);
  } else if constexpr (std::is_same_v<Kind, Written>) {
    to(m.rank, m.channel, m.text);
  } else if constexpr (std::is_same_v<Kind, Input>) {
    to(m.text);
  } else if constexpr (std::is_same_v<Kind, Taken>) {
    to(m.bytes);
  } else if constexpr (std::is_same_v<Kind, Signal> || std::is_same_v<Kind, Signalled>) {
    to(m.number);
  } else if constexpr (std::is_same_v<Kind, Leave>) {
    to(m.code);
  } else if constexpr (std::is_same_v<Kind, Hold>) {
    to(m.channel, m.is_held);
  } else if constexpr (std::is_same_v<Kind, Beat>) {
    to(m.patience_ms);
  } else if constexpr (std::is_same_v<Kind, Ask>) {
    to(m.machines, m.ranks);
  } else if constexpr (std::is_same_v<Kind, Pause>) {
    to(m.is_paused);
  } else if constexpr (std::is_same_v<Kind, Facts>) {
    to(m.json);
  } else if constexpr (std::is_same_v<Kind, Died>) {
    to(m.rank);
  } else if constexpr (std::is_same_v<Kind, Inspect>) {
    to(m.with_stacks, m.with_counters);
  } else if constexpr (std::is_same_v<Kind, Inspected>) {
    to(m.states);
  } else {
    static_assert(std::is_empty_v<Kind>);
  }
}

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kKindBytes = 1;

template <std::size_t... Index>
std::optional<Message> decode_kind(std::size_t kind, std::string_view fields, std::index_sequence<Index...>) {
  std::optional<Message> message;
  const auto decode = [&]<class Kind>(Kind decoded) {
    FieldReader reader(fields);
    visit_fields(reader, decoded);
    if (reader.is_complete()) message = std::move(decoded);
  };
  ((kind == Index ? decode(std::variant_alternative_t<Index, Message>()) : void()), ...);
  return message;
}

}  // namespace

WipedText encode(const Message& message) {
  WipedText fields;
  FieldWriter writer(fields);
  std::visit([&](const auto& each) { visit_fields(writer, each); }, message);
  WipedText frame;
  FieldWriter header(frame);
  header(static_cast<std::uint32_t>(fields.size() + kKindBytes),
         static_cast<std::uint8_t>(message.index() + 1));
  return frame + fields;
}

std::optional<Message> Decoder::next() {
  std::string_view rest = std::string_view(buffer_).substr(begin_);
  std::uint32_t length = 0;
  FieldReader header(rest);
  header(length);
  if (is_broken_ || !header.is_good()) return std::nullopt;
  if (length < kKindBytes || length > kLongestFrame) {
    is_broken_ = true;
    return std::nullopt;
  }
  if (rest.size() < kLengthBytes + length) return std::nullopt;
  const std::string_view frame = rest.substr(kLengthBytes, length);
  std::optional<Message> message =
      decode_kind(static_cast<std::size_t>(static_cast<unsigned char>(frame[0])) - 1,
                  frame.substr(kKindBytes), std::make_index_sequence<std::variant_size_v<Message>>());
  is_broken_ = !message;
  wipe(buffer_.data() + begin_, kLengthBytes + length);
  begin_ += kLengthBytes + length;
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = 0;
  } else if (begin_ > buffer_.size() / 2) {
    buffer_ = WipedText(buffer_, begin_);  // erase() would leave a copy of the moved bytes
    begin_ = 0;
  }
  return message;
}

Happened happened(const RankEvent& event) {
  return {static_cast<std::uint8_t>(event.kind), event.rank, event.number, event.text};
}

std::optional<RankEvent> event_in(const Happened& happened) {
  const bool is_known = happened.kind >= static_cast<std::uint8_t>(RankEvent::Kind::kStarted) &&
                        happened.kind <= static_cast<std::uint8_t>(RankEvent::Kind::kHangs);
  if (!is_known) return std::nullopt;
  return RankEvent{static_cast<RankEvent::Kind>(happened.kind), happened.rank, happened.number,
                   happened.text};
}

std::optional<Version> version_in(std::string_view bytes) {
  std::uint32_t length = 0;
  std::uint8_t kind = 0;
  Version version;
  FieldReader reader(bytes);
  reader(length, kind, version.protocol, version.version);
  if (!reader.is_good() || kind != 1) return std::nullopt;
  return version;
}

}  // namespace aqueduct::job::agent
