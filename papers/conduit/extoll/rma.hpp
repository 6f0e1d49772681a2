// Put and get over RMA: parts of a transfer (parts/transfers.hpp), each one command.
#pragma once
#include <functional>

#include "papers/conduit/extoll/endpoint.hpp"
#include "parts/transfers.hpp"

namespace aqueduct::conduit::extoll {

/// `memory`: the NLA of the first byte of the target's segment.
using Transfer = parts::Transfer<RMA2_NLA>;
using Transfers = parts::Transfers<RMA2_NLA>;

class PutsAndGets final : public Rma, private Transfers::Client, private CommandHandler {
 public:
  /// `progress` is called, with the lock held, while a put waits for its source.
  PutsAndGets(Endpoint& endpoint, std::function<void()> progress)
      : endpoint_(endpoint), progress_(std::move(progress)), transfers_(*this) {}

  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* operation) override;

  // With the lock held.
  Post begin(const Transfer& transfer) { return transfers_.begin(transfer); }
  void proceed() { transfers_.proceed(); }
  bool has_unfinished() const { return transfers_.has_unfinished(); }
  std::size_t under_way() const { return transfers_.lent(); }

 private:
  bool begin_part(Transfer& transfer) override;
  bool begin_put(Transfer& transfer, RmaCommand& command);
  bool begin_get(Transfer& transfer, RmaCommand& command);
  void told(RmaCommand& command) override;
  void over(RmaCommand& command) override;

  Endpoint& endpoint_;
  std::function<void()> progress_;
  Transfers transfers_;
};

}  // namespace aqueduct::conduit::extoll
