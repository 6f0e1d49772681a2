// Registration of active-message handlers.
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

using Handlers = Spmd;
constexpr gex_Flags_t kShortRequest = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST;

std::atomic<int> calls{0};
std::atomic<const void*> seen_client_data{nullptr};
void count(gex_Token_t token, gex_AM_Arg_t) {
  gex_Token_Info_t info;
  if (gex_Token_Info(token, &info, GEX_TI_ENTRY) & GEX_TI_ENTRY) seen_client_data = info.gex_entry->gex_cdata;
  ++calls;
}
const gex_AM_Fn_t kCount = reinterpret_cast<gex_AM_Fn_t>(&count);

// Registered by main before the tests, one after the other, with index 0 ("any").
Handler first(count, kShortRequest);
Handler second(count, kShortRequest);
Handler third(count, kShortRequest);

TEST_F(Handlers, DontCareIndicesCountDownFrom255InTableOrder) {
  EXPECT_EQ(gex_AM_Index_t(first), 255);
  EXPECT_EQ(gex_AM_Index_t(second), 254);
  EXPECT_EQ(gex_AM_Index_t(third), 253);
}

TEST_F(Handlers, FixedIndicesAreKeptAndLaterDontCareOnesAvoidThem) {
  std::array<gex_AM_Entry_t, 4> table{{{0, kCount, kShortRequest, 1, nullptr, "any"},
                                       {252, kCount, kShortRequest, 1, nullptr, "fixed"},
                                       {0, kCount, kShortRequest, 1, nullptr, "any"},
                                       {GEX_AM_INDEX_BASE, kCount, kShortRequest, 1, nullptr, "lowest"}}};
  ASSERT_EQ(gex_EP_RegisterHandlers(job().ep, table.data(), table.size()), GASNET_OK);
  EXPECT_EQ(table[1].gex_index, 252);
  EXPECT_EQ(table[3].gex_index, GEX_AM_INDEX_BASE);
  EXPECT_EQ(table[0].gex_index, 251) << "fixed entries are placed before the others, whatever their order";
  EXPECT_EQ(table[2].gex_index, 250);
}

TEST_F(Handlers, RegistrationChangesNothingElseInTheTable) {
  static const char name[] = "kept";
  static const int data = 0;
  gex_AM_Entry_t entry{0, kCount, kShortRequest, 1, &data, name};
  ASSERT_EQ(gex_EP_RegisterHandlers(job().ep, &entry, 1), GASNET_OK);
  EXPECT_NE(entry.gex_index, 0);
  EXPECT_EQ(entry.gex_fnptr, kCount);
  EXPECT_EQ(entry.gex_flags, kShortRequest);
  EXPECT_EQ(entry.gex_nargs, 1u);
  EXPECT_EQ(entry.gex_cdata, &data);
  EXPECT_EQ(entry.gex_name, name);
}

TEST_F(Handlers, TheTableIsCopiedAndMayBeReusedAtOnce) {
  static const int data = 0;
  calls = 0;
  gex_AM_Index_t index = 0;
  {
    std::vector<gex_AM_Entry_t> table{{0, kCount, kShortRequest, 1, &data, "gone"}};
    ASSERT_EQ(gex_EP_RegisterHandlers(job().ep, table.data(), 1), GASNET_OK);
    index = table[0].gex_index;
    table[0] = {};
  }
  barrier();
  gex_AM_RequestShort1(job().tm, right(), index, 0, 1);
  GASNET_BLOCKUNTIL(calls == 1);
  EXPECT_EQ(seen_client_data.load(), &data) << "the handler's entry is found through its token";
}

TEST_F(Handlers, AnEmptyTableIsFine) { EXPECT_EQ(gex_EP_RegisterHandlers(job().ep, nullptr, 0), GASNET_OK); }

class RefusedRegistration : public Spmd {
 protected:
  static int register_one(gex_AM_Entry_t entry) { return gex_EP_RegisterHandlers(job().ep, &entry, 1); }
  QuietErrors quiet_;
};

TEST_F(RefusedRegistration, AnIndexThatIsTakenAnswersBadArgument) {
  EXPECT_EQ(register_one({first, kCount, kShortRequest, 1, nullptr, nullptr}), GASNET_ERR_BAD_ARG);
}

TEST_F(RefusedRegistration, AnIndexTwiceInOneTableAnswersBadArgument) {
  std::array<gex_AM_Entry_t, 2> table{
      {{200, kCount, kShortRequest, 1, nullptr, nullptr}, {200, kCount, kShortRequest, 1, nullptr, nullptr}}};
  EXPECT_EQ(gex_EP_RegisterHandlers(job().ep, table.data(), table.size()), GASNET_ERR_BAD_ARG);
}

TEST_F(RefusedRegistration, AnIndexBelowTheBaseAnswersBadArgument) {
  for (int index : {1, GEX_AM_INDEX_BASE - 1})
    EXPECT_EQ(register_one({static_cast<gex_AM_Index_t>(index), kCount, kShortRequest, 1, nullptr, nullptr}),
              GASNET_ERR_BAD_ARG);
}

TEST_F(RefusedRegistration, MoreArgumentsThanTheLimitAnswerBadArgument) {
  EXPECT_EQ(register_one({0, kCount, kShortRequest, gex_AM_MaxArgs() + 1, nullptr, nullptr}),
            GASNET_ERR_BAD_ARG);
}

TEST_F(RefusedRegistration, AMissingCategoryOrDirectionAnswersBadArgument) {
  EXPECT_EQ(register_one({0, kCount, GEX_FLAG_AM_SHORT, 1, nullptr, nullptr}), GASNET_ERR_BAD_ARG);
  EXPECT_EQ(register_one({0, kCount, GEX_FLAG_AM_REQUEST, 1, nullptr, nullptr}), GASNET_ERR_BAD_ARG);
}

TEST_F(RefusedRegistration, AMissingFunctionAnswersBadArgument) {
  EXPECT_EQ(register_one({0, nullptr, kShortRequest, 1, nullptr, nullptr}), GASNET_ERR_BAD_ARG);
}

}  // namespace
}  // namespace aqueduct::test
