#include "job/launchers/root_address.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>
#include <cstring>

namespace aqueduct::job::launchers {
namespace {

net::Address first_of(const addrinfo* found) {
  net::Address address;
  for (; found != nullptr; found = found->ai_next) {
    if (found->ai_family == AF_INET) {
      const auto* v4 = reinterpret_cast<const sockaddr_in*>(found->ai_addr);
      address.family = net::Address::Family::kV4;
      std::memcpy(address.host.data(), &v4->sin_addr, sizeof v4->sin_addr);
      return address;
    }
    if (found->ai_family == AF_INET6) {
      const auto* v6 = reinterpret_cast<const sockaddr_in6*>(found->ai_addr);
      address.family = net::Address::Family::kV6;
      std::memcpy(address.host.data(), &v6->sin6_addr, sizeof v6->sin6_addr);
      return address;
    }
  }
  return address;
}

}  // namespace

net::Address resolve_root(const std::string& text, std::string* why) {
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon);
  const std::string port = colon == text.npos ? "" : text.substr(colon + 1);
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const bool has_bare_colon = !is_bracketed && host.find(':') != host.npos;
  if (host.empty() || has_bare_colon || number == 0 || error != std::errc() ||
      end != port.data() + port.size()) {
    *why = "is not host:port (an IPv6 address stands in brackets), with a port from 1 to 65535";
    return {};
  }
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  addrinfo wanted = {};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found);
  if (status != 0) {
    *why = "names a host that cannot be found: " + std::string(::gai_strerror(status));
    return {};
  }
  net::Address address = first_of(found);
  ::freeaddrinfo(found);
  address.port = number;
  if (!address) *why = "names a host without an IPv4 or IPv6 address";
  return address;
}

}  // namespace aqueduct::job::launchers
