// The key of a job by plain environment whose ranks meet on the loopback interface, where the user has given
// none. Other users of the machine reach that interface as well. So rank 0 makes a key and hands it to
// processes of its own user, over a socket whose other end the kernel names (net/local_socket.hpp); the
// others take it from nobody but a process of their user.
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
  /// Listens. False with errno if that is not possible: EADDRINUSE where another job is at `root`.
  bool open(const net::Address& root);
  const net::JobKey& key() const { return key_; }

  void add_to_poll(std::vector<pollfd>& polled) const { polled.push_back({listener_.get(), POLLIN, 0}); }
  /// Hands it to those who wait for it. Never blocks.
  void serve();

 private:
  net::JobKey key_ = net::JobKey::random();
  net::Descriptor listener_;
};

/// The side of other ranks. Waits for rank 0, `timeout_ms` at most. Where rank 0 does not come in time, or is
/// there and has no key to hand out, it is a key that nobody else has: then the rendezvous says what is
/// wrong. Fatal where another user is there.
net::JobKey fetch_local_key(const net::Address& root, int timeout_ms);

}  // namespace aqueduct::job::launchers
