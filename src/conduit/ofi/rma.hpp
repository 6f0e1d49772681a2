// Put and get: writes and reads of the peer's segment, complete when they have arrived, in parts of a
// transfer (parts/transfers.hpp); or messages, if they are small and that is faster (small_transfers.hpp).
// Local memory is used as it is, or, where the provider asks for registration, through the segment's, a
// cached one, or a bounce buffer.
#pragma once
#include <functional>

#include "conduit/ofi/endpoint.hpp"
#include "conduit/ofi/pinned_memory.hpp"
#include "conduit/ofi/small_transfers.hpp"
#include "parts/pool.hpp"
#include "parts/transfers.hpp"

namespace aqueduct::conduit::ofi {

/// What a transfer says of memory on devices: nothing if both sides are the host's, since the target's
/// segment is known by the rank.
struct OnDevices {
  fid_mr* local = nullptr;           ///< the registration of the memory here
  bool has_key = false;              ///< the target's is on a device
  std::uint64_t shift = 0, key = 0;  ///< of that
};
using Transfer = parts::Transfer<OnDevices>;
using Transfers = parts::Transfers<OnDevices>;

class PutsAndGets final : public Rma, private Transfers::Client, private OperationHandler {
 public:
  /// `serve` is called, with the lock held, while a put waits for its source.
  PutsAndGets(Endpoint& endpoint, SmallTransfers& small, std::function<void()> serve)
      : endpoint_(endpoint),
        small_(small),
        serve_(std::move(serve)),
        pinned_(endpoint.network, endpoint.settings),
        transfers_(*this) {}

  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* operation) override;

  // The same with memory on devices.
  Post put(RankId target, const DeviceRemote& to, const DeviceLocal& from, std::size_t bytes,
           am::Unreleased* unreleased, Done done, void* operation);
  Post get(RankId target, const DeviceLocal& to, const DeviceRemote& from, std::size_t bytes, Done done,
           void* operation);

  // With the lock held.
  void proceed() { transfers_.proceed(); }
  bool has_unfinished() const { return transfers_.has_unfinished(); }
  void count_resources(observe::ResourceCounts& counts) const {
    counts.holds("records of puts and gets", transfers_.lent());
    counts.holds("parts of puts and gets", parts_.lent());
    counts.holds("registrations of transfers", pinned_.held());
  }

 private:
  /// One read or write.
  struct Part : Operation {
    Transfer* transfer = nullptr;
    am::Unreleased* unreleased = nullptr;  ///< counts the source while it is read
    Buffer* bounce = nullptr;
    void* copy_to = nullptr;  ///< of a get that comes through a bounce buffer
    std::size_t bytes = 0;
    PinnedMemory::Pin pin;
  };

  bool begin_part(Transfer& transfer) override;
  bool find_local(const Transfer& transfer, Part& part, LocalMemory* memory);
  void give_back(Part& part);

  const char* what() const override { return "a put or get"; }
  void completed(Operation& operation, const Completion& completion) override;

  Endpoint& endpoint_;
  SmallTransfers& small_;
  std::function<void()> serve_;
  PinnedMemory pinned_;
  parts::Pool<Part> parts_;
  Transfers transfers_;
};

}  // namespace aqueduct::conduit::ofi
