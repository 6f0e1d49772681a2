// An MPI as the conduit uses it: started, if the program has not done so, with a communicator of its own.
//
//   who starts it     The program, before it starts the library; or the conduit (start.hpp). An MPI whose
//                     processes are not the ranks of the job ends the job: it was launched by others. So does
//                     another MPI than this plug-in's, which the program is linked with: a process has one.
//   communicator      A duplicate, in the order of ranks, so that the program's messages are never taken for
//                     the conduit's. Errors are returned and end the job with one line.
//   threads           Calls of the conduit come from any thread, one at a time: MPI_THREAD_SERIALIZED. It is
//                     started with MPI_THREAD_MULTIPLE where the program is linked with MPI, since its
//                     threads may call it, too; or as AQUEDUCT_MPI_THREAD says. An MPI that does not offer it is used all the same,
//                     by one thread: a call of another one ends the job, and says what to do.
//
//   its end           The program may call MPI_Finalize before it exits. What the conduit has posted is taken
//                     back then, and nobody can be reached through it any more.
//
// Threads: whoever calls MPI holds the session.
#pragma once
#include <mpi.h>

#include <functional>

#include "base/spin_lock.hpp"
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::mpi {

class Session {
 public:
  explicit Session(const Opening& opening);

  MPI_Comm communicator() const { return communicator_; }
  /// Who takes back what is posted when the program finalises MPI. The session is held then.
  void set_at_end(std::function<void()> at_end) { at_end_ = std::move(at_end); }
  bool is_over() const { return is_over_; }

  /// Whether a thread of the library's own may call MPI while the program's threads do what they like: the
  /// lock here serialises the conduit's calls, not the program's.
  bool serves_any_thread() const { return serves_any_thread_; }
  /// Whether this thread may call MPI at all. Others end the job when they take the session.
  bool may_be_taken() const { return !only_thread_ || only_thread_ == __builtin_thread_pointer(); }

  void lock() {
    if (!only_thread_) return serial_.lock();
    if (!may_be_taken()) [[unlikely]]
      refuse_thread();
  }
  void unlock() {
    if (!only_thread_) serial_.unlock();
  }

  /// Ends the job if `code` is an error of the call named `what`.
  static void check(int code, const char* what) {
    if (code != MPI_SUCCESS) [[unlikely]]
      failed(code, what);
  }

 private:
  [[noreturn]] static void failed(int code, const char* what);
  [[noreturn]] void refuse_thread();
  void watch_for_end();
  void end();

  SpinLock serial_;
  bool is_ours_ = false;  // the conduit has started it
  bool is_over_ = false;
  bool serves_any_thread_ = false;
  std::function<void()> at_end_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  const void* only_thread_ = nullptr;  // that may call MPI; null: any
};

}  // namespace aqueduct::conduit::mpi
