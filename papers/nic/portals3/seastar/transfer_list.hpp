// A queue of transfers, linked through their `next`.
#pragma once
#include "papers/nic/portals3/nal.hpp"

namespace aqueduct::portals3::seastar {

class TransferList {
 public:
  bool empty() const { return head_ == nullptr; }
  NicTransfer& front() const { return *head_; }

  void push(NicTransfer& transfer) {
    transfer.next = nullptr;
    *(head_ == nullptr ? &head_ : &tail_->next) = &transfer;
    tail_ = &transfer;
  }
  NicTransfer& pop() {
    NicTransfer& first = *head_;
    head_ = first.next;
    return first;
  }

 private:
  NicTransfer* head_ = nullptr;
  NicTransfer* tail_ = nullptr;
};

}  // namespace aqueduct::portals3::seastar
