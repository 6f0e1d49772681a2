// A shared message queue of a domain: one queue for the messages of all nodes that it is connected to.
//
// A sender has as many credits for a node as the receiver's smsg_q_sz says; a message takes one, which comes
// back when the receiver's callback has seen the message. So no more than connections x smsg_q_sz messages
// ever wait.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "gni_pub.h"
#include "papers/nic/ugni/device.hpp"
#include "papers/nic/ugni/handle.hpp"

namespace aqueduct::ugni {

struct Domain;
struct Queue;

struct QueuedMessage {
  NodeId source = 0;
  std::uint32_t sender = 0;  ///< its instance id
  std::uint8_t tag = 0;
  std::array<std::byte, GNI_MSGQ_MSG_SZ_MAX> bytes{};
};

struct MessageQueue : TableSlot {
  struct Connection {
    std::uint32_t credits = 0;
    std::uint32_t most_bytes = 0;
    std::uint32_t under_way = 0;
  };

  Domain* domain = nullptr;
  Queue* send_queue = nullptr;
  gni_msgq_rcv_cb_func* receive = nullptr;
  void* receive_data = nullptr;
  gni_msgq_attr_t attributes{};
  bool in_callback = false;
  std::unordered_map<NodeId, Connection> connections;
  std::deque<QueuedMessage> waiting;
};

}  // namespace aqueduct::ugni
