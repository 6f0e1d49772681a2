// What a core file of a process would hold, searched for a key. A core file has the private memory and the
// anonymous shared memory of a process, less what is marked to be left out: "dd" in the flags that
// /proc/PID/smaps has. So no core file needs to be written, which some systems do not allow.
//
// The key is known here by its complement alone, or the search would find itself.
#pragma once
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aqueduct::test {

class MaskedKey {
 public:
  static constexpr std::size_t kBytes = 32;

  explicit MaskedKey(std::span<const std::uint8_t, kBytes> key);
  /// From 64 hexadecimal digits of the key itself, or of its complement.
  static std::optional<MaskedKey> parse(std::string_view digits, bool is_masked);
  /// Of the complement, in hexadecimal digits.
  std::string text() const;
  const std::array<std::uint8_t, kBytes>& complement() const { return complement_; }

 private:
  MaskedKey() = default;
  std::array<std::uint8_t, kBytes> complement_{};
};

/// A line for each place at which half of the key or more stands: as it is, in hexadecimal digits, or as
/// HMAC mixes it (RFC 2104), also in words of the other byte order. Fails the process if its memory cannot be
/// read.
std::vector<std::string> find_in_core(pid_t process, const MaskedKey& key);

/// Whether a core file of this process leaves out what lies at the address.
bool is_left_out(const void* address);

}  // namespace aqueduct::test
