// In a job that reports failures: gives those who wait for a rank that has died the answer that it has.
#ifndef AQUEDUCT_CXX_FAILURE_WATCH_HPP_
#define AQUEDUCT_CXX_FAILURE_WATCH_HPP_

#include "aqueduct/cxx/protocol.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {
namespace detail {

class FailureWatch : public Idler {
 public:
  explicit FailureWatch(Context& context) : context_(context) {
    look = [](Idler* self) { return static_cast<FailureWatch*>(self)->look_for_deaths(); };
    context_.main_loop.add(this);
  }
  ~FailureWatch() { context_.main_loop.remove(this); }
  FailureWatch(const FailureWatch&) = delete;
  FailureWatch& operator=(const FailureWatch&) = delete;

 private:
  bool look_for_deaths() {
    const rank_t dead = aqueduct_failed_ranks(context_.world, nullptr, 0);
    if (dead == known_) return false;
    known_ = dead;
    std::vector<Answer*> given_up;
    {
      const std::lock_guard lock(context_.expected_lock);
      std::erase_if(context_.expected, [&](const auto& entry) {
        if (!aqueduct_has_failed(context_.world, entry.second->peer)) return false;
        given_up.push_back(entry.second);
        return true;
      });
    }
    for (Answer* answer : given_up) answer->arrive(answer, answer->peer, AnswerKind::kPeerFailed, nullptr, 0);
    return !given_up.empty();
  }

  Context& context_;
  rank_t known_ = 0;
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
