// The choice of this host's addresses.
#include <gtest/gtest.h>

#include "net/network_interface.hpp"

namespace aqueduct::job {
namespace {

TEST(NetworkInterface, LoopbackHasANameAndAnAddress) {
  std::string why, name;
  const auto by_address = net::choose_interface("127.0.0.1", &why);
  ASSERT_TRUE(by_address) << why;
  EXPECT_EQ(*by_address, net::Address::loopback());
  for (const net::NetworkInterface& interface : net::network_interfaces()) {
    if (interface.address == net::Address::loopback()) name = interface.name;
  }
  const auto by_name = net::choose_interface(name, &why);
  ASSERT_TRUE(by_name) << why;
  EXPECT_TRUE(by_name->is_loopback());
}

TEST(NetworkInterface, ListsWhatThereIsWhenThereIsNoSuchThing) {
  for (const char* const choice : {"no-such-interface", "192.0.2.77", "", "127.0.0.1:80"}) {
    std::string why;
    EXPECT_FALSE(net::choose_interface(choice, &why)) << choice;
    EXPECT_NE(why.find("127.0.0.1"), why.npos) << why;
  }
}

TEST(NetworkInterface, TheWayToLoopbackIsLoopback) {
  net::Address remote = net::Address::loopback();
  EXPECT_EQ(net::address_towards(remote), net::Address::loopback());
  remote.port = 4000;
  EXPECT_EQ(net::address_towards(remote), net::Address::loopback());
}

}  // namespace
}  // namespace aqueduct::job
