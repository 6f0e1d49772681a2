// A queue of transfers, linked through their `next`.
#pragma once
#include "papers/nic/portals3/nal.hpp"

namespace aqueduct::portals3::seastar {

class TransferList {
 public:
  bool empty() const { return head_ == nullptr; }
  Transfer& front() const { return *head_; }

  void push(Transfer& transfer) {
    transfer.next = nullptr;
    *(head_ == nullptr ? &head_ : &tail_->next) = &transfer;
    tail_ = &transfer;
  }
  Transfer& pop() {
    Transfer& first = *head_;
    head_ = first.next;
    return first;
  }

 private:
  Transfer* head_ = nullptr;
  Transfer* tail_ = nullptr;
};

}  // namespace aqueduct::portals3::seastar
