// The key of a job by plain environment whose ranks meet on the loopback interface and whose user has given
// no key. Other users of the machine reach that interface as well. So rank 0 makes a key and hands it only to
// processes of its own user, over a socket whose peer the kernel identifies (net/local_socket.hpp); the other
// ranks take a key only from a process of their user.
//
//   rank 0       listens at the socket, and only then at AQUEDUCT_ROOT
//   other ranks  connect and read 32 bytes
#pragma once
#include <poll.h>

#include <vector>

#include "net/address.hpp"
#include "net/descriptor.hpp"
#include "net/job_key.hpp"

namespace aqueduct::job::launchers {

/// Rank 0's side. One thread.
class LocalKeyServer {
 public:
  /// Listens. False with errno if that is not possible: EADDRINUSE if another job uses `root`.
  bool open(const net::Address& root);
  const net::JobKey& key() const { return key_; }

  void add_to_poll(std::vector<pollfd>& polled) const { polled.push_back({listener_.get(), POLLIN, 0}); }
  /// Hands the key to processes that wait for it. Never blocks.
  void serve();

 private:
  net::JobKey key_ = net::JobKey::random();
  net::Descriptor listener_;
};

/// The side of other ranks. Waits for rank 0, at most `timeout_ms`. If rank 0 does not come in time, or hands
/// out no key, returns a new random key: then the rendezvous fails and says what is wrong. Fatal if another
/// user listens there.
net::JobKey fetch_local_key(const net::Address& root, int timeout_ms);

}  // namespace aqueduct::job::launchers
