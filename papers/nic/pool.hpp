// A pool of objects that do not move. Object has a member `next`, for while it is unused.
#pragma once
#include <deque>

namespace aqueduct::nic {

template <class Object>
class Pool {
 public:
  Object& take() {
    if (free_ == nullptr) return all_.emplace_back();
    Object& object = *free_;
    free_ = object.next;
    return object;
  }
  void give_back(Object& object) {
    object.next = free_;
    free_ = &object;
  }

 private:
  std::deque<Object> all_;
  Object* free_ = nullptr;
};

}  // namespace aqueduct::nic
