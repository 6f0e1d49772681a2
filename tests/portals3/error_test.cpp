// Every error has its code, and no handle is believed that does not name what it is used for.
#include <array>
#include <set>
#include <string>

#include "portals3/side.hpp"

namespace aqueduct::test {
namespace {

TEST(Portals3Errors, NothingWorksBeforePtlInit) {
  Machine machine{{.nodes = 1}};
  On on{machine, 0};
  ptl_handle_any_t handle = 0;
  ptl_event_t event;
  ptl_md_t md{};
  ptl_process_id_t id{};
  ptl_sr_value_t value;
  ptl_pt_index_t index;
  unsigned long distance;
  std::uint32_t number;
  int which;
  const int codes[] = {
      PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &handle),
      PtlNIFini(0),
      PtlNIStatus(0, 0, &value),
      PtlNIDist(0, id, &distance),
      PtlNIHandle(0, &handle),
      PtlGetUid(0, &number),
      PtlGetId(0, &id),
      PtlGetJid(0, &number),
      PtlMEAttach(0, 0, id, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &handle),
      PtlMEAttachAny(0, &index, id, 0, 0, PTL_RETAIN, &handle),
      PtlMEInsert(0, id, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &handle),
      PtlMEUnlink(0),
      PtlMDAttach(0, md, PTL_RETAIN, &handle),
      PtlMDBind(0, md, PTL_RETAIN, &handle),
      PtlMDUnlink(0),
      PtlMDUpdate(0, nullptr, nullptr, PTL_EQ_NONE),
      PtlEQAlloc(0, 1, PTL_EQ_HANDLER_NONE, &handle),
      PtlEQFree(0),
      PtlEQGet(0, &event),
      PtlEQWait(0, &event),
      PtlEQPoll(&handle, 1, 0, &event, &which),
      PtlACEntry(0, 0, id, 0, 0, 0),
      PtlPut(0, PTL_ACK_REQ, id, 0, 0, 0, 0, 0),
      PtlPutRegion(0, 0, 0, PTL_ACK_REQ, id, 0, 0, 0, 0, 0),
      PtlGet(0, id, 0, 0, 0, 0),
      PtlGetRegion(0, 0, 0, id, 0, 0, 0, 0),
      PtlGetPut(0, 0, id, 0, 0, 0, 0, 0),
      PtlFailNid(0, 0, 1),
  };
  for (int code : codes) EXPECT_EQ(code, PTL_NO_INIT);
  PtlFini();  // without effect
  int interfaces = 0;
  EXPECT_EQ(PtlInit(nullptr), PTL_SEGV);
  EXPECT_EQ(PtlInit(&interfaces), PTL_OK);
  EXPECT_EQ(interfaces, 1);
  EXPECT_EQ(PtlInit(&interfaces), PTL_OK);  // again
  PtlFini();
  EXPECT_EQ(PtlNIFini(0), PTL_NI_INVALID);
  PtlFini();
  EXPECT_EQ(PtlNIFini(0), PTL_NO_INIT);
}

TEST_F(Portals3, ResultsNeedAPlace) {
  On on{machine, 0};
  ptl_handle_eq_t eq = here.queue();
  ptl_handle_me_t me = here.entry(0);
  ptl_event_t event;
  ptl_pt_index_t index;
  int which;
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlNIStatus(here.ni, 0, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlNIDist(here.ni, here.id, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlNIHandle(here.ni, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlGetUid(here.ni, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlGetId(here.ni, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlGetJid(here.ni, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlMEAttach(here.ni, 0, kAnybody, 0, 0, PTL_RETAIN, PTL_INS_AFTER, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlMEAttachAny(here.ni, nullptr, kAnybody, 0, 0, PTL_RETAIN, &me), PTL_SEGV);
  EXPECT_EQ(PtlMEAttachAny(here.ni, &index, kAnybody, 0, 0, PTL_RETAIN, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlMEInsert(me, kAnybody, 0, 0, PTL_RETAIN, PTL_INS_AFTER, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlMDAttach(me, ptl_md_t{}, PTL_RETAIN, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlMDBind(here.ni, ptl_md_t{}, PTL_RETAIN, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlEQAlloc(here.ni, 1, PTL_EQ_HANDLER_NONE, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlEQGet(eq, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlEQWait(eq, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlEQPoll(nullptr, 1, 0, &event, &which), PTL_SEGV);
  EXPECT_EQ(PtlEQPoll(&eq, 1, 0, nullptr, &which), PTL_SEGV);
  EXPECT_EQ(PtlEQPoll(&eq, 1, 0, &event, nullptr), PTL_SEGV);
}

/// All calls must refuse this handle, except those for the kind that it is of.
enum Kind { kNothing, kInterface, kEntry, kDescriptor, kQueue };
void expect_refused(const Side& side, ptl_handle_any_t bad, Kind kind = kNothing) {
  SCOPED_TRACE(testing::Message() << "handle " << std::hex << bad);
  ptl_handle_any_t out = 0;
  ptl_event_t event;
  ptl_sr_value_t value;
  ptl_pt_index_t index;
  ptl_process_id_t id;
  std::uint32_t number;
  unsigned long distance;
  int which;
  ptl_md_t md{};
  md.eq_handle = PTL_EQ_NONE;
  if (kind != kInterface) {
    EXPECT_EQ(PtlNIFini(bad), PTL_NI_INVALID);
    EXPECT_EQ(PtlNIStatus(bad, 0, &value), PTL_NI_INVALID);
    EXPECT_EQ(PtlNIDist(bad, side.id, &distance), PTL_NI_INVALID);
    EXPECT_EQ(PtlGetUid(bad, &number), PTL_NI_INVALID);
    EXPECT_EQ(PtlGetJid(bad, &number), PTL_NI_INVALID);
    EXPECT_EQ(PtlGetId(bad, &id), PTL_NI_INVALID);
    EXPECT_EQ(PtlMEAttach(bad, 0, kAnybody, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &out), PTL_NI_INVALID);
    EXPECT_EQ(PtlMEAttachAny(bad, &index, kAnybody, 0, 0, PTL_RETAIN, &out), PTL_NI_INVALID);
    EXPECT_EQ(PtlMDBind(bad, md, PTL_RETAIN, &out), PTL_NI_INVALID);
    EXPECT_EQ(PtlEQAlloc(bad, 4, PTL_EQ_HANDLER_NONE, &out), PTL_NI_INVALID);
    EXPECT_EQ(PtlACEntry(bad, 0, kAnybody, 0, 0, 0), PTL_NI_INVALID);
    EXPECT_EQ(PtlFailNid(bad, 0, 1), PTL_NI_INVALID);
  }
  if (kind != kEntry) {
    EXPECT_EQ(PtlMEInsert(bad, kAnybody, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &out), PTL_ME_INVALID);
    EXPECT_EQ(PtlMEUnlink(bad), PTL_ME_INVALID);
    EXPECT_EQ(PtlMDAttach(bad, md, PTL_RETAIN, &out), PTL_ME_INVALID);
  }
  if (kind != kDescriptor) {
    EXPECT_EQ(PtlMDUnlink(bad), PTL_MD_INVALID);
    EXPECT_EQ(PtlMDUpdate(bad, nullptr, nullptr, PTL_EQ_NONE), PTL_MD_INVALID);
    EXPECT_EQ(PtlPut(bad, PTL_ACK_REQ, side.id, 0, 0, 0, 0, 0), PTL_MD_INVALID);
    EXPECT_EQ(PtlPutRegion(bad, 0, 0, PTL_ACK_REQ, side.id, 0, 0, 0, 0, 0), PTL_MD_INVALID);
    EXPECT_EQ(PtlGet(bad, side.id, 0, 0, 0, 0), PTL_MD_INVALID);
    EXPECT_EQ(PtlGetRegion(bad, 0, 0, side.id, 0, 0, 0, 0), PTL_MD_INVALID);
    EXPECT_EQ(PtlGetPut(bad, bad, side.id, 0, 0, 0, 0, 0), PTL_MD_INVALID);
  }
  if (kind != kQueue) {
    EXPECT_EQ(PtlEQFree(bad), PTL_EQ_INVALID);
    EXPECT_EQ(PtlEQGet(bad, &event), PTL_EQ_INVALID);
    EXPECT_EQ(PtlEQWait(bad, &event), PTL_EQ_INVALID);
    EXPECT_EQ(PtlEQPoll(&bad, 1, PTL_TIME_FOREVER, &event, &which), PTL_EQ_INVALID);
  }
  if (kind == kNothing) {
    EXPECT_EQ(PtlNIHandle(bad, &out), PTL_HANDLE_INVALID);
  }
}

TEST_F(Portals3, HandlesOfAnotherKindAreRefused) {
  On on{machine, 0};
  const auto me = here.entry(0);
  const auto eq = here.queue();
  const auto md = here.bind({nullptr, 0, PTL_MD_THRESH_INF, 0, 0, nullptr, eq});
  expect_refused(here, here.ni, kInterface);
  expect_refused(here, me, kEntry);
  expect_refused(here, md, kDescriptor);
  expect_refused(here, eq, kQueue);
  for (ptl_handle_any_t handle : {here.ni, me, md, eq}) {
    ptl_handle_ni_t ni = 0;
    EXPECT_EQ(PtlNIHandle(handle, &ni), PTL_OK);
    EXPECT_EQ(ni, here.ni);
  }
  for (ptl_handle_any_t constant : {PTL_INVALID_HANDLE, PTL_HANDLE_NONE, PTL_EQ_NONE}) {
    expect_refused(here, constant);
  }
}

TEST_F(Portals3, GarbageIsRefused) {
  On on{machine, 0};
  for (int i = 0; i < 3; ++i) {
    here.bind({nullptr, 0, PTL_MD_THRESH_INF, 0, 0, nullptr, here.queue()});
    here.entry(0);
  }
  Random random{11};
  for (int i = 0; i < 3000; ++i) {
    auto handle = static_cast<ptl_handle_any_t>(random());
    if (i % 3 == 0) handle = (handle & 0xc0003fffu) | 0x4000u;  // a likely interface and index, a wrong life
    if (i % 7 == 0) handle |= 0x00003000u;                      // an index beyond all tables
    if ((handle & 0x07ffc000u) == 0) continue;                  // the first life of some slot: may be there
    if (handle == here.ni) continue;
    expect_refused(here, handle);
    if (HasFailure()) break;
  }
}

TEST_F(Portals3, HandlesOfOthersAreRefused) {
  std::string bytes = "....";
  for (int i = 0; i < 5; ++i) there.entry(0);
  const auto me = there.entry(1);
  ptl_handle_eq_t eq = PTL_EQ_NONE;
  for (int i = 0; i < 5; ++i) eq = there.queue();
  ptl_handle_md_t md = 0;
  for (int i = 0; i < 5; ++i) md = there.bind(memory(bytes, 0, eq));
  On on{machine, 0};
  expect_refused(here, me);
  expect_refused(here, md);
  expect_refused(here, eq);
  ptl_handle_md_t out;
  EXPECT_EQ(PtlMDBind(here.ni, memory(bytes, 0, eq), PTL_RETAIN, &out), PTL_EQ_INVALID);
}

TEST_F(Portals3, StaleHandlesAreRefused) {
  std::string bytes = "....";
  On on{machine, 0};
  std::vector<ptl_handle_any_t> stale;
  for (int i = 0; i < 300; ++i) {  // far more lives than slots
    const auto eq = here.queue(2);
    const auto md = here.bind(memory(bytes, 0, eq));
    const auto me = here.entry(0);
    stale.insert(stale.end(), {me, md, eq});
    EXPECT_EQ(PtlEQFree(eq), PTL_EQ_IN_USE);
    EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
    EXPECT_EQ(PtlEQFree(eq), PTL_OK);
    EXPECT_EQ(PtlMEUnlink(me), PTL_OK);
  }
  here.queue(2), here.bind(memory(bytes, 0)), here.entry(0);
  for (ptl_handle_any_t handle : stale) expect_refused(here, handle);
  EXPECT_EQ(std::set(stale.begin(), stale.end()).size(), stale.size());
}

TEST_F(Portals3, HandlesDoNotSurviveTheirInterface) {
  On on{machine, 0};
  const auto old_ni = here.ni;
  const auto me = here.entry(0);
  const auto eq = here.queue();
  const auto md = here.bind({nullptr, 0, PTL_MD_THRESH_INF, 0, 0, nullptr, eq});
  EXPECT_EQ(PtlNIFini(old_ni), PTL_OK);
  for (ptl_handle_any_t handle : {old_ni, me, md, eq}) expect_refused(here, handle);
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &here.ni), PTL_OK);
  here.entry(0), here.queue();
  for (ptl_handle_any_t handle : {old_ni, me, md, eq}) expect_refused(here, handle);
}

TEST_F(Portals3, AnInterfaceIsOpenedAsOftenAsItIsClosed) {
  On on{machine, 0};
  ptl_handle_ni_t again = 0;
  ptl_ni_limits_t actual{};
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, &actual, &again), PTL_OK);
  EXPECT_EQ(again, here.ni);
  EXPECT_EQ(actual.max_pt_index, 63);
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, here.id.pid, nullptr, nullptr, &again), PTL_OK);
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, here.id.pid + 1, nullptr, nullptr, &again), PTL_PID_INVALID);
  EXPECT_EQ(PtlNIInit(12345, PTL_PID_ANY, nullptr, nullptr, &again), PTL_IFACE_INVALID);
  EXPECT_EQ(PtlNIFini(here.ni), PTL_OK);
  EXPECT_EQ(PtlNIFini(here.ni), PTL_OK);
  here.entry(0);  // still open
  EXPECT_EQ(PtlNIFini(here.ni), PTL_OK);
  EXPECT_EQ(PtlNIFini(here.ni), PTL_NI_INVALID);
}

TEST(Portals3Errors, AProcessIdIsTakenOnce) {
  Machine machine{{.nodes = 1}, 2};
  Side first{machine, 0};
  On on{machine, 1};
  int interfaces;
  ptl_handle_ni_t ni;
  ASSERT_EQ(PtlInit(&interfaces), PTL_OK);
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, first.id.pid, nullptr, nullptr, &ni), PTL_PID_INVALID);
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, 99, nullptr, nullptr, &ni), PTL_OK);
  ptl_process_id_t id;
  EXPECT_EQ(PtlGetId(ni, &id), PTL_OK);
  EXPECT_EQ(id.pid, 99u);
  PtlFini();
}

TEST(Portals3Errors, LimitsAreKept) {
  Machine machine{{.nodes = 1}};
  On on{machine, 0};
  int interfaces;
  ASSERT_EQ(PtlInit(&interfaces), PTL_OK);
  ptl_ni_limits_t wish{3, 2, 2, 1, 1, 4, 2, 16}, actual{};
  ptl_handle_ni_t ni;
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, &wish, &actual, &ni), PTL_OK);
  EXPECT_EQ(std::memcmp(&wish, &actual, sizeof(wish)), 0);
  ptl_process_id_t self;
  EXPECT_EQ(PtlGetId(ni, &self), PTL_OK);

