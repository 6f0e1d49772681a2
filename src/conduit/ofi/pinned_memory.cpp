#include "conduit/ofi/pinned_memory.hpp"

namespace aqueduct::conduit::ofi {
namespace {

// Less than that is copied instead.
constexpr std::size_t kLeastToPin = std::size_t{8} << 10;

}  // namespace

PinnedMemory::PinnedMemory(Network& network, const Settings& settings) : network_(network) {
  if (!network.properties().local_registration || !settings.firehose) return;
  firehose_ = std::make_unique<parts::Firehose>(static_cast<parts::Firehose::Client&>(*this),
                                                parts::Firehose::Settings{});
}

bool PinnedMemory::pin(LocalMemory* memory, Pin* pin) {
  if (!firehose_ || memory->bytes < kLeastToPin) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(memory->address);
  if (firehose_->pin_some(address, memory->bytes, pin, &memory->bytes) == parts::Firehose::Pin::kPinned) {
    ++held_;
    memory->registration = reinterpret_cast<fid_mr*>(pin->region->handle);
    return true;
  }
  pin->region = nullptr;  // no room, or it may not be registered
  return false;
}

parts::Firehose::Moved PinnedMemory::move(std::span<parts::Firehose::Region> unpinned,
                                          parts::Firehose::Region& pin) {
  unpin(unpinned);
  int error = 0;
  fid_mr* const registration =
      network_.register_memory(reinterpret_cast<void*>(pin.base()), pin.bytes(), false, &error);
  if (!registration) return parts::Firehose::Moved::kFailed;
  pin.handle = reinterpret_cast<std::uint64_t>(registration);
  return parts::Firehose::Moved::kDone;
}

void PinnedMemory::unpin(std::span<parts::Firehose::Region> regions) {
  for (const parts::Firehose::Region& region : regions)
    network_.close_registration(reinterpret_cast<fid_mr*>(region.handle));
}

}  // namespace aqueduct::conduit::ofi
