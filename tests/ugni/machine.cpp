#include "machine.hpp"

namespace aqueduct::test {

Side::Side(Machine& machine, ugni::NodeId node, std::uint32_t modes, std::uint32_t entries)
    : machine(machine), node(node) {
  const On on{machine, node};
  std::uint32_t address = ~0u;
  EXPECT_EQ(GNI_CdmCreate(kFirstInstance + node, GNI_FIND_ALLOC_PTAG, kCookie, modes, &domain),
            GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CdmAttach(domain, 0, &address, &nic), GNI_RC_SUCCESS);
  EXPECT_EQ(address, node);
  EXPECT_EQ(GNI_CqCreate(nic, entries, 0, GNI_CQ_BLOCKING, nullptr, nullptr, &source), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CqCreate(nic, entries, 0, GNI_CQ_BLOCKING, nullptr, nullptr, &target), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_MemRegister(nic, window_address(), window.size() * 8, target, GNI_MEM_READWRITE, ~0u,
                            &window_memory),
            GNI_RC_SUCCESS);
  EXPECT_EQ(
      GNI_MemRegister(nic, local_address(), local.size() * 8, nullptr, GNI_MEM_READWRITE, ~0u, &local_memory),
      GNI_RC_SUCCESS);
  for (ugni::NodeId peer = 0; peer < machine.nodes(); ++peer) {
    to.push_back(nullptr);
    EXPECT_EQ(GNI_EpCreate(nic, source, &to.back()), GNI_RC_SUCCESS);
    EXPECT_EQ(GNI_EpBind(to.back(), peer, kFirstInstance + peer), GNI_RC_SUCCESS);
  }
}

gni_post_descriptor_t Side::post(gni_post_type_t type, const Side& target_side, std::size_t length,
                                 std::uint16_t cq_mode) {
  gni_post_descriptor_t descriptor{};
  descriptor.type = type;
  descriptor.cq_mode = cq_mode;
  descriptor.local_addr = local_address();
  descriptor.local_mem_hndl = local_memory;
  descriptor.remote_addr = target_side.window_address();
  descriptor.remote_mem_hndl = target_side.window_memory;
  descriptor.length = length;
  return descriptor;
}

gni_cq_entry_t Side::event(gni_cq_handle_t queue, gni_return_t expected) {
  const On on{machine, node};
  gni_cq_entry_t entry = 0;
  EXPECT_EQ(GNI_CqWaitEvent(queue, 100, &entry), expected);
  return entry;
}

void Side::expect_no_event(gni_cq_handle_t queue) {
  machine.run();
  const On on{machine, node};
  gni_cq_entry_t entry = 0;
  EXPECT_EQ(GNI_CqTestEvent(queue), GNI_RC_NOT_DONE);
  EXPECT_EQ(GNI_CqGetEvent(queue, &entry), GNI_RC_NOT_DONE);
}

gni_cq_entry_t Side::completes(const gni_post_descriptor_t& descriptor, std::uint16_t which,
                               gni_return_t expected) {
  const gni_cq_entry_t entry = event(source, expected);
  const On on{machine, node};
  gni_post_descriptor_t* found = nullptr;
  EXPECT_EQ(GNI_GetCompleted(source, entry, &found), expected);
  EXPECT_EQ(found, &descriptor);
  EXPECT_EQ(descriptor.cq_mode_complete, which);
  EXPECT_EQ(descriptor.status, static_cast<std::uint64_t>(expected));
  return entry;
}

}  // namespace aqueduct::test
