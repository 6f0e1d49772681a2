// The key of a job, which only its participants know: 256 bits, in memory that core files leave out
// (base/secret.hpp).
//
// A JobKey is a handle: all copies share one place with the bytes, which is wiped when the last copy is gone.
// So keys may be copied freely, and only bytes() and text() show them.
//
// How a key reaches a rank: from its supervisor through the file of the job's shared memory
// (job/place/shared_memory.hpp), through another launcher's exchange (job/launchers/card.hpp), or from the
// user (job/launchers/given_key.hpp). Processes of other users can read none of these.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/secret.hpp"

namespace aqueduct::net {

class JobKey {
 public:
  static constexpr std::size_t kBytes = 32;

  /// No key: all bytes are zero.
  JobKey() = default;
  /// A new one, from the system's random numbers.
  static JobKey random();
  /// From hexadecimal digits; nothing if that is malformed.
  static std::optional<JobKey> parse(std::string_view text);
  /// `fill` writes the bytes directly to their final place.
  static JobKey filled_by(const std::function<void(std::span<std::uint8_t, kBytes>)>& fill);
  /// Another key, computed from this one and `salt`; it and the salt do not reveal this key.
  JobKey derive(std::span<const std::uint8_t> salt) const;

  /// Whether there is one.
  explicit operator bool() const { return secret_ != nullptr; }
  std::span<const std::uint8_t, kBytes> bytes() const { return secret_ ? secret_->bytes : kNone; }
  /// In hexadecimal digits.
  WipedText text() const;
  /// Takes the same time wherever the keys differ.
  bool operator==(const JobKey& other) const;

 private:
  struct Secret : InSecretMemory {
    std::array<std::uint8_t, kBytes> bytes{};
  };
  static constexpr std::array<std::uint8_t, kBytes> kNone{};

  std::shared_ptr<const Secret> secret_;
};

/// Fills with the system's random numbers; fatal if it has none.
void fill_randomly(std::span<std::uint8_t> bytes);

}  // namespace aqueduct::net
