#include "job/hosts/agent_messages.hpp"

#include <type_traits>
#include <utility>

namespace aqueduct::job::agent {
namespace {

// The fields of each message, in their order: what both directions go by.
template <class To>
void visit_fields(To& to, auto& message) {
  using Kind = std::remove_cvref_t<decltype(message)>;
  auto& m = message;
  if constexpr (std::is_same_v<Kind, Hello>) {
    to(m.protocol, m.version, m.machine, m.interfaces, m.reached_at, m.seen_from);
  } else if constexpr (std::is_same_v<Kind, Meet>) {
    to(m.key, m.participants, m.on_loopback);
  } else if constexpr (std::is_same_v<Kind, Meeting>) {
    to(m.port);
  } else if constexpr (std::is_same_v<Kind, Reach>) {
    to(m.key, m.participants, m.addresses);
  } else if constexpr (std::is_same_v<Kind, Reached>) {
    to(m.index, m.why_not);
  } else if constexpr (std::is_same_v<Kind, Start>) {
    to(m.size, m.ranks, m.machines, m.command, m.directory, m.environment, m.conduit, m.bind, m.tag, m.key,
       m.rendezvous);
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
  } else {
    static_assert(std::is_empty_v<Kind>);
  }
}

class FieldWriter {
 public:
  explicit FieldWriter(std::string& bytes) : bytes_(bytes) {}
  void operator()(const auto&... fields) { (put(fields), ...); }

 private:
  template <class Number>
  requires std::is_integral_v<Number>
  void put(Number number) {
    auto rest = static_cast<std::uint64_t>(number);
    for (std::size_t i = 0; i < sizeof number; ++i, rest >>= 8) bytes_ += static_cast<char>(rest & 0xff);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  template <class Item>
  void put(const std::vector<Item>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const Item& item : list) put(item);
  }

  std::string& bytes_;
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}
  void operator()(auto&... fields) { (get(fields), ...); }
  bool is_complete() const { return is_good_ && rest_.empty(); }
  bool is_good() const { return is_good_; }

 private:
  template <class Number>
  requires std::is_integral_v<Number>
  void get(Number& number) {
    if (!has(sizeof number)) return;
    std::uint64_t value = 0;
    for (std::size_t i = sizeof number; i-- > 0;) value = value << 8 | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(sizeof number);
    number = static_cast<Number>(value);
  }
  void get(bool& flag) {
    std::uint8_t byte = 0;
    get(byte);
    if (byte > 1) is_good_ = false;
    flag = byte == 1;
  }
  void get(std::string& text) {
    std::uint32_t length = 0;
    get(length);
    if (!has(length)) return;
    text.assign(rest_.substr(0, length));
    rest_.remove_prefix(length);
  }
  template <class Item>
  void get(std::vector<Item>& list) {
    constexpr std::size_t kLeastItemBytes = 4;  // of a text as of a number
    std::uint32_t length = 0;
    get(length);
    if (!has(std::size_t{length} * kLeastItemBytes)) return;
    list.resize(length);
    for (Item& item : list) get(item);
  }
  bool has(std::size_t bytes) {
    if (rest_.size() < bytes) is_good_ = false;
    return is_good_;
  }

  std::string_view rest_;
  bool is_good_ = true;
};

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

std::string encode(const Message& message) {
  std::string fields;
  FieldWriter writer(fields);
  std::visit([&](const auto& each) { visit_fields(writer, each); }, message);
  std::string frame;
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
  begin_ += kLengthBytes + length;
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = 0;
  } else if (begin_ > buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  return message;
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