  ptl_handle_me_t me[3], more;
  ptl_pt_index_t index = 99;
  const auto attach = [&](ptl_pt_index_t pt_index, ptl_handle_me_t* out) {
    return PtlMEAttach(ni, pt_index, kAnybody, 0, 0, PTL_RETAIN, PTL_INS_AFTER, out);
  };
  EXPECT_EQ(attach(2, &more), PTL_PT_INDEX_INVALID);
  EXPECT_EQ(attach(0, &me[0]), PTL_OK);
  EXPECT_EQ(attach(0, &me[1]), PTL_OK);
  EXPECT_EQ(attach(0, &more), PTL_ME_LIST_TOO_LONG);
  EXPECT_EQ(PtlMEInsert(me[0], kAnybody, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &more), PTL_ME_LIST_TOO_LONG);
  EXPECT_EQ(PtlMEAttachAny(ni, &index, kAnybody, 0, 0, PTL_RETAIN, &me[2]), PTL_OK);
  EXPECT_EQ(index, 1u);
  EXPECT_EQ(PtlMEAttachAny(ni, &index, kAnybody, 0, 0, PTL_RETAIN, &more), PTL_PT_FULL);
  EXPECT_EQ(attach(1, &more), PTL_NO_SPACE);

  ptl_handle_eq_t eq[2], one_more;
  for (auto& each : eq) EXPECT_EQ(PtlEQAlloc(ni, 4, PTL_EQ_HANDLER_NONE, &each), PTL_OK);
  EXPECT_EQ(PtlEQAlloc(ni, 4, PTL_EQ_HANDLER_NONE, &one_more), PTL_NO_SPACE);
  EXPECT_EQ(PtlEQFree(eq[1]), PTL_OK);
  EXPECT_EQ(PtlEQAlloc(ni, ~0ull, PTL_EQ_HANDLER_NONE, &one_more), PTL_NO_SPACE);

