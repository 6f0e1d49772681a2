#include "papers/nic/portals3/node.hpp"

#include <algorithm>
#include <mutex>

#include "papers/nic/portals3/interface.hpp"

namespace aqueduct::portals3 {
namespace {
/// The first pid that PTL_PID_ANY gives; programs choose smaller ones themselves.
constexpr ptl_pid_t kFirstFreePid = 1024;
}  // namespace

Node::Node(Nal& nal) : nal_(nal) { nal.set_library(*this); }
Node::~Node() = default;

bool Node::claim(Interface& interface, ptl_pid_t& pid) {
  std::lock_guard lock{lock_};
  const auto taken = [&](ptl_pid_t wanted) {
    return std::any_of(tenants_.begin(), tenants_.end(),
                       [&](const Tenant& tenant) { return tenant.pid == wanted; });
  };
  ptl_pid_t chosen = pid;
  if (chosen == PTL_PID_ANY) {
    for (chosen = kFirstFreePid; taken(chosen);) ++chosen;
  } else if (taken(chosen)) {
    return false;
  }
  tenants_.push_back({chosen, &interface});
  pid = chosen;
  return true;
}

void Node::release(Interface& interface) {
  std::lock_guard lock{lock_};
  std::erase_if(tenants_, [&](const Tenant& tenant) { return tenant.interface == &interface; });
}

Interface* Node::find_locked(ptl_pid_t pid) {
  std::lock_guard lock{lock_};
  for (const Tenant& tenant : tenants_) {
    if (tenant.pid != pid) continue;
    tenant.interface->lock();
    return tenant.interface;
  }
  return nullptr;
}

Destination Node::destination(const Incoming& incoming) {
  const std::optional<WireHeader> header = WireHeader::read(incoming, nal_.self());
  if (!header) return {};
  std::lock_guard lock{lock_};
  for (const Tenant& tenant : tenants_) {
    if (tenant.pid == header->target.pid) return {&tenant.interface->bridge(), tenant.pid, header->kind};
  }
  return {nullptr, header->target.pid, header->kind};
}

Verdict Node::parse(const Incoming& incoming) {
  const std::optional<WireHeader> header = WireHeader::read(incoming, nal_.self());
  if (!header) {
    malformed_.fetch_add(1, std::memory_order_relaxed);
    return {};
  }
  Interface* interface = find_locked(header->target.pid);
  if (interface == nullptr) {
    strays_.fetch_add(1, std::memory_order_relaxed);
    return {};
  }
  return interface->parse(*header);
}

void Node::finalize(NicTransfer& transfer, ptl_ni_fail_t fail) {
  auto& message = static_cast<TransferRecord&>(transfer);
  message.owner->finalize(message, fail);
}

void Node::undeliverable(NodeId, std::span<const std::byte> bytes) {
  const std::optional<WireHeader> header = WireHeader::read_own(bytes);
  if (!header || header->source.nid != nal_.self()) {
    malformed_.fetch_add(1, std::memory_order_relaxed);
  } else if (Interface* interface = find_locked(header->source.pid)) {
    interface->fail(*header);
  }
}

void Node::lost(NodeId node) {
  // Interfaces live longer than their entries here.
  std::vector<Tenant> tenants;
  {
    std::lock_guard lock{lock_};
    tenants = tenants_;
  }
  for (const Tenant& tenant : tenants) tenant.interface->lose(node);
}

}  // namespace aqueduct::portals3
