// Put and get over uGNI: parts of a transfer (parts/transfers.hpp), each one post.
#pragma once
#include <functional>

#include "papers/conduit/aries/endpoint.hpp"
#include "parts/transfers.hpp"

namespace aqueduct::conduit::aries {

using Transfer = parts::Transfer<gni_mem_handle_t>;
using Transfers = parts::Transfers<gni_mem_handle_t>;

class PutsAndGets final : public Rma, private Transfers::Client, private PostHandler {
 public:
  /// `progress` is called, with the lock held, while a put waits for its source.
  PutsAndGets(Endpoint& endpoint, std::function<void()> progress)
      : PostHandler(PostUse::kTransfer),
        endpoint_(endpoint),
        progress_(std::move(progress)),
        transfers_(*this) {}

  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* operation) override;

  // With the lock held.
  /// Begins a get of any memory that a peer has registered.
  Post begin(const Transfer& transfer) { return transfers_.begin(transfer); }
  /// Takes a descriptor for another kind of post that ends like a get; the caller sets it up and posts it.
  /// Null: there is none now.
  PostDescriptor* begin_other(RankId target, Done done, void* operation);
  void withdraw_other(PostDescriptor& descriptor);
  void proceed() { transfers_.proceed(); }
  bool has_unfinished() const { return transfers_.has_unfinished(); }
  std::size_t under_way() const { return transfers_.lent(); }

 private:
  bool begin_part(Transfer& transfer) override;
  bool begin_put(Transfer& transfer, PostDescriptor& descriptor);
  bool begin_get(Transfer& transfer, PostDescriptor& descriptor);
  bool post_part(Transfer& transfer, PostDescriptor& descriptor, std::size_t bytes);
  void completed(PostDescriptor& descriptor, std::uint16_t event) override;

  Endpoint& endpoint_;
  std::function<void()> progress_;
  Transfers transfers_;
};

}  // namespace aqueduct::conduit::aries
