#include "net/address.hpp"

#include <arpa/inet.h>

#include <charconv>

namespace aqueduct::net {

std::optional<Address> Address::parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  Address address;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size()) return std::nullopt;
  const bool is_v6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (is_v6) host = host.substr(1, host.size() - 2);
  address.family = is_v6 ? Family::kV6 : Family::kV4;
  if (::inet_pton(is_v6 ? AF_INET6 : AF_INET, std::string(host).c_str(), address.host.data()) != 1)
    return std::nullopt;
  return address;
}

Address Address::loopback() {
  Address address;
  address.family = Family::kV4;
  address.host = {127, 0, 0, 1};
  return address;
}

bool Address::is_loopback() const {
  if (family == Family::kV4) return host[0] == 127;
  constexpr std::array<std::uint8_t, 16> kV6Loopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return family == Family::kV6 && host == kV6Loopback;
}

std::string Address::text() const {
  char host_text[INET6_ADDRSTRLEN] = "nowhere";
  if (family != Family::kNone)
    ::inet_ntop(family == Family::kV6 ? AF_INET6 : AF_INET, host.data(), host_text, sizeof host_text);
  const std::string suffix = ":" + std::to_string(port);
  return family == Family::kV6 ? "[" + std::string(host_text) + "]" + suffix : host_text + suffix;
}

}  // namespace aqueduct::net
