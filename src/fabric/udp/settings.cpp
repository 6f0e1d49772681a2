#include "fabric/udp/settings.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "net/network_interface.hpp"

namespace aqueduct::fabric::udp {

Security security_setting() {
  constexpr const char* kVariable = "AQUEDUCT_UDP_SECURITY";
  const std::string_view text = env::text({kVariable}, "authenticate");
  if (text == "none") return Security::kNone;
  if (text == "authenticate") return Security::kAuthenticate;
  if (text == "encrypt") return Security::kEncrypt;
  fatal("udp", "%s: '%s' is not one of encrypt, authenticate, none", kVariable, std::string(text).c_str());
}

net::Address local_address_setting(const job::Membership& place) {
  constexpr const char* kVariable = "AQUEDUCT_UDP_INTERFACE";
  if (const char* const choice = env::text({kVariable})) {
    std::string why;
    const std::optional<net::Address> chosen = net::choose_interface(choice, &why);
    if (!chosen) fatal("udp", "%s: %s", kVariable, why.c_str());
    return *chosen;
  }
  if (!place.rendezvous) return net::Address::loopback();
  const net::Address towards = net::address_towards(place.rendezvous);
  if (!towards)
    fatal("udp", "no interface of this host leads to %s; name one with %s", place.rendezvous.text().c_str(),
          kVariable);
  return towards;
}

}  // namespace aqueduct::fabric::udp
