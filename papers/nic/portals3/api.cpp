// The C interface: finds the process and the interface of a call, and crosses its bridge.
#include <limits>

#include "papers/nic/portals3/interface.hpp"
#include "papers/nic/portals3/process.hpp"
#include "portals3.h"

using namespace aqueduct::portals3;

namespace {

/// The process if it has called PtlInit.
Process* ready() {
  Process* process = Process::current();
  return process != nullptr && process->initialised() ? process : nullptr;
}

/// The interface that a handle may belong to; the interface checks it further.
Interface* interface_of(Process* process, ptl_handle_any_t handle) {
  return process->interface(Handle::decode(handle).interface);
}

class Crossing {
 public:
  Crossing(Interface& interface, Call call) : bridge_(interface.bridge()), call_(call) {
    bridge_.enter(call);
  }
  ~Crossing() { bridge_.leave(call_); }
  Crossing(const Crossing&) = delete;
  Crossing& operator=(const Crossing&) = delete;

 private:
  Bridge& bridge_;
  Call call_;
};

/// Runs one call with a handle. `invalid` is the code for a handle that fits nothing.
template <class Function>
int with_interface(ptl_handle_any_t handle, Call call, int invalid, bool results_given, Function function) {
  Process* process = ready();
  if (process == nullptr) return PTL_NO_INIT;
  if (!results_given) return PTL_SEGV;
  Interface* interface = interface_of(process, handle);
  if (interface == nullptr) return invalid;
  Crossing crossing{*interface, call};
  return function(*interface);
}

int look(Interface& interface, ptl_handle_eq_t eq, ptl_event_t* event) {
  Crossing crossing{interface, Call::kEvent};
  return interface.get_event(eq, event);
}

}  // namespace

int PtlInit(int* max_interfaces) {
  if (max_interfaces == nullptr) return PTL_SEGV;
  Process* process = Process::current();
  if (process == nullptr) process = Process::live();
  return process != nullptr ? process->init(max_interfaces) : PTL_FAIL;
}

void PtlFini(void) {
  if (Process* process = ready()) process->fini();
}

int PtlNIInit(ptl_interface_t iface, ptl_pid_t pid, ptl_ni_limits_t* desired, ptl_ni_limits_t* actual,
              ptl_handle_ni_t* ni) {
  Process* process = ready();
  if (process == nullptr) return PTL_NO_INIT;
  if (ni == nullptr) return PTL_SEGV;
  Interface* interface = process->offered(iface);
  if (interface == nullptr) return PTL_IFACE_INVALID;
  Crossing crossing{*interface, Call::kOpen};
  return interface->open(pid, desired, actual, ni);
}

int PtlNIFini(ptl_handle_ni_t ni) {
  return with_interface(ni, Call::kOpen, PTL_NI_INVALID, true,
                        [&](Interface& interface) { return interface.close(ni); });
}

int PtlNIStatus(ptl_handle_ni_t ni, ptl_sr_index_t status_register, ptl_sr_value_t* status) {
  return with_interface(ni, Call::kQuery, PTL_NI_INVALID, status != nullptr,
                        [&](Interface& interface) { return interface.status(ni, status_register, status); });
}

int PtlNIDist(ptl_handle_ni_t ni, ptl_process_id_t process, unsigned long* distance) {
  return with_interface(ni, Call::kQuery, PTL_NI_INVALID, distance != nullptr,
                        [&](Interface& interface) { return interface.distance(ni, process, distance); });
}

int PtlNIHandle(ptl_handle_any_t handle, ptl_handle_ni_t* ni) {
  return with_interface(handle, Call::kQuery, PTL_HANDLE_INVALID, ni != nullptr,
                        [&](Interface& interface) { return interface.name(handle, ni); });
}

int PtlGetUid(ptl_handle_ni_t ni, ptl_uid_t* uid) {
  return with_interface(ni, Call::kQuery, PTL_NI_INVALID, uid != nullptr, [&](Interface& interface) {
    Identity identity;
    const int code = interface.identity(ni, nullptr, &identity);
    if (code == PTL_OK) *uid = identity.uid;
    return code;
  });
}

int PtlGetId(ptl_handle_ni_t ni, ptl_process_id_t* id) {
  return with_interface(ni, Call::kQuery, PTL_NI_INVALID, id != nullptr,
                        [&](Interface& interface) { return interface.identity(ni, id, nullptr); });
}

int PtlGetJid(ptl_handle_ni_t ni, ptl_jid_t* jid) {
  return with_interface(ni, Call::kQuery, PTL_NI_INVALID, jid != nullptr, [&](Interface& interface) {
    Identity identity;
    const int code = interface.identity(ni, nullptr, &identity);
    if (code == PTL_OK) *jid = identity.jid;
    return code;
  });
}

