// The PEs of a collective: a team, or an active set. What collectives are made of is the same for both:
// members by their numbers, copies to and from them, and waiting for all of them. An active set whose PEs are
// all of the job is the team of all; the members of others synchronise by atomics on pSync.
#pragma once
#include <cstddef>

#include "team.hpp"

namespace aqshmem {

class Group {
 public:
  Group(const char* call, shmem_team_t team);
  Group(const char* call, int start, int log_stride, int size, long* psync);

  int size() const { return size_; }
  int me() const { return me_; }
  /// PEs that are not may call, as other implementations let them, and nothing happens. Checks say so.
  bool is_member() const { return me_ >= 0; }
  int pe(int member) const { return members_ ? members_[member] : start_ + member * stride_; }
  /// The team below; null for an active set.
  gex_TM_t team() const { return team_; }
  bool is_here() const { return is_here_; }
  long* psync() const { return psync_; }
  const char* call() const { return call_; }

  /// Everybody arrives before anybody goes on.
  void synchronise() const;
  /// The same, and what members have put by put() is in place.
  void complete_and_synchronise() const;

  /// Copies to a symmetric address of a member; complete after complete_and_synchronise().
  void put(void* dest, const void* source, std::size_t bytes, int member) const;
  /// Copies from one; complete on return. Answers where the bytes are: `buffer`, or the member's memory
  /// itself.
  const void* look(const void* source, std::size_t bytes, int member, void* buffer) const;

 private:
  void synchronise_by_psync() const;

  const char* call_;
  const int* members_ = nullptr;
  int start_ = 0;
  int stride_ = 1;
  int size_ = 0;
  int me_ = -1;
  gex_TM_t team_ = nullptr;
  long* psync_ = nullptr;
  bool is_here_ = true;
};

}  // namespace aqshmem
