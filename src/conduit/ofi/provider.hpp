// The choice of a provider of libfabric, and what it can do.
//
// Asked for are reliable datagrams with messages and remote memory access. Of what there is
//   FI_PROVIDER              is libfabric's own setting: it leaves only some
//   GASNET_OFI_DEVICE        leaves those of one domain ("eth0", "mlx5_0")
//   the address              leaves, of providers over IP, those that others reach at this address
//   kOrder                   decides among the rest: networks that have hardware for this before those over
//                            sockets
// The one that is taken is asked for atomics, too, unless it has less of something else then: tcp;ofi_rxm no
// longer orders messages behind writes, and sends them by a longer path. AQUEDUCT_OFI_ATOMICS decides that.
// Where the machine shows a device, it is asked in the same way for transfers of its memory (FI_HMEM), and
// AQUEDUCT_OFI_DEVICES decides.
// A provider that reaches this machine only (shm) is taken if FI_PROVIDER leaves no other.
#pragma once
#include <rdma/fabric.h>

#include <memory>
#include <string>

#include "base/changed_environment.hpp"
#include "conduit/ofi/settings.hpp"
#include "net/address.hpp"
#include "parts/long/choice.hpp"

namespace aqueduct::conduit::ofi {

struct FreeInfo {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/// What decides which path the conduit takes.
struct Properties {
  std::size_t inject_bytes = 0;       ///< of the largest message that needs no completion
  std::size_t max_message_bytes = 0;  ///< of the largest transfer
  bool multi_receive = false;
  bool has_rma = false;
  bool local_registration = false;
  bool virtual_addresses = false;
  bool raw_keys = false;
  bool endpoint_registration = false;
  std::uint64_t arrival = 0;  ///< the flag by which a write completes when it has arrived; 0: none
  bool always_delivery_complete = false;  ///< messages are asked for that, too
  bool send_after_send = false;           ///< messages do not overtake each other
  bool small_by_messages = false;         ///< of puts and gets (small_transfers.hpp)
  bool send_after_write = false;          ///< a message does not overtake writes before it
  bool completion_data = false;           ///< a write can tell the target, with 32 bits
  bool has_atomics = false;               ///< and was asked for them
  bool device_memory = false;             ///< moves that of devices, and was asked for it

  /// Put and get are reads and writes; otherwise they go by messages.
  bool puts_and_gets() const { return has_rma && arrival != 0; }
  /// What the protocols of long messages may count on.
  parts::LongAbilities long_abilities() const;
  /// Large long payloads are written; otherwise they go in messages.
  bool writes_longs() const;
  /// Lacks something that the other has, atomics and memory of devices apart.
  bool is_less_than(const Properties& other) const;
  am::Limits limits(const Settings& settings) const;
  /// In words, for reports.
  std::string text() const;
};

struct Provider {
  Info info;
  Properties properties;
  std::string reason;      ///< why it was chosen; or, where there is none, why not
  std::string why_staged;  ///< why memory of devices is staged, unless properties.device_memory

  const char* name() const { return info->fabric_attr->prov_name; }
  /// Over sockets: slower than what the library can do with these itself.
  bool is_software() const;
  bool reaches_one_machine_only() const;
};

/// Settings of libfabric's layer ofi_rxm over TCP that the user has not made. It reads them while libfabric
/// starts and while an endpoint is opened. What is above its eager limit it sends by a rendezvous, which
/// takes two to three times as long over TCP, so the largest medium message is below it. Before
/// libfabric 1.20 messages leave from our buffers and arrive in them, and the layer's own, of which it makes
/// 1024 at a time, hold only what comes unexpectedly (it allocates what is larger): they are small. Since
/// then the limit is the size of the buffers. Over other networks its own settings stay.
void set_up_layers(ChangedEnvironment& environment);

/// `at`: the address of this host that others use; without family: any. One thread at a time.
Provider choose_provider(const Settings& settings, const net::Address& at);

}  // namespace aqueduct::conduit::ofi