int PtlMEAttach(ptl_handle_ni_t ni, ptl_pt_index_t pt_index, ptl_process_id_t match_id,
                ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink_op,
                ptl_ins_pos_t position, ptl_handle_me_t* me) {
  return with_interface(ni, Call::kEntry, PTL_NI_INVALID, me != nullptr, [&](Interface& interface) {
    return interface.attach_entry(ni, pt_index, {match_id, match_bits, ignore_bits, unlink_op}, position, me);
  });
}

int PtlMEAttachAny(ptl_handle_ni_t ni, ptl_pt_index_t* pt_index, ptl_process_id_t match_id,
                   ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink_op,
                   ptl_handle_me_t* me) {
  const bool results_given = pt_index != nullptr && me != nullptr;
  return with_interface(ni, Call::kEntry, PTL_NI_INVALID, results_given, [&](Interface& interface) {
    return interface.attach_any_entry(ni, pt_index, {match_id, match_bits, ignore_bits, unlink_op}, me);
  });
}

int PtlMEInsert(ptl_handle_me_t base, ptl_process_id_t match_id, ptl_match_bits_t match_bits,
                ptl_match_bits_t ignore_bits, ptl_unlink_t unlink_op, ptl_ins_pos_t position,
                ptl_handle_me_t* me) {
  return with_interface(base, Call::kEntry, PTL_ME_INVALID, me != nullptr, [&](Interface& interface) {
    return interface.insert_entry(base, {match_id, match_bits, ignore_bits, unlink_op}, position, me);
  });
}

int PtlMEUnlink(ptl_handle_me_t me) {
  return with_interface(me, Call::kEntry, PTL_ME_INVALID, true,
                        [&](Interface& interface) { return interface.unlink_entry(me); });
}

int PtlMDAttach(ptl_handle_me_t me, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t* handle) {
  return with_interface(me, Call::kDescriptor, PTL_ME_INVALID, handle != nullptr, [&](Interface& interface) {
    return interface.attach_descriptor(me, md, unlink_op, handle);
  });
}

int PtlMDBind(ptl_handle_ni_t ni, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t* handle) {
  return with_interface(ni, Call::kDescriptor, PTL_NI_INVALID, handle != nullptr, [&](Interface& interface) {
    return interface.bind_descriptor(ni, md, unlink_op, handle);
  });
}

int PtlMDUnlink(ptl_handle_md_t md) {
  return with_interface(md, Call::kDescriptor, PTL_MD_INVALID, true,
                        [&](Interface& interface) { return interface.unlink_descriptor(md); });
}

int PtlMDUpdate(ptl_handle_md_t md, ptl_md_t* old_md, ptl_md_t* new_md, ptl_handle_eq_t testq) {
  return with_interface(md, Call::kDescriptor, PTL_MD_INVALID, true, [&](Interface& interface) {
    return interface.update_descriptor(md, old_md, new_md, testq);
  });
}

int PtlEQAlloc(ptl_handle_ni_t ni, ptl_size_t count, ptl_eq_handler_t handler, ptl_handle_eq_t* eq) {
  return with_interface(ni, Call::kQueue, PTL_NI_INVALID, eq != nullptr, [&](Interface& interface) {
    return interface.allocate_queue(ni, count, handler, eq);
  });
}

int PtlEQFree(ptl_handle_eq_t eq) {
  return with_interface(eq, Call::kQueue, PTL_EQ_INVALID, true,
                        [&](Interface& interface) { return interface.free_queue(eq); });
}

int PtlEQGet(ptl_handle_eq_t eq, ptl_event_t* event) {
  Process* process = ready();
  if (process == nullptr) return PTL_NO_INIT;
  if (event == nullptr) return PTL_SEGV;
  Interface* interface = interface_of(process, eq);
  if (interface == nullptr) return PTL_EQ_INVALID;
  Crossing crossing{*interface, Call::kEvent};
  const int code = interface->get_event(eq, event);
  // A caller that only polls must make progress as well.
  if (code != PTL_EQ_EMPTY || interface->nal().progress() == 0) return code;
  return interface->get_event(eq, event);
}

int PtlEQWait(ptl_handle_eq_t eq, ptl_event_t* event) {
  int which = 0;
  return PtlEQPoll(&eq, 1, PTL_TIME_FOREVER, event, &which);
}

