// The C interface of VELO.
#include "papers/nic/extoll/api_call.hpp"

namespace aqueduct::extoll {
namespace {

constexpr const char* kWaitsForMessage = "a VELO message";
constexpr const char* kWaitsForCommit =
    "a VELO message, and its mailbox is full of messages that were never committed (velo2_recv_commit)";
constexpr const char* kWaitsForCredit =
    "a VELO credit: the target's mailbox is full (does it receive, and commit what it has received?)";

template <class Function>
velo2_ret_t velo_call(Call kind, std::size_t amount, bool given, Function function) {
  return call(kind, amount, given, VELO2_RET_ERROR, function);
}

template <class Result>
void give(Result* result, Result value) {
  if (result != nullptr) *result = value;
}

/// Takes a message with the commits that it needs, and charges it.
velo2_ret_t receive(Process& process, const velo2_port_t& port, void* buffer, unsigned size, std::uint8_t mtt,
                    Process::VeloNext* next) {
  bool committed = false;
  const velo2_ret_t code = process.take_velo(port, buffer, size, mtt, next, true, &committed);
  if (committed) process.device().enter(Call::kCommit, 0);
  return code;
}

velo2_ret_t received(Process& process, velo2_ret_t code, const Process::VeloNext& next, uint32_t* length,
                     uint32_t* source, uint8_t* tag, uint8_t* mtt) {
  if (code == VELO2_RET_SUCCESS) process.device().enter(Call::kReceive, next.length);
  if (code != VELO2_RET_SUCCESS && code != VELO2_RET_INV_MSG && code != VELO2_RET_NO_MATCH) return code;
  give(length, next.length);
  give(source, next.source);
  give(tag, next.tag);
  give(mtt, next.mtt);
  return code;
}

velo2_ret_t wait_for_message(Process& process, const velo2_port_t& port, Process::VeloNext* next) {
  return wait_for(
      process, VELO2_RET_NO_MSG, [&] { return process.check_velo(port, next); },
      [&] { return process.is_commit_forgotten(port) ? kWaitsForCommit : kWaitsForMessage; });
}

}  // namespace
}  // namespace aqueduct::extoll

namespace extoll = aqueduct::extoll;
using ExtollCall = aqueduct::extoll::Call;
using ExtollProcess = aqueduct::extoll::Process;

const char* velo2_strerror(velo2_ret_t code) {
  static constexpr const char* kTexts[] = {
      "success",
      "error: a bad handle or pointer, no port left, or the peer is gone",
      "no message",
      "the next message is of another type",
      "no device",
      "no memory for a mailbox",
      "no such mailbox",
      "no such node",
      "no credit: try again",
      "no such message type",
      "the message is too long"};
  const auto index = static_cast<std::size_t>(code);
  return index < std::size(kTexts) ? kTexts[index] : "unknown";
}

velo2_ret_t velo2_open(velo2_port_t* port) {
  if (ExtollProcess::current() == nullptr && ExtollProcess::live() == nullptr) return VELO2_RET_ERR_FDOPEN;
  return extoll::velo_call(ExtollCall::kOther, 0, port != nullptr,
                           [&](ExtollProcess& process) { return process.open_velo(port); });
}

velo2_ret_t velo2_close(velo2_port_t* port) {
  return extoll::velo_call(ExtollCall::kOther, 0, port != nullptr,
                           [&](ExtollProcess& process) { return process.close_velo(*port); });
}

velo2_nodeid_t velo2_get_nodeid(const velo2_port_t* port) {
  if (velo2_get_vpid(port) == 0xffff) return 0xffff;
  return static_cast<velo2_nodeid_t>(ExtollProcess::current()->self());
}

velo2_vpid_t velo2_get_vpid(const velo2_port_t* port) {
  ExtollProcess* const process = ExtollProcess::current();
  return process != nullptr && port != nullptr ? process->velo_vpid(*port) : 0xffff;
}

velo2_ret_t velo2_connect(velo2_port_t* port, velo2_connection_t* connection, velo2_nodeid_t node,
                          velo2_vpid_t vpid) {
  return extoll::velo_call(
      ExtollCall::kOther, 0, port != nullptr && connection != nullptr,
      [&](ExtollProcess& process) { return process.connect_velo(*port, node, vpid, connection); });
}

velo2_ret_t velo2_disconnect(velo2_port_t* port, velo2_connection_t* connection) {
  return extoll::velo_call(
      ExtollCall::kOther, 0, port != nullptr && connection != nullptr,
      [&](ExtollProcess& process) { return process.disconnect_velo(*port, *connection); });
}

