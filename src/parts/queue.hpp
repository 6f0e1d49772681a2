// First in, first out, of records that are somebody else's: each has a member `next`. Not thread-safe.
#pragma once

namespace aqueduct::parts {

template <class Record>
class Queue {
 public:
  bool is_empty() const { return !first_; }
  Record* first() const { return first_; }
  void push(Record* record) {
    record->next = nullptr;
    (first_ ? last_->next : first_) = record;
    last_ = record;
  }
  /// There must be one.
  Record* pop() {
    Record* const record = first_;
    first_ = record->next;
    return record;
  }

 private:
  Record* first_ = nullptr;
  Record* last_ = nullptr;
};

}  // namespace aqueduct::parts