int PtlEQPoll(ptl_handle_eq_t* eqs, int size, ptl_time_t timeout_ms, ptl_event_t* event, int* which) {
  Process* process = ready();
  if (process == nullptr) return PTL_NO_INIT;
  if (eqs == nullptr || event == nullptr || which == nullptr) return PTL_SEGV;
  Interface* interface = size > 0 ? interface_of(process, eqs[0]) : nullptr;
  if (interface == nullptr) return PTL_EQ_INVALID;
  Bridge& bridge = interface->bridge();
  std::uint64_t deadline_ns = timeout_ms == PTL_TIME_FOREVER ? kForever : 0;
  for (bool first = true;; first = false) {
    const std::uint64_t seen = interface->activity().load(std::memory_order_acquire);
    for (int i = 0; i < size; ++i) {
      const int code = look(*interface, eqs[i], event);
      if (code == PTL_EQ_EMPTY) continue;
      *which = i;
      return code;
    }
    // Even a call with a timeout of 0 makes progress once.
    if (first && interface->nal().progress() != 0) continue;
    const std::uint64_t now_ns = timeout_ms == PTL_TIME_FOREVER ? 0 : bridge.now_ns();
    if (deadline_ns == 0) deadline_ns = now_ns + timeout_ms * std::uint64_t{1'000'000};
    if (now_ns >= deadline_ns) return PTL_EQ_EMPTY;
    bridge.wait(interface->nal(), interface->activity(), seen, deadline_ns);
  }
}

int PtlACEntry(ptl_handle_ni_t ni, ptl_ac_index_t ac_index, ptl_process_id_t match_id, ptl_uid_t uid,
               ptl_jid_t jid, ptl_pt_index_t pt_index) {
  return with_interface(ni, Call::kEntry, PTL_NI_INVALID, true, [&](Interface& interface) {
    return interface.set_access(ni, ac_index, match_id, uid, jid, pt_index);
  });
}

int PtlPut(ptl_handle_md_t md, ptl_ack_req_t ack, ptl_process_id_t target, ptl_pt_index_t pt_index,
           ptl_ac_index_t ac_index, ptl_match_bits_t match_bits, ptl_size_t remote_offset,
           ptl_hdr_data_t hdr_data) {
  return with_interface(md, Call::kPut, PTL_MD_INVALID, true, [&](Interface& interface) {
    return interface.put(md, {}, ack, {target, pt_index, ac_index, match_bits, remote_offset, hdr_data});
  });
}

int PtlPutRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length, ptl_ack_req_t ack,
                 ptl_process_id_t target, ptl_pt_index_t pt_index, ptl_ac_index_t ac_index,
                 ptl_match_bits_t match_bits, ptl_size_t remote_offset, ptl_hdr_data_t hdr_data) {
  return with_interface(md, Call::kPut, PTL_MD_INVALID, true, [&](Interface& interface) {
    return interface.put(md, {local_offset, length}, ack,
                         {target, pt_index, ac_index, match_bits, remote_offset, hdr_data});
  });
}

int PtlGet(ptl_handle_md_t md, ptl_process_id_t target, ptl_pt_index_t pt_index, ptl_ac_index_t ac_index,
           ptl_match_bits_t match_bits, ptl_size_t remote_offset) {
  return with_interface(md, Call::kGet, PTL_MD_INVALID, true, [&](Interface& interface) {
    return interface.get(md, {}, {target, pt_index, ac_index, match_bits, remote_offset});
  });
}

int PtlGetRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length, ptl_process_id_t target,
                 ptl_pt_index_t pt_index, ptl_ac_index_t ac_index, ptl_match_bits_t match_bits,
                 ptl_size_t remote_offset) {
  return with_interface(md, Call::kGet, PTL_MD_INVALID, true, [&](Interface& interface) {
    return interface.get(md, {local_offset, length}, {target, pt_index, ac_index, match_bits, remote_offset});
  });
}

int PtlGetPut(ptl_handle_md_t get_md, ptl_handle_md_t put_md, ptl_process_id_t target,
              ptl_pt_index_t pt_index, ptl_ac_index_t ac_index, ptl_match_bits_t match_bits,
              ptl_size_t remote_offset, ptl_hdr_data_t hdr_data) {
  return with_interface(get_md, Call::kGetPut, PTL_MD_INVALID, true, [&](Interface& interface) {
    return interface.getput(get_md, put_md,
                            {target, pt_index, ac_index, match_bits, remote_offset, hdr_data});
  });
}

int PtlFailNid(ptl_handle_ni_t ni, ptl_nid_t nid, unsigned int threshold) {
  return with_interface(ni, Call::kQuery, PTL_NI_INVALID, true,
                        [&](Interface& interface) { return interface.fail_node(ni, nid, threshold); });
}