  std::array<char, 17> bytes;
  ptl_handle_md_t md[2], third;
  EXPECT_EQ(PtlMDAttach(me[0], memory(bytes, 0, eq[0]), PTL_RETAIN, &md[0]), PTL_OK);
  EXPECT_EQ(PtlMDAttach(me[0], memory(bytes, 0), PTL_RETAIN, &third), PTL_ME_IN_USE);
  EXPECT_EQ(PtlMDBind(ni, memory(bytes, 0), PTL_RETAIN, &md[1]), PTL_OK);
  EXPECT_EQ(PtlMDBind(ni, memory(bytes, 0), PTL_RETAIN, &third), PTL_NO_SPACE);
  EXPECT_EQ(machine.bridge(0).registrations(), 2u);
  EXPECT_EQ(PtlGetPut(md[0], md[1], self, 0, 0, 0, 0, 0),
            PTL_MD_ILLEGAL);  // 17 bytes, where 16 can be swapped
  EXPECT_EQ(PtlMDUnlink(md[1]), PTL_OK);

  ptl_md_iovec_t list[5] = {};
  EXPECT_EQ(PtlMDBind(ni, {list, 5, 1, 0, PTL_MD_IOVEC, nullptr, PTL_EQ_NONE}, PTL_RETAIN, &third),
            PTL_MD_ILLEGAL);
  EXPECT_EQ(PtlMDBind(ni, {list, 4, 1, 0, PTL_MD_IOVEC, nullptr, PTL_EQ_NONE}, PTL_RETAIN, &third), PTL_OK);
  EXPECT_EQ(PtlACEntry(ni, 2, kAnybody, 0, 0, 0), PTL_AC_INDEX_INVALID);
  EXPECT_EQ(PtlACEntry(ni, 1, kAnybody, 0, 0, 2), PTL_PT_INDEX_INVALID);
  EXPECT_EQ(PtlACEntry(ni, 1, kAnybody, 0, 0, 1), PTL_OK);
  PtlFini();
}