velo2_ret_t velo2_send(velo2_connection_t* connection, const void* message, unsigned length, uint8_t tag,
                       uint8_t mtt) {
  const bool given = connection != nullptr && (message != nullptr || length == 0);
  return extoll::velo_call(ExtollCall::kSend, length, given, [&](ExtollProcess& process) {
    return extoll::look_twice(process, VELO2_RET_TRY_AGAIN, [&] {
      return process.send_velo(*connection, {static_cast<const std::byte*>(message), length}, tag, mtt);
    });
  });
}

velo2_ret_t velo2_wait_send(velo2_connection_t* connection) {
  return extoll::velo_call(ExtollCall::kOther, 0, connection != nullptr, [&](ExtollProcess& process) {
    return extoll::wait_for(
        process, VELO2_RET_TRY_AGAIN, [&] { return process.can_send_velo(*connection); },
        [] { return extoll::kWaitsForCredit; });
  });
}

velo2_ret_t velo2_recv(velo2_port_t* port, void* buffer, unsigned size, uint32_t* length, uint32_t* source,
                       uint8_t* tag, uint8_t mtt) {
  if (mtt > VELO2_MAX_MTT && mtt != VELO2_MTT_ANY) return VELO2_RET_INV_MTT;
  const bool given = port != nullptr && (buffer != nullptr || size == 0);
  return extoll::velo_call(ExtollCall::kOther, 0, given, [&](ExtollProcess& process) {
    ExtollProcess::VeloNext next;
    const velo2_ret_t code = extoll::wait_for(
        process, VELO2_RET_NO_MSG, [&] { return extoll::receive(process, *port, buffer, size, mtt, &next); },
        [] { return extoll::kWaitsForMessage; });
    return extoll::received(process, code, next, length, source, tag, nullptr);
  });
}

velo2_ret_t velo2_probe_recv(velo2_port_t* port, void* buffer, unsigned size, uint32_t* length,
                             uint32_t* source, uint8_t* tag, uint8_t* mtt) {
  const bool given = port != nullptr && (buffer != nullptr || size == 0);
  return extoll::velo_call(ExtollCall::kLook, 0, given, [&](ExtollProcess& process) {
    ExtollProcess::VeloNext next;
    const velo2_ret_t code = extoll::look_twice(process, VELO2_RET_NO_MSG, [&] {
      return extoll::receive(process, *port, buffer, size, VELO2_MTT_ANY, &next);
    });
    return extoll::received(process, code, next, length, source, tag, mtt);
  });
}

velo2_ret_t velo2_check(velo2_port_t* port, uint32_t* source, uint32_t* length, uint8_t* tag, uint8_t* mtt) {
  return extoll::velo_call(ExtollCall::kLook, 0, port != nullptr, [&](ExtollProcess& process) {
    ExtollProcess::VeloNext next;
    const velo2_ret_t code =
        extoll::look_twice(process, VELO2_RET_NO_MSG, [&] { return process.check_velo(*port, &next); });
    if (code != VELO2_RET_SUCCESS) return code;
    extoll::give(source, next.source);
    extoll::give(length, next.length);
    extoll::give(tag, next.tag);
    extoll::give(mtt, next.mtt);
    return code;
  });
}

velo2_ret_t velo2_wait(velo2_port_t* port) {
  return extoll::velo_call(ExtollCall::kOther, 0, port != nullptr, [&](ExtollProcess& process) {
    ExtollProcess::VeloNext next;
    return extoll::wait_for_message(process, *port, &next);
  });
}

velo2_ret_t velo2_recv_complete(velo2_port_t* port, void* buffer) {
  return extoll::velo_call(
      ExtollCall::kOther, 0, port != nullptr && buffer != nullptr, [&](ExtollProcess& process) {
        ExtollProcess::VeloNext next;
        bool committed = false;
        const velo2_ret_t code =
            process.take_velo(*port, buffer, VELO2_MAX_MSG_SIZE, VELO2_MTT_ANY, &next, false, &committed);
        if (code == VELO2_RET_SUCCESS) process.device().enter(ExtollCall::kReceive, next.length);
        return code;
      });
}

velo2_ret_t velo2_recv_commit(velo2_port_t* port) {
  return extoll::velo_call(ExtollCall::kCommit, 0, port != nullptr,
                           [&](ExtollProcess& process) { return process.commit_velo(*port); });
}
