#include "conduit/ofi/provider.hpp"

#include <netinet/in.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

#include "device/driver.hpp"

namespace aqueduct::conduit::ofi {
namespace {

constexpr std::uint32_t kVersion = FI_VERSION(1, 15);
constexpr std::size_t kSmallMessageBytes = std::size_t{16} << 10;

// Known order: the networks that GASNet names for libfabric first, then others with hardware, then sockets.
constexpr std::array<std::string_view, 7> kHardware = {"cxi", "verbs;ofi_rxm", "psm2", "opx",
                                                       "efa", "psm3",          "ucx"};
constexpr std::array<std::string_view, 5> kSoftware = {"net", "tcp", "tcp;ofi_rxm", "udp;ofi_rxd", "sockets"};
constexpr unsigned kUnknown = kHardware.size();
constexpr unsigned kFirstSoftware = kUnknown + 1;
constexpr unsigned kOtherSoftware = kFirstSoftware + kSoftware.size();  // "net;ofi_rxm" and the like
constexpr unsigned kOnlyIfAlone = kOtherSoftware + 1;

unsigned place_in_order(std::string_view name) {
  if (name == "shm" || name == "psm" || name.find("mrail") != name.npos) return kOnlyIfAlone;
  if (const auto at = std::ranges::find(kHardware, name); at != kHardware.end())
    return static_cast<unsigned>(at - kHardware.begin());
  if (const auto at = std::ranges::find(kSoftware, name); at != kSoftware.end())
    return kFirstSoftware + static_cast<unsigned>(at - kSoftware.begin());
  for (const std::string_view core : {"net;", "tcp;", "udp;", "sockets;"}) {
    if (name.starts_with(core)) return kOtherSoftware;
  }
  return kUnknown;
}

std::string order_in_words() {
  std::string words;
  for (const std::string_view name : kHardware) words += std::string(name) + ", ";
  words += "others";
  for (const std::string_view name : kSoftware) words += ", " + std::string(name);
  return words;
}

bool is_at(const fi_info& info, const net::Address& at) {
  if (!at || !info.src_addr) return true;
  const auto* const address = static_cast<const sockaddr*>(info.src_addr);
  switch (info.addr_format) {
    case FI_SOCKADDR_IN:
      return at.family == net::Address::Family::kV4 &&
             std::memcmp(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr, at.host.data(), 4) == 0;
    case FI_SOCKADDR_IN6:
      return at.family == net::Address::Family::kV6 &&
             std::memcmp(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, at.host.data(), 16) == 0;
    default:
      return true;
  }
}

Info ask(std::uint64_t caps, std::uint64_t completion) {
  const Info hints(fi_allocinfo());
  if (!hints) return nullptr;
  hints->caps = caps;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->tx_attr->op_flags = completion;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->domain_attr->av_type = FI_AV_TABLE;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_RAW | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  if (caps & FI_HMEM) hints->domain_attr->mr_mode |= FI_MR_HMEM;
  fi_info* found = nullptr;
  ChangedEnvironment environment;
  set_up_layers(environment);
  const int result = fi_getinfo(kVersion, nullptr, nullptr, 0, hints.get(), &found);
  return Info(result == 0 ? found : nullptr);
}

// Asking takes a tenth of a second, and the answer stays the same as long as the process does.
const fi_info* known(std::uint64_t caps, std::uint64_t completion) {
  static std::map<std::pair<std::uint64_t, std::uint64_t>, Info> answers;
  const auto [found, is_new] = answers.try_emplace({caps, completion});
  if (is_new) found->second = ask(caps, completion);
  return found->second.get();
}

/// The best by the order; the first of libfabric's among equals.
const fi_info* best_of(const fi_info* list, const Settings& settings, const net::Address& at) {
  const fi_info* best = nullptr;
  for (const fi_info* info = list; info; info = info->next) {
    if (!settings.device.empty() && settings.device != info->domain_attr->name) continue;
    if (settings.device.empty() && !is_at(*info, at)) continue;
    if (!best || place_in_order(info->fabric_attr->prov_name) < place_in_order(best->fabric_attr->prov_name))
      best = info;
  }
  return best;
}

// Some say that they have atomics and have none.
bool does_atomics(const fi_info& info) {
  fid_fabric* fabric = nullptr;
  fid_domain* domain = nullptr;
  fi_atomic_attr limits{};
  bool does = false;
  if (fi_fabric(info.fabric_attr, &fabric, nullptr) != 0) return false;
  if (fi_domain(fabric, const_cast<fi_info*>(&info), &domain, nullptr) == 0) {
    does = fi_query_atomic(domain, FI_UINT64, FI_SUM, &limits, FI_FETCH_ATOMIC) == 0;
    fi_close(&domain->fid);
  }
  fi_close(&fabric->fid);
  return does;
}

// The same provider on the same domain, asked for more; null if it does not have that.
const fi_info* same_in(const fi_info* list, const fi_info& chosen, const net::Address& at) {
  for (const fi_info* info = list; info; info = info->next) {
    if (std::strcmp(info->fabric_attr->prov_name, chosen.fabric_attr->prov_name) == 0 &&
        std::strcmp(info->domain_attr->name, chosen.domain_attr->name) == 0 && is_at(*info, at))
      return info;
  }
  return nullptr;
}

const fi_info* with_atomics(const fi_info& chosen, const fi_info* list, const net::Address& at) {
  static std::map<const fi_info*, bool> answers;  // of entries that stay as long as the process does
  const fi_info* const info = same_in(list, chosen, at);
  if (!info) return nullptr;
  const auto [found, is_new] = answers.try_emplace(info);
  if (is_new) found->second = does_atomics(*info);
  return found->second ? info : nullptr;
}

// Over sockets a write or a read is a message there and one back in any case.
bool prefers_messages(const fi_info& info, TransferPath path) {
  if (path != TransferPath::kAsProvided) return path == TransferPath::kMessages;
  const unsigned place = place_in_order(info.fabric_attr->prov_name);
  return place >= kFirstSoftware && place < kOnlyIfAlone;
}

Properties properties_of(const fi_info& info, std::uint64_t arrival, const Settings& settings) {
  const Narrowing& narrowing = settings.narrowing;
  const auto mr_mode = static_cast<std::uint64_t>(info.domain_attr->mr_mode);
  Properties properties;
  properties.inject_bytes = narrowing.no_inject ? 0 : info.tx_attr->inject_size;
  properties.max_message_bytes = info.ep_attr->max_msg_size;
  if (narrowing.small_messages)
    properties.max_message_bytes = std::min(properties.max_message_bytes, kSmallMessageBytes);
  properties.multi_receive = (info.caps & FI_MULTI_RECV) != 0 && !narrowing.no_multi_receive;
  properties.has_rma = (info.caps & FI_RMA) != 0;
  properties.has_atomics = properties.has_rma && (info.caps & FI_ATOMIC) != 0;
  properties.local_registration = (mr_mode & FI_MR_LOCAL) != 0 || narrowing.local_registration;
  properties.virtual_addresses = (mr_mode & FI_MR_VIRT_ADDR) != 0;
  properties.raw_keys = (mr_mode & FI_MR_RAW) != 0;
  properties.endpoint_registration = (mr_mode & FI_MR_ENDPOINT) != 0;
  properties.arrival = narrowing.no_delivery_complete ? 0 : arrival;
  properties.always_delivery_complete = narrowing.always_delivery_complete && arrival == FI_DELIVERY_COMPLETE;
  properties.send_after_send = (info.tx_attr->msg_order & FI_ORDER_SAS) != 0 &&
                               (info.rx_attr->msg_order & FI_ORDER_SAS) != 0 && !narrowing.unordered;
  properties.small_by_messages =
      properties.send_after_send && prefers_messages(info, settings.small_transfers);
  properties.send_after_write = (info.tx_attr->msg_order & FI_ORDER_SAW) != 0 &&
                                (info.rx_attr->msg_order & FI_ORDER_SAW) != 0 && !narrowing.unordered;
  properties.completion_data = info.domain_attr->cq_data_size >= 4 && !narrowing.no_completion_data;
  return properties;
}

// Asks the provider that was taken for memory of devices as well, and takes that if nothing else is lost.
void ask_for_devices(Provider& provider, std::uint64_t caps, const Settings& settings,
                     const net::Address& at) {
  const std::string name = std::string("provider ") + provider.name();
  const Properties& now = provider.properties;
  if (settings.devices == DevicePath::kStaged) {
    provider.why_staged = "AQUEDUCT_OFI_DEVICES says so";
  } else if (!now.puts_and_gets()) {
    provider.why_staged = name + " has no put and get of its own";
  } else if (now.raw_keys) {
    provider.why_staged = name + " has keys of any length";
  } else if (!device::may_be_here()) {
    provider.why_staged = "this machine shows no device";
  } else {
    const fi_info* more = nullptr;
    if (now.has_atomics) more = same_in(known(caps | FI_ATOMIC | FI_HMEM, now.arrival), *provider.info, at);
    if (!more) more = same_in(known(caps | FI_HMEM, now.arrival), *provider.info, at);
    if (!more) {
      provider.why_staged = name + " does not move it (FI_HMEM)";
      return;
    }
    Properties properties = properties_of(*more, now.arrival, settings);
    const bool is_less = properties.is_less_than(now) || (now.has_atomics && !properties.has_atomics);
    if (settings.devices != DevicePath::kDirect && is_less) {
      provider.why_staged =
          name + " would move it (FI_HMEM), and then has less of something else: " + properties.text() +
          "; AQUEDUCT_OFI_DEVICES=direct takes that";
      return;
    }
    properties.device_memory = true;
    provider.info.reset(fi_dupinfo(more));
    provider.properties = properties;
  }
}

std::string why_none(const Settings& settings, const net::Address& at) {
  std::string why = "libfabric has no provider of reliable datagrams with messages";
  if (!settings.device.empty()) why += " for GASNET_OFI_DEVICE='" + settings.device + "'";
  if (settings.device.empty() && at) why += " at " + at.text();
  if (const char* const filter = std::getenv("FI_PROVIDER"))
    why += " among FI_PROVIDER='" + std::string(filter) + "'";
  return why + "; fi_info -t FI_EP_RDM lists what there is";
}

}  // namespace

void set_up_layers(ChangedEnvironment& environment) {
  const char* const wanted = std::getenv("FI_PROVIDER");
  if (!wanted || !std::strstr(wanted, "tcp")) return;
  const std::string most = std::to_string((std::size_t{64} << 10) + 1024);
  const bool has_eager_limit = FI_VERSION_LT(fi_version(), FI_VERSION(1, 20));
  if (has_eager_limit) environment.set_default("FI_OFI_RXM_EAGER_LIMIT", most);
  environment.set_default("FI_OFI_RXM_BUFFER_SIZE", has_eager_limit ? "256" : most);
  environment.set_default("FI_OFI_RXM_MSG_RX_SIZE", "256");
  environment.set_default("FI_OFI_RXM_MSG_TX_SIZE", "256");
}

bool Provider::is_software() const {
  const unsigned place = place_in_order(name());
  return place >= kFirstSoftware;
}

bool Provider::reaches_one_machine_only() const { return std::string_view(name()) == "shm"; }

bool Properties::is_less_than(const Properties& other) const {
  return inject_bytes < other.inject_bytes || max_message_bytes < other.max_message_bytes ||
         (other.send_after_write && !send_after_write) || (other.send_after_send && !send_after_send) ||
         (other.completion_data && !completion_data) || (local_registration && !other.local_registration);
}

// Memory of clients is not registered for others, so targets cannot read it.
parts::LongAbilities Properties::long_abilities() const {
  if (!has_rma) return {};
  return {.ordered = send_after_write ? parts::Ability::kYes : parts::Ability::kNo,
          .reports_landing = arrival != 0,
          .tells_target = completion_data};
}

bool Properties::writes_longs() const {
  parts::LongProtocolKind best;
  return parts::best_of(long_abilities(), &best);
}

std::string Properties::text() const {
  std::string text = "inject " + std::to_string(inject_bytes) + " bytes";
  parts::LongProtocolKind best;
  text += ", long messages ";
  text += parts::best_of(long_abilities(), &best) ? parts::name_of(best) : "no larger than others";
  text += puts_and_gets() ? ", put and get native" : ", put and get by messages";
  if (puts_and_gets() && small_by_messages) text += ", streams of small ones by messages";
  text += has_atomics ? ", atomics native in domains that favour remote ranks" : ", atomics by messages";
  if (local_registration) text += ", local memory registered";
  if (virtual_addresses) text += ", virtual addresses";
  if (!multi_receive) text += ", one message to a receive";
  return text;
}

am::Limits Properties::limits(const Settings& settings) const {
  am::Limits limits = settings.limits();
  if (!writes_longs()) limits.max_long = settings.max_medium;
  return limits;
}

Provider choose_provider(const Settings& settings, const net::Address& at) {
  constexpr std::uint64_t kRma = FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
  Provider provider;
  std::uint64_t taken_caps = 0;
  const auto take_better = [&](std::uint64_t caps, std::uint64_t arrival) {
    const fi_info* best = best_of(known(caps, arrival), settings, at);
    if (!best || (provider.info && place_in_order(best->fabric_attr->prov_name) >= kFirstSoftware)) return;
    taken_caps = caps;
    provider.info.reset(fi_dupinfo(best));
    provider.properties = properties_of(*best, arrival, settings);
    if (!(caps & FI_RMA) || settings.atomics == AtomicPath::kMessages) return;
    const fi_info* const more = with_atomics(*best, known(caps | FI_ATOMIC, arrival), at);
    if (!more) return;
    const Properties properties = properties_of(*more, arrival, settings);
    if (settings.atomics != AtomicPath::kNative && properties.is_less_than(provider.properties)) return;
    provider.info.reset(fi_dupinfo(more));
    provider.properties = properties;
  };
  take_better(FI_MSG | kRma | FI_MULTI_RECV, FI_DELIVERY_COMPLETE);
  // Over hardware a write that has been acknowledged has arrived: verbs says no more than that.
  if (!provider.info || provider.is_software())
    take_better(FI_MSG | kRma | FI_MULTI_RECV, FI_TRANSMIT_COMPLETE);
  if (!provider.info) take_better(FI_MSG | kRma, FI_DELIVERY_COMPLETE);
  if (!provider.info) take_better(FI_MSG, 0);
  if (!provider.info) {
    provider.reason = why_none(settings, at);
    return provider;
  }
  if (provider.is_software() && provider.properties.arrival == FI_TRANSMIT_COMPLETE)
    provider.properties.arrival = 0;
  ask_for_devices(provider, taken_caps, settings, at);
  const bool is_filtered = std::getenv("FI_PROVIDER") != nullptr;
  provider.reason = (is_filtered ? "the first of those that FI_PROVIDER leaves" : "the first that is here") +
                    (", in the order " + order_in_words());
  return provider;
}

}  // namespace aqueduct::conduit::ofi