TEST_F(Portals3, ImpossibleDescriptorsAreIllegal) {
  On on{machine, 0};
  std::string bytes = "....";
  ptl_handle_md_t md;
  const auto bind = [&](void* start, ptl_size_t length, unsigned options) {
    return PtlMDBind(here.ni, {start, length, PTL_MD_THRESH_INF, 0, options, nullptr, PTL_EQ_NONE},
                     PTL_RETAIN, &md);
  };
  EXPECT_EQ(bind(nullptr, 1, 0), PTL_MD_ILLEGAL);
  EXPECT_EQ(bind(nullptr, 0, 0), PTL_OK);
  EXPECT_EQ(bind(bytes.data(), ~0ull, 0), PTL_MD_ILLEGAL);        // around the end of memory
  EXPECT_EQ(bind(bytes.data(), 4, 0x80000000u), PTL_MD_ILLEGAL);  // an option that does not exist
  EXPECT_EQ(bind(nullptr, 1, PTL_MD_IOVEC), PTL_MD_ILLEGAL);
  EXPECT_EQ(bind(nullptr, 0, PTL_MD_IOVEC), PTL_OK);
  ptl_md_iovec_t hole[] = {{bytes.data(), 4}, {nullptr, 1}};
  EXPECT_EQ(bind(hole, 2, PTL_MD_IOVEC), PTL_MD_ILLEGAL);
  ptl_md_iovec_t endless[] = {{bytes.data(), ~0ull >> 1}, {bytes.data(), ~0ull >> 1}, {bytes.data(), 16}};
  EXPECT_EQ(bind(endless, 3, PTL_MD_IOVEC), PTL_MD_ILLEGAL);
  ptl_md_t odd = memory(bytes, 0x40000000u);
  EXPECT_EQ(bind(bytes.data(), 4, 0), PTL_OK);
  EXPECT_EQ(PtlMDUpdate(md, nullptr, &odd, PTL_EQ_NONE), PTL_MD_ILLEGAL);
  odd = memory(bytes, 0, 0x12345678);
  EXPECT_EQ(PtlMDUpdate(md, nullptr, &odd, PTL_EQ_NONE), PTL_EQ_INVALID);
  odd.eq_handle = PTL_EQ_NONE;
  EXPECT_EQ(PtlMDUpdate(md, nullptr, &odd, 0x12345678), PTL_EQ_INVALID);
  EXPECT_EQ(PtlMDUpdate(md, nullptr, &odd, PTL_EQ_NONE), PTL_OK);
}

