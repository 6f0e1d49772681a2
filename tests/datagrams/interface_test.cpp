// The choice of this host's addresses.
#include <gtest/gtest.h>

#include "net/network_interface.hpp"

namespace aqueduct::job {
namespace {

TEST(NetworkInterface, LoopbackHasANameAndAnAddress) {
  std::string why, name;
  const auto by_address = choose_interface("127.0.0.1", &why);
  ASSERT_TRUE(by_address) << why;
  EXPECT_EQ(*by_address, NetAddress::loopback());
  for (const NetworkInterface& interface : network_interfaces()) {
    if (interface.address == NetAddress::loopback()) name = interface.name;
  }
  const auto by_name = choose_interface(name, &why);
  ASSERT_TRUE(by_name) << why;
  EXPECT_TRUE(by_name->is_loopback());
}

TEST(NetworkInterface, ListsWhatThereIsWhenThereIsNoSuchThing) {
  for (const char* const choice : {"no-such-interface", "192.0.2.77", "", "127.0.0.1:80"}) {
    std::string why;
    EXPECT_FALSE(choose_interface(choice, &why)) << choice;
    EXPECT_NE(why.find("127.0.0.1"), why.npos) << why;
  }
}

TEST(NetworkInterface, TheWayToLoopbackIsLoopback) {
  NetAddress remote = NetAddress::loopback();
  EXPECT_EQ(address_towards(remote), NetAddress::loopback());
  remote.port = 4000;
  EXPECT_EQ(address_towards(remote), NetAddress::loopback());
}

}  // namespace
}  // namespace aqueduct::job
