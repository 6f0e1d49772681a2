// The watcher: a thread that looks after a socket while nobody else does. Datagrams ring no doorbell, and
// peers wait for acknowledgements, so somebody has to look; the threads of a rank that polls do it
// themselves.
//
// Off duty it sleeps, and once in kWatchNs sees that the rank looks at its network. It goes on duty when a
// thread announces itself at the rank's doorbell (Doorbell::set_hook), or when nobody has looked since the
// last time: the rank computes. On duty it sleeps in ppoll, at the socket and until the protocol's next
// deadline; when either comes it does what there is to do and rings the doorbell if that has made work for
// the rank. It goes off duty when it has woken somebody, or when somebody else has looked and nobody sleeps.
//
// So a rank that polls pays one short wake-up in kWatchNs, one that sleeps is woken by what comes, and one
// that computes answers its peers within kWatchNs of its last look, and at once from then on.
//
// No wake-up is lost: ppoll tells what has come before it was called. A thread that sleeps has looked after
// it has announced itself; what comes after that look finds the watcher on duty, or on its way there. For
// whoever announces itself counts a call first and then looks whether the watcher is on duty; the watcher
// that leaves first says so and then looks whether there was another call. One of them sees the other. A call
// that was counted before the watcher made up its mind is that of a sleeper which it could see.
//
// The thread takes no signals. It ends with the object.
#pragma once
#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "base/doorbell.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::fabric::udp {

/// What is watched. Any thread may call this.
class Watched {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  /// Readable when something has come.
  virtual int wake_fd() const = 0;
  /// When service() is due even if nothing comes.
  virtual std::uint64_t deadline_ns() const = 0;
  /// Grows whenever somebody looks, service() included.
  virtual std::uint64_t looks() const = 0;
  /// Receives, sends what is due; returns how much there is for the rank to see.
  virtual unsigned service() = 0;

 protected:
  ~Watched() = default;
};

class Watcher {
 public:
  static constexpr std::uint64_t kWatchNs = 2'000'000;

  /// All outlive the watcher. `doorbell` is where the threads of the rank sleep.
  Watcher(Watched& watched, Doorbell& doorbell, Clock& clock);
  /// To be called while no thread goes to sleep at the doorbell.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// False, with errno: the system gives no thread or descriptor.
  bool start();

  /// How often it has gone on duty, and called service(). For tests; any thread.
  std::uint64_t duties() const { return duties_.load(std::memory_order_relaxed); }
  std::uint64_t services() const { return services_.load(std::memory_order_relaxed); }

 private:
  static void announced(Doorbell& doorbell);
  void call_to_duty();
  void run();
  void serve();
  /// Off duty, unless somebody has called since `calls` was read.
  bool stand_down(std::uint64_t calls);
  /// Sleeps until a call, or until the socket (if `at_socket`) has something, or for so long. True: the
  /// socket has.
  bool sleep(bool at_socket, std::uint64_t ns);
  std::uint64_t time_to_deadline() const;

  Watched& watched_;
  Doorbell& doorbell_;
  Clock& clock_;
  net::Descriptor call_;  // an eventfd
  pthread_t thread_{};
  bool is_running_ = false;
  std::atomic<bool> is_over_{false};
  std::atomic<bool> on_duty_{false};
  std::atomic<std::uint64_t> calls_{0};
  std::uint64_t looks_seen_ = 0;  // after the last look of its own
  std::atomic<std::uint64_t> duties_{0};
  std::atomic<std::uint64_t> services_{0};
};

}  // namespace aqueduct::fabric::udp
