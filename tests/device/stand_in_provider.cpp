// A stand-in for a provider of libfabric that moves memory of devices (FI_HMEM), for machines whose providers
// know none: "tcp;ofi_rxm" under another name, which takes registrations of memory of the stand-in driver and
// reaches it through the driver's own mapping. libfabric loads it from FI_PROVIDER_PATH.
//
// It is strict: a device's memory must be registered with its interface, and be used with the descriptor of
// that registration. It lies on command:
//
//   STAND_IN_PROVIDER=WHAT      or WHAT:N, from the N-th write or read of the process on
//     weak       loses inject and more when it is asked for memory of devices
//     refuses    registers no memory of devices
//     loses      what is written never reaches the device
//     shifts     reads and writes memory here one byte beside its place
//     fails      operations end with an error
//     silent     operations never complete
//     hangs      operations never return
//     crashes    as if it had used an address of the device
//     alone      operations end with an error while the calling thread has a context of the driver
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/providers/fi_prov.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace {

constexpr const char* kName = "stand_in";
constexpr const char* kBelow = "tcp;ofi_rxm";

std::atomic<unsigned> posted{0};

// Whether it misbehaves in that way now.
bool does(const char* what) {
  const char* const wish = std::getenv("STAND_IN_PROVIDER");
  char word[32] = "";
  unsigned from = 0;
  if (!wish || std::sscanf(wish, "%31[^:]:%u", word, &from) < 1 || std::strcmp(word, what) != 0) return false;
  return posted + 1 >= from;
}

// Where the driver has memory of a device; null: it is the host's.
void* inside(const void* address, std::size_t bytes) {
  using Function = void* (*)(const void*, std::size_t);
  static const auto function = []() -> Function {
    const char* const name = std::getenv("AQUEDUCT_CUDA_LIBRARY");
    void* const library = name ? ::dlopen(name, RTLD_NOW) : nullptr;
    return library ? reinterpret_cast<Function>(::dlsym(library, "stand_in_inside")) : nullptr;
  }();
  return function ? function(address, bytes) : nullptr;
}

// Whether this thread has a context of the driver.
bool has_context() {
  using Function = int (*)(void**);
  static const auto function = []() -> Function {
    const char* const name = std::getenv("AQUEDUCT_CUDA_LIBRARY");
    void* const library = name ? ::dlopen(name, RTLD_NOW) : nullptr;
    return library ? reinterpret_cast<Function>(::dlsym(library, "cuCtxGetCurrent")) : nullptr;
  }();
  void* context = nullptr;
  return function && function(&context) == 0 && context;
}

struct State {
  std::mutex mutex;
  std::map<void*, std::pair<const char*, std::size_t>> registered;  // of devices, by descriptor
};
State& state() {
  static State* const made = new State;
  return *made;
}

fi_ops_fabric fabric_ops;
fi_ops_domain domain_ops;
fi_ops_mr mr_ops;
fi_ops_rma rma_ops;
const fi_ops_fabric* fabrics_own;
const fi_ops_domain* domains_own;
const fi_ops_mr* mrs_own;
const fi_ops_rma* rmas_own;

// What the provider below is to see of one of ours.
fi_info* below(const fi_info& info) {
  fi_info* const made = fi_dupinfo(&info);
  std::free(made->fabric_attr->prov_name);
  made->fabric_attr->prov_name = ::strdup(kBelow);
  made->caps &= ~FI_HMEM;
  made->tx_attr->caps &= ~FI_HMEM;
  made->rx_attr->caps &= ~FI_HMEM;
  made->domain_attr->caps &= ~FI_HMEM;
  made->domain_attr->mr_mode &= ~FI_MR_HMEM;
  return made;
}

// False, with the error: it is memory of a device that may not be used so.
bool find(const void* address, std::size_t bytes, void* descriptor, void** found, ssize_t* error) {
  void* const here = inside(address, bytes);
  *found = const_cast<void*>(address);
  if (!here) return true;
  const std::lock_guard guard(state().mutex);
  const auto known = state().registered.find(descriptor);
  const auto* const at = static_cast<const char*>(address);
  if (known == state().registered.end() || at < known->second.first ||
      at + bytes > known->second.first + known->second.second) {
    *error = -FI_EINVAL;
    return false;
  }
  *found = does("shifts") ? static_cast<char*>(here) + 1 : here;
  return true;
}

// What an operation on `message` is to be instead.
struct Changed {
  fi_msg_rma message;
  iovec part;
  ssize_t error = 0;
  bool is_swallowed = false;

  explicit Changed(const fi_msg_rma& asked) : message(asked), part(asked.msg_iov[0]) {
    void* found = nullptr;
    void* const descriptor = asked.desc ? asked.desc[0] : nullptr;
    if (!find(part.iov_base, part.iov_len, descriptor, &found, &error)) return;
    if (found != part.iov_base) message.desc = nullptr;
    part.iov_base = found;
    message.msg_iov = &part;
    if (does("fails")) error = -FI_EINVAL;
    is_swallowed = does("silent");
    if (does("crashes")) std::raise(SIGSEGV);
    while (does("hangs")) ::pause();
    if (does("alone") && has_context()) error = -FI_EPERM;
  }
};

ssize_t post(const fi_msg_rma& asked, std::uint64_t flags, fid_ep* endpoint,
             ssize_t (*function)(fid_ep*, const fi_msg_rma*, std::uint64_t)) {
  const Changed changed(asked);
  if (changed.error != 0) return changed.error;
  const ssize_t result = changed.is_swallowed ? 0 : function(endpoint, &changed.message, flags);
  if (result == 0) ++posted;
  return result;
}

ssize_t write_message(fid_ep* endpoint, const fi_msg_rma* message, std::uint64_t flags) {
  return post(*message, flags, endpoint, rmas_own->writemsg);
}
ssize_t read_message(fid_ep* endpoint, const fi_msg_rma* message, std::uint64_t flags) {
  return post(*message, flags, endpoint, rmas_own->readmsg);
}
ssize_t read(fid_ep* endpoint, void* to, std::size_t bytes, void* descriptor, fi_addr_t source,
             std::uint64_t address, std::uint64_t key, void* context) {
  const iovec part{to, bytes};
  const fi_rma_iov remote{address, bytes, key};
  fi_msg_rma message{};
  message.msg_iov = &part;
  message.desc = &descriptor;
  message.iov_count = 1;
  message.addr = source;
  message.rma_iov = &remote;
  message.rma_iov_count = 1;
  message.context = context;
  return read_message(endpoint, &message, FI_COMPLETION);
}

int register_memory(fid* domain, const fi_mr_attr* asked, std::uint64_t flags, fid_mr** registration) {
  if (asked->iface == FI_HMEM_SYSTEM) return mrs_own->regattr(domain, asked, flags, registration);
  iovec part = asked->mr_iov[0];
  void* here = inside(part.iov_base, part.iov_len);
  if (does("refuses") || !here) return -FI_ENOSYS;
  if (does("loses")) {
    here = ::mmap(nullptr, part.iov_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  fi_mr_attr attributes = *asked;
  attributes.iface = FI_HMEM_SYSTEM;
  part.iov_base = here;
  attributes.mr_iov = &part;
  const int result = mrs_own->regattr(domain, &attributes, flags, registration);
  if (result != 0) return result;
  // One below that needs no descriptors has none.
  (*registration)->mem_desc = *registration;
  const std::lock_guard guard(state().mutex);
  state().registered[*registration] = {static_cast<const char*>(asked->mr_iov[0].iov_base), part.iov_len};
  return 0;
}

int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** endpoint, void* context) {
  fi_info* const less = below(*info);
  const int result = domains_own->endpoint(domain, less, endpoint, context);
  fi_freeinfo(less);
  if (result != 0) return result;
  rmas_own = (*endpoint)->rma;
  rma_ops = *rmas_own;
  rma_ops.writemsg = write_message;
  rma_ops.readmsg = read_message;
  rma_ops.read = read;
  (*endpoint)->rma = &rma_ops;
  return 0;
}

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** domain, void* context) {
  fi_info* const less = below(*info);
  const int result = fabrics_own->domain(fabric, less, domain, context);
  fi_freeinfo(less);
  if (result != 0) return result;
  domains_own = (*domain)->ops;
  domain_ops = *domains_own;
  domain_ops.endpoint = open_endpoint;
  (*domain)->ops = &domain_ops;
  mrs_own = (*domain)->mr;
  mr_ops = *mrs_own;
  mr_ops.regattr = register_memory;
  (*domain)->mr = &mr_ops;
  return 0;
}

int open_fabric(fi_fabric_attr* attributes, fid_fabric** fabric, void* context) {
  fi_fabric_attr less = *attributes;
  char name[32];
  std::snprintf(name, sizeof name, "%s", kBelow);
  less.prov_name = name;
  const int result = fi_fabric(&less, fabric, context);
  if (result != 0) return result;
  fabrics_own = (*fabric)->ops;
  fabric_ops = *fabrics_own;
  fabric_ops.domain = open_domain;
  (*fabric)->ops = &fabric_ops;
  return 0;
}

int get_info(std::uint32_t version, const char* node, const char* service, std::uint64_t,
             const fi_info* hints, fi_info** found) {
  // Layers look for what they can lie on; this is none such.
  if (!hints || !hints->ep_attr || hints->ep_attr->type != FI_EP_RDM) return -FI_ENODATA;
  fi_info* const wanted = below(*hints);
  const bool of_devices = (hints->caps & FI_HMEM) != 0;
  const int result = fi_getinfo(version, node, service, 0, wanted, found);
  fi_freeinfo(wanted);
  if (result != 0) return result;
  for (fi_info* info = *found; info; info = info->next) {
    std::free(info->fabric_attr->prov_name);
    info->fabric_attr->prov_name = nullptr;  // libfabric's to fill in
    if (!of_devices) continue;
    info->caps |= FI_HMEM;
    info->domain_attr->mr_mode |= FI_MR_HMEM;
    if (does("weak")) info->tx_attr->inject_size = 0;
  }
  return 0;
}

void clean_up() {}

fi_provider provider;

}  // namespace

extern "C" __attribute__((visibility("default"))) fi_provider* fi_prov_ini() {
  provider.version = FI_VERSION(1, 0);
  provider.fi_version = FI_VERSION(1, 15);
  provider.name = kName;
  provider.getinfo = get_info;
  provider.fabric = open_fabric;
  provider.cleanup = clean_up;
  return &provider;
}
