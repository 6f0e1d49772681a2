// One side of a conversation in a test, with the long calls of the interface in few words. A call that fails
// fails the test.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "portals3/machine.hpp"

namespace aqueduct::test {

inline constexpr ptl_process_id_t kAnybody{PTL_NID_ANY, PTL_PID_ANY};
inline constexpr ptl_pt_index_t kPortal = 5;

struct Side {
  Side(Machine& machine, unsigned process) : machine(machine), process(process) {
    On on{machine, process};
    int interfaces = 0;
    EXPECT_EQ(PtlInit(&interfaces), PTL_OK);
    EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni), PTL_OK);
    EXPECT_EQ(PtlGetId(ni, &id), PTL_OK);
  }
  ~Side() {
    On on{machine, process};
    PtlFini();
    EXPECT_EQ(machine.bridge(process).registrations(), 0u) << "memory stays registered";
    EXPECT_EQ(machine.bridge(process).depth_, 0);
  }

  ptl_handle_eq_t queue(ptl_size_t events = 64, ptl_eq_handler_t handler = PTL_EQ_HANDLER_NONE) {
    On on{machine, process};
    ptl_handle_eq_t eq = PTL_EQ_NONE;
    EXPECT_EQ(PtlEQAlloc(ni, events, handler, &eq), PTL_OK);
    return eq;
  }
  ptl_handle_me_t entry(ptl_match_bits_t bits, ptl_match_bits_t ignore = 0,
                        ptl_unlink_t unlink_op = PTL_RETAIN, ptl_process_id_t from = kAnybody,
                        ptl_ins_pos_t position = PTL_INS_AFTER) {
    On on{machine, process};
    ptl_handle_me_t me = PTL_HANDLE_NONE;
    EXPECT_EQ(PtlMEAttach(ni, kPortal, from, bits, ignore, unlink_op, position, &me), PTL_OK);
    return me;
  }
  ptl_handle_md_t attach(ptl_handle_me_t me, const ptl_md_t& md, ptl_unlink_t unlink_op = PTL_RETAIN) {
    On on{machine, process};
    ptl_handle_md_t handle = PTL_HANDLE_NONE;
    EXPECT_EQ(PtlMDAttach(me, md, unlink_op, &handle), PTL_OK);
    return handle;
  }
  ptl_handle_md_t bind(const ptl_md_t& md, ptl_unlink_t unlink_op = PTL_RETAIN) {
    On on{machine, process};
    ptl_handle_md_t handle = PTL_HANDLE_NONE;
    EXPECT_EQ(PtlMDBind(ni, md, unlink_op, &handle), PTL_OK);
    return handle;
  }
  int put(ptl_handle_md_t md, const Side& target, ptl_match_bits_t bits, ptl_ack_req_t ack = PTL_NO_ACK_REQ,
          ptl_size_t offset = 0, ptl_hdr_data_t hdr_data = 0, ptl_ac_index_t ac_index = 0) {
    On on{machine, process};
    return PtlPut(md, ack, target.id, kPortal, ac_index, bits, offset, hdr_data);
  }
  int get(ptl_handle_md_t md, const Side& target, ptl_match_bits_t bits, ptl_size_t offset = 0) {
    On on{machine, process};
    return PtlGet(md, target.id, kPortal, 0, bits, offset);
  }
  std::uint64_t status(ptl_sr_index_t index = PTL_SR_DROP_COUNT) {
    On on{machine, process};
    ptl_sr_value_t value = 0;
    EXPECT_EQ(PtlNIStatus(ni, index, &value), PTL_OK);
    return value;
  }
  /// Everything that is in a queue.
  std::vector<ptl_event_t> events(ptl_handle_eq_t eq) {
    On on{machine, process};
    std::vector<ptl_event_t> all;
    ptl_event_t event;
    while (PtlEQGet(eq, &event) == PTL_OK) all.push_back(event);
    return all;
  }
  /// Only their kinds.
  std::vector<ptl_event_kind_t> kinds(ptl_handle_eq_t eq) {
    std::vector<ptl_event_kind_t> all;
    for (const ptl_event_t& event : events(eq)) all.push_back(event.type);
    return all;
  }

  Machine& machine;
  unsigned process;
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  ptl_process_id_t id{};
};

/// A descriptor for some memory.
template <class Memory>
ptl_md_t memory(Memory& bytes, unsigned options, ptl_handle_eq_t eq = PTL_EQ_NONE,
                int threshold = PTL_MD_THRESH_INF) {
  return {bytes.data(), bytes.size(), threshold, 0, options, &bytes, eq};
}

using Kinds = std::vector<ptl_event_kind_t>;

/// Two processes on two nodes.
struct Portals3 : ::testing::Test {
  Machine machine{{.nodes = 2}};
  Side here{machine, 0};
  Side there{machine, 1};
};

}  // namespace aqueduct::test