TEST_F(Portals3, OperationsRefuseWhatCannotBe) {
  std::string bytes = "....";
  const auto md = here.bind(memory(bytes, 0));
  On on{machine, 0};
  const ptl_process_id_t nobody{2, 0}, anybody{there.id.nid, PTL_PID_ANY};
  for (ptl_process_id_t target : {nobody, anybody, kAnybody}) {
    EXPECT_EQ(PtlPut(md, PTL_NO_ACK_REQ, target, 0, 0, 0, 0, 0), PTL_PROCESS_INVALID);
    EXPECT_EQ(PtlGet(md, target, 0, 0, 0, 0), PTL_PROCESS_INVALID);
    EXPECT_EQ(PtlGetPut(md, md, target, 0, 0, 0, 0, 0), PTL_PROCESS_INVALID);
  }
  for (auto [offset, length] :
       {std::pair{5ull, 0ull}, {0ull, 5ull}, {4ull, 1ull}, {~0ull, 2ull}, {2ull, ~0ull - 1}}) {
    EXPECT_EQ(PtlPutRegion(md, offset, length, PTL_NO_ACK_REQ, there.id, 0, 0, 0, 0, 0), PTL_MD_ILLEGAL);
    EXPECT_EQ(PtlGetRegion(md, offset, length, there.id, 0, 0, 0, 0), PTL_MD_ILLEGAL);
  }
  EXPECT_EQ(PtlPutRegion(md, 4, 0, PTL_NO_ACK_REQ, there.id, 0, 0, 0, 0, 0), PTL_OK);
  // More than one operation may move; the memory is not looked at.
  const auto vast =
      here.bind({bytes.data(), PTL_MAX_TRANS_SZ + 1, PTL_MD_THRESH_INF, 0, 0, nullptr, PTL_EQ_NONE});
  EXPECT_EQ(PtlPut(vast, PTL_NO_ACK_REQ, there.id, 0, 0, 0, 0, 0), PTL_MD_ILLEGAL);
  unsigned long distance = 0;
  EXPECT_EQ(PtlNIDist(here.ni, there.id, &distance), PTL_OK);
  EXPECT_EQ(distance, 1u);
  EXPECT_EQ(PtlNIDist(here.ni, nobody, &distance), PTL_PROCESS_INVALID);
  ptl_sr_value_t value;
  EXPECT_EQ(PtlNIStatus(here.ni, PTL_SR_COUNT, &value), PTL_SR_INDEX_INVALID);
  ptl_handle_eq_t eqs[2] = {here.queue(), PTL_EQ_NONE};
  ptl_event_t event;
  int which;
  EXPECT_EQ(PtlEQPoll(eqs, 0, 0, &event, &which), PTL_EQ_INVALID);
  EXPECT_EQ(PtlEQPoll(eqs, 2, 0, &event, &which), PTL_EQ_INVALID);
  ptl_uid_t uid = 0;
  ptl_jid_t jid = 0;
  EXPECT_EQ(PtlGetUid(here.ni, &uid), PTL_OK);
  EXPECT_EQ(PtlGetJid(here.ni, &jid), PTL_OK);
  EXPECT_EQ(uid, 7u);
  EXPECT_EQ(jid, 3u);
}

