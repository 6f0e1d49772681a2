#include "conduit/ofi/segment_keys.hpp"

#include <rdma/fi_domain.h>

#include <cstring>

#include "base/fatal.hpp"
#include "conduit/ofi/buffers.hpp"

namespace aqueduct::conduit::ofi {

std::vector<std::byte> SegmentRegistration::export_segment(const SegmentBounds& mine) {
  if (mine.size == 0 || !network_.properties().writes_longs()) return {};
  mine_ = mine;
  int error = 0;
  registration_ = network_.register_memory(reinterpret_cast<void*>(mine.base), mine.size, true, &error);
  if (!registration_) refuse_registration("segment", mine.size, network_, error);
  const Exported exported{network_.properties().virtual_addresses ? mine.base : 0, fi_mr_key(registration_)};
  std::vector<std::byte> bytes(sizeof exported);
  std::memcpy(bytes.data(), &exported, sizeof exported);
  if (!network_.properties().raw_keys) return bytes;
  std::uint64_t base = 0;
  std::size_t raw_bytes = 0;
  fi_mr_raw_attr(registration_, &base, nullptr, &raw_bytes, 0);
  bytes.resize(sizeof exported + raw_bytes);
  auto* const raw = reinterpret_cast<std::uint8_t*>(bytes.data() + sizeof exported);
  if (fi_mr_raw_attr(registration_, &base, raw, &raw_bytes, 0) != 0)
    fatal("ofi", "provider %s has no raw key for the segment", network_.provider_name());
  std::memcpy(bytes.data(), &base, sizeof base);
  return bytes;
}

void SegmentRegistration::withdraw() {
  if (registration_) network_.close_registration(registration_);
  registration_ = nullptr;
}

SegmentRegistration::Exported SegmentRegistration::peer_key(RankId peer) {
  const bool is_raw = network_.properties().raw_keys;
  if (is_raw) {
    if (const auto found = mapped_.find(peer); found != mapped_.end()) return found->second;
  }
  const job::Bytes bytes = keys_[peer];
  Exported exported;
  if (bytes.size() < sizeof exported) fatal("ofi", "rank %u has exported no key of its segment", peer);
  std::memcpy(&exported, bytes.data(), sizeof exported);
  if (!is_raw) return exported;
  std::vector<std::uint8_t> raw(bytes.size() - sizeof exported);
  std::memcpy(raw.data(), bytes.data() + sizeof exported, raw.size());
  if (fi_mr_map_raw(&network_.domain(), exported.base, raw.data(), raw.size(), &exported.key, 0) != 0)
    fatal("ofi", "provider %s does not take the key of rank %u", network_.provider_name(), peer);
  if (!network_.properties().virtual_addresses) exported.base = 0;
  mapped_.emplace(peer, exported);
  return exported;
}

RemoteMemory SegmentRegistration::remote(RankId peer, std::uintptr_t address) {
  const Exported exported = peer_key(peer);
  return {exported.base + (address - segments_[peer].base), exported.key};
}

}  // namespace aqueduct::conduit::ofi
