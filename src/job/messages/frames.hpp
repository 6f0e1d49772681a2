// How messages between the processes of a job become bytes and back.
//
// A kind of message is a struct with its number and its fields, in the order in which they travel:
//
//   struct Signal {
//     static constexpr std::uint8_t kNumber = 13;
//     static void visit(auto& fields, auto& message) { fields(message.number); }
//     std::int32_t number = 0;
//   };
//
// A message is a variant of kinds. A frame is a length, the number of a kind, and the fields of one message.
// Numbers are in little-endian order, texts and lists begin with their length (base/fields.hpp).
//
// Some messages hold the job's key, so buffers of frames are wiped after use.
//
// Input is checked: a frame that is too long, of no known kind, or not filled exactly by its fields is not a
// message.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/fields.hpp"
#include "base/secret.hpp"

namespace aqueduct::job {

/// The longest frame; an environment and a command line of the system's largest size fit.
inline constexpr std::size_t kLongestFrame = std::size_t{16} << 20;

WipedText make_frame(std::uint8_t number, const WipedText& fields);

/// Takes bytes in pieces of any size and finds the frames in them.
class FrameReader {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  /// Calls `decode` with the next whole frame. False if there is none, or if `decode` says that it is not a
  /// message.
  bool next(const std::function<bool(std::uint8_t number, std::string_view fields)>& decode);
  /// The bytes are not a message, and later ones will not be either.
  bool is_broken() const { return is_broken_; }

 private:
  WipedText buffer_;
  std::size_t begin_ = 0;
  bool is_broken_ = false;
};

template <class Message>
struct Codec;

template <class... Kinds>
struct Codec<std::variant<Kinds...>> {
  using Message = std::variant<Kinds...>;

  static WipedText encode(const Message& message) {
    WipedText fields;
    FieldWriter writer(fields);
    const std::uint8_t number = std::visit(
        [&]<class Kind>(const Kind& each) {
          Kind::visit(writer, each);
          return Kind::kNumber;
        },
        message);
    return make_frame(number, fields);
  }

  /// The next message; nothing if there is none, or if the bytes are not a message.
  static std::optional<Message> next(FrameReader& frames) {
    std::optional<Message> message;
    frames.next([&](std::uint8_t number, std::string_view fields) {
      const auto decode = [&]<class Kind>(Kind decoded) {
        FieldReader reader(fields);
        Kind::visit(reader, decoded);
        if (reader.is_complete()) message = std::move(decoded);
      };
      ((number == Kinds::kNumber ? decode(Kinds()) : void()), ...);
      return message.has_value();
    });
    return message;
  }
};

}  // namespace aqueduct::job