TEST(Portals3Errors, TextsFitTheirNumbers) {
  EXPECT_STREQ(PtlErrorStr(PTL_OK), "PTL_OK");
  EXPECT_STREQ(PtlErrorStr(PTL_UNKNOWN_ERROR), "PTL_UNKNOWN_ERROR");
  EXPECT_STREQ(PtlErrorStr(PTL_VAL_FAILED), "PTL_VAL_FAILED");
  EXPECT_STREQ(ptl_err_str[PTL_PT_INDEX_INVALID], "PTL_PT_INDEX_INVALID");
  EXPECT_STREQ(ptl_err_str[PTL_MAX_ERRNO], "PTL_MAX_ERRNO");
  EXPECT_STREQ(ptl_event_str[PTL_EVENT_UNLINK], "PTL_EVENT_UNLINK");
  EXPECT_STREQ(PtlEventKindStr(PTL_EVENT_SEND_END), "PTL_EVENT_SEND_END");
  EXPECT_STREQ(PtlNIFailStr(0, PTL_NI_INCOMPLETE), "PTL_NI_INCOMPLETE");
  for (int code : {-1, static_cast<int>(PTL_MAX_ERRNO), 1 << 30}) EXPECT_NE(PtlErrorStr(code), nullptr);
  EXPECT_NE(PtlNIFailStr(0, 99), nullptr);
}

}  // namespace
}  // namespace aqueduct::test
