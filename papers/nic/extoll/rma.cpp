// RMA: ports, registered memory, and the start of commands.
//
// NLAs are given page by page and never reused, to each process from its own range: so no table has an NLA
// that is stale or of another port or process.
#include <algorithm>
#include <cstring>
#include <utility>

#include "papers/nic/extoll/process.hpp"

namespace aqueduct::extoll {
namespace {

/// The NLAs of a process have so many bits.
constexpr unsigned kNlaBits = 46;

}  // namespace

// Ports.

RMA2_ERROR Process::open_rma(RMA2_Port* port) {
  const Section section{*this};
  if (device_.memory_fails()) return RMA2_ERR_NO_MEM;
  RmaPort* const opened = rma_ports_.take(kMaxPorts);
  if (opened == nullptr) return RMA2_ERR_PORTS_USED;
  opened->queue_limit = std::max(1u, limits_.notifications);
  opened->requests = 0;
  opened->waiting_local = 0;
  for (auto& locks : opened->locks) locks.reset();
  *port = reinterpret_cast<RMA2_Port>(nic::handle_bits(HandleKind::kRmaPort, self_, *opened));
  return RMA2_SUCCESS;
}

RMA2_ERROR Process::close_rma(RMA2_Port port) {
  const Section section{*this};
  RmaPort* const closing = rma_port(port);
  if (closing == nullptr) return RMA2_ERR_INV_PORT;
  bool in_use = closing->requests != 0;
  rma_regions_.for_each_live([&](const RmaRegion& each) {
    if (each.port == closing && each.under_way != 0) in_use = true;
  });
  if (in_use) return RMA2_ERR_NOT_FREE;
  rma_regions_.for_each_live([&](RmaRegion& each) {
    if (each.port == closing) forget(each);
  });
  rma_handles_.for_each_live([&](RmaHandle& each) {
    if (each.port == closing) rma_handles_.give_back(each);
  });
  for (Notifications* list : {&closing->queue, &closing->found, &closing->waiting}) {
    closing->unused.splice(closing->unused.end(), *list);
  }
  // These notifications limit their sources no more.
  for (const NotificationSource& source : std::exchange(closing->waiting_sources, {}))
    in_queue(*closing, source);
  for (auto& [source, owed] : closing->returns) give_back(*closing, source, owed);
  closing->returns.clear();
  closing->lines.clear();
  rma_ports_.give_back(*closing);
  return RMA2_SUCCESS;
}

std::uint16_t Process::rma_vpid(RMA2_Port port) {
  const Section section{*this};
  const RmaPort* const found = rma_port(port);
  return found != nullptr ? found->vpid() : 0xffff;
}

RMA2_ERROR Process::connect_rma(RMA2_Port port, std::uint16_t node, std::uint16_t vpid, std::uint32_t options,
                                RMA2_Handle* handle) {
  const Section section{*this};
  RmaPort* const from = rma_port(port);
  if (from == nullptr) return RMA2_ERR_INV_PORT;
  if ((options & ~3u) != RMA2_CONN_TE) return RMA2_ERR_NOT_YET;
  if (node >= device_.nodes()) return RMA2_ERR_NO_ROUTE;
  if (vpid > VELO2_MAX_VPID) return RMA2_ERR_INV_VALUE;
  RmaHandle* const made = rma_handles_.take(nic::kMaxHandleIndex);
  if (made == nullptr) return RMA2_ERR_NO_MEM;
  made->port = from;
  made->node = node;
  made->vpid = static_cast<std::uint8_t>(vpid);
  made->line = &from->lines[VELO2_ADDR_PACK(node, vpid)];
  *handle = reinterpret_cast<RMA2_Handle>(nic::handle_bits(HandleKind::kRmaHandle, self_, *made));
  return RMA2_SUCCESS;
}

RMA2_ERROR Process::disconnect_rma(RMA2_Port port, RMA2_Handle handle) {
  const Section section{*this};
  const RmaPort* const from = rma_port(port);
  if (from == nullptr) return RMA2_ERR_INV_PORT;
  RmaHandle* const closing = rma_handle(handle);
  if (closing == nullptr || closing->port != from) return RMA2_ERR_INV_HANDLE;
  rma_handles_.give_back(*closing);
  return RMA2_SUCCESS;
}

// Memory.

RMA2_ERROR Process::register_memory(RMA2_Port port, void* address, std::size_t size, RMA2_Region** region) {
  const Section section{*this};
  RmaPort* const owner = rma_port(port);
  if (owner == nullptr) return RMA2_ERR_INV_PORT;
  if (address == nullptr) return RMA2_ERR_WRONG_ARG;
  const auto first = reinterpret_cast<std::uint64_t>(address);
  const std::uint64_t in_page = first % RMA2_PAGE_SIZE;
  if (size == 0 || size > (std::uint64_t{1} << kNlaBits) || first + size < first) return RMA2_ERR_INV_VALUE;
  const std::uint64_t bytes = (in_page + size + RMA2_PAGE_SIZE - 1) / RMA2_PAGE_SIZE * RMA2_PAGE_SIZE;
  if (device_.memory_fails() || bytes > (std::uint64_t{1} << kNlaBits) - next_nla_) return RMA2_ERR_NO_MEM;
  RmaRegion* const made = rma_regions_.take(nic::kMaxHandleIndex);
  if (made == nullptr) return RMA2_ERR_NO_MEM;
  const std::uint64_t range = (std::uint64_t{self_ & 0xffffu} + 1) << kNlaBits;
  made->port = owner;
  made->start = static_cast<std::byte*>(address);
  made->size = size;
  made->nla = range + next_nla_ + in_page;
  made->under_way = 0;
  next_nla_ += bytes;
  regions_by_nla_.emplace(made->nla, made);
  *region = reinterpret_cast<RMA2_Region*>(nic::handle_bits(HandleKind::kRmaRegion, self_, *made));
  return RMA2_SUCCESS;
}

RMA2_ERROR Process::unregister_memory(RMA2_Port port, RMA2_Region* region) {
  const Section section{*this};
  const RmaPort* const owner = rma_port(port);
  if (owner == nullptr) return RMA2_ERR_INV_PORT;
  RmaRegion* const closing = rma_region(region);
  if (closing == nullptr || closing->port != owner) return RMA2_ERR_WRONG_ARG;
  if (closing->under_way != 0) return RMA2_ERR_NOT_FREE;
  forget(*closing);
  return RMA2_SUCCESS;
}

void Process::forget(RmaRegion& region) {
  regions_by_nla_.erase(region.nla);
  rma_regions_.give_back(region);
}

RMA2_ERROR Process::describe(RMA2_Region* region, RmaRegion* copy) {
  const Section section{*this};
  const RmaRegion* const found = rma_region(region);
  if (found == nullptr) return RMA2_ERR_WRONG_ARG;
  copy->start = found->start;
  copy->size = found->size;
  copy->nla = found->nla;
  return RMA2_SUCCESS;
}

RmaRegion* Process::region_at(const RmaPort& port, RMA2_NLA nla, std::uint64_t bytes) {
  auto after = regions_by_nla_.upper_bound(nla);
  if (after == regions_by_nla_.begin()) return nullptr;
  RmaRegion* const region = std::prev(after)->second;
  return region->port == &port && region->holds(nla, bytes) ? region : nullptr;
}

// Commands.

RMA2_ERROR Process::post(RMA2_Port port, RMA2_Handle handle, const RmaPost& post) {
  const Section section{*this};
  RmaPort* const from = rma_port(port);
  if (from == nullptr) return RMA2_ERR_INV_PORT;
  const RmaHandle* const to = rma_handle(handle);
  if (to == nullptr || to->port != from) return RMA2_ERR_INV_HANDLE;
  RmaRegion* region = nullptr;
  RMA2_NLA local = 0;
  const RMA2_ERROR code = check_post(*from, post, &region, &local);
  if (code != RMA2_SUCCESS) return code;
  if (is_lost(to->node)) return RMA2_ERR_NO_ROUTE;
  // Full queues, here or at the target, refuse commands.
  const bool tells_target = post.tells_target();
  if (from->waiting_local >= limits_.requests) return RMA2_ERR_NO_DESC_MEM;
  if (tells_target && to->line->outstanding >= std::max(1u, limits_.send_credits))
    return RMA2_ERR_NO_DESC_MEM;
  RmaRequest* const request = rma_requests_.take(limits_.requests);
  if (request == nullptr) return RMA2_ERR_NO_DESC_MEM;
  if (tells_target) ++to->line->outstanding;
  ++from->requests;
  request->port = from;
  request->region = region;
  request->local = local;
  request->lent = true;
  request->is_told = false;
  request->unanswered = !post.is_put_like();
  if (region != nullptr) ++region->under_way;

  WireHeader& header = request->header;
  header = {};
  header.kind = post.kind;
  header.source_vpid = from->vpid();
  header.target_vpid = to->vpid;
  header.tag = post.noti_class;
  header.notification = static_cast<std::uint8_t>(post.notifications);
  header.command = post.command;
  header.generation = from->generation;
  header.count = post.lock_unit << 24 | post.lock;
  header.bytes = post.size;
  header.address = post.remote;
  header.local = local;
  header.value = post.value;
  header.request = static_cast<std::uint64_t>(request->generation) << 32 | (request->index + 1);
  header.seal();
  request->out.peer = to->node;
  request->out.unit = Unit::kRequester;
  request->out.header = header.as_bytes();
  request->out.payload = {};
  if (post.kind == MessageKind::kPut) request->out.payload = {region->at(local), post.size};
  send(request->out);
  return RMA2_SUCCESS;
}

RMA2_ERROR Process::check_post(const RmaPort& port, const RmaPost& post, RmaRegion** region,
                               RMA2_NLA* local) {
  if (post.modifier != RMA2_CMD_DEFAULT) return RMA2_ERR_NOT_YET;
  if (post.notifications > RMA2_ALL_NOTIFICATIONS) return RMA2_ERR_INV_VALUE;
  if (post.is_put_like() && (post.notifications & RMA2_RESPONDER_NOTIFICATION) != 0)
    return RMA2_ERR_INV_VALUE;
  if (post.kind == MessageKind::kImmediate && (post.size == 0 || post.size > 8)) return RMA2_ERR_INV_VALUE;
  if (post.kind == MessageKind::kLock && (post.lock_unit > 1 || post.lock >= RMA2_LOCKS))
    return RMA2_ERR_INV_VALUE;
  if (!post.moves_memory()) return RMA2_SUCCESS;
  if (post.size == 0 || post.size > RMA2_MAX_SIZE) return RMA2_ERR_INV_VALUE;
  if (post.is_direct) {
    *local = post.local;
    *region = region_at(port, post.local, post.size);
  } else if (RmaRegion* const named = rma_region(post.region); named != nullptr && named->port == &port) {
    *local = named->nla + post.offset;
    *region = named->holds(*local, post.size) ? named : nullptr;
  }
  if (*region == nullptr) return RMA2_ERR_WRONG_ARG;
  if (post.is_quadwords() && ((*local | post.remote | post.size) & 7) != 0) return RMA2_ERR_INV_VALUE;
  return RMA2_SUCCESS;
}

}  // namespace aqueduct::extoll
