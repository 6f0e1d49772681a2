// Numbers, texts and lists as bytes and back: what messages between processes of different hosts are made of.
//
// Numbers are in little-endian order; texts and lists begin with their length, in four bytes. What is read
// comes from outside: a reader that runs out of bytes, or finds a flag that is neither 0 nor 1, is not good
// any more, and leaves everything that follows as it is.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace aqueduct {

/// `Text` is a text of characters: std::string, or WipedText for what may hold a secret.
template <class Text>
class FieldWriter {
 public:
  explicit FieldWriter(Text& bytes) : bytes_(bytes) {}
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
  /// A field of a fixed size: its bytes follow without a length.
  template <std::size_t size>
  void put(std::span<const std::uint8_t, size> bytes) {
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), size);
  }
  template <class Item>
  void put(const std::vector<Item>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const Item& item : list) put(item);
  }

  Text& bytes_;
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}
  void operator()(auto&... fields) { (get(fields), ...); }
  bool is_complete() const { return is_good_ && rest_.empty(); }
  bool is_good() const { return is_good_; }
  /// The caller has read a value that no sender writes: from now on the reader is not good.
  void refuse() { is_good_ = false; }

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
  template <std::size_t size>
  void get(std::span<std::uint8_t, size> bytes) {
    if (!has(size)) return;
    std::copy(rest_.begin(), rest_.begin() + size, bytes.begin());
    rest_.remove_prefix(size);
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

}  // namespace aqueduct
