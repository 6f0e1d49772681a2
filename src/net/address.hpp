// Numeric network addresses, without names and sockets (net/system_address.hpp converts them for system
// calls).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aqueduct::net {

/// A host and a port of TCP or UDP, over IPv4 or IPv6.
struct Address {
  enum class Family : std::uint16_t { kNone = 0, kV4 = 4, kV6 = 6 };

  Family family = Family::kNone;
  std::uint16_t port = 0;
  std::array<std::uint8_t, 16> host{};  ///< IPv4 uses the first four

  /// "192.0.2.1:4000" or "[2001:db8::1]:4000"; nothing if it is malformed.
  static std::optional<Address> parse(std::string_view text);
  /// 127.0.0.1, any port.
  static Address loopback();
  bool is_loopback() const;
  std::string text() const;
  explicit operator bool() const { return family != Family::kNone; }
  bool operator==(const Address&) const = default;
};
static_assert(sizeof(Address) == 20);

}  // namespace aqueduct::net
