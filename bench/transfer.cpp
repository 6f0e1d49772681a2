#include "transfer.hpp"

#include <cstring>

#include "device_memory.hpp"

namespace aqueduct::bench {

PrivateMemory::PrivateMemory(std::size_t bytes) {
  constexpr std::size_t kPageBytes = 4096;
  const std::size_t whole = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(kPageBytes, whole)));
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_.get(), 2, whole);
}

std::vector<Row> measure_transfers(Session& session, const Parameters& parameters, Direction direction,
                                   TransferLoop loop, RawInterface* raw, RawBatch raw_batch,
                                   std::uint64_t (*least)(std::size_t size)) {
  const gex_Rank_t partner = session.partner();
  const PrivateMemory memory(window_bytes(parameters));
  std::optional<DeviceMemory> devices;
  if (parameters.uses_devices()) devices.emplace(session, window_bytes(parameters), parameters.device_class);
  const bool local_device = parameters.local_memory == "device",
             remote_device = parameters.remote_memory == "device";
  const gex_TM_t team = devices ? devices->between(local_device, remote_device) : session.team();
  // Beside a device the host's side lies in the segment, which the library keeps in place.
  std::byte* const local = !devices ? memory.data() : local_device ? devices->data() : session.data();
  std::byte* const remote = remote_device ? devices->data_of(partner) : session.data_of(partner);
  std::vector<Row> rows;
  for (const std::size_t size : parameters.sizes) {
    const Window window(size, parameters.window);
    const auto plan_over = [&](std::byte* there) {
      const bool put = direction == Direction::kPut;
      return CopyPlan{.to = put ? there : local,
                      .from = put ? local : there,
                      .bytes = size,
                      .stride = window.stride,
                      .slots = window.slots};
    };
    // Each batch goes on where the last one of a large window ended.
    const bool goes_on = parameters.window != 0;
    std::vector<Batch> batches{[&, plan = plan_over(remote)](std::uint64_t count) mutable {
      const double ns = session.measures() ? loop(team, partner, plan, count) : 0.0;
      if (goes_on) plan.first += count;
      return ns;
    }};
    const bool has_limit = !devices && (raw || session.pair_shares_memory());
    if (raw) {
      batches.push_back((raw->*raw_batch)(size));
    } else if (has_limit) {
      batches.push_back(plain_copy(session, plan_over(session.mapped_data_of(partner)), goes_on));
    }
    const auto times =
        interleave(session, parameters.repetitions, batches, kBatchNs, least ? least(size) : 1);
    rows.push_back(
        {.size = size, .value = times[0], .limit = has_limit ? std::optional(times[1]) : std::nullopt});
  }
  return rows;
}

}  // namespace aqueduct::bench
