// What was written into the prepared buffer is what the handler sees, whatever the size, buffer and
// direction.
#include "negotiated/exchange.hpp"

namespace aqueduct::test {
namespace {

// A request asks for a reply of the given size, from a buffer of the client or of the library.
struct Reply {
  std::size_t bytes = 0;
  Buffer buffer = Buffer::kLibrary;
  bool is_long = false;
};
Reply wanted;
std::atomic<int> requests{0}, replies{0};
std::uint64_t request_key(gex_Rank_t source) { return key_of(source, 1); }
std::uint64_t reply_key(gex_Rank_t source) { return key_of(source, 2); }

void on_reply(gex_Token_t, void* payload, std::size_t bytes, gex_AM_Arg_t first, gex_AM_Arg_t second);
Handler reply_handler(on_reply, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REPLY);
void on_reply(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t first, gex_AM_Arg_t second) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_ALL);
  EXPECT_EQ(wanted.is_long, info.gex_is_long != 0);
  EXPECT_EQ(wanted.bytes, bytes);
  EXPECT_TRUE(holds(payload, bytes, reply_key(right())));
  EXPECT_TRUE(!wanted.is_long || payload == local(kSegmentBytes / 2));
  EXPECT_EQ(-7, first);
  EXPECT_EQ(8, second);
  ++replies;
}

// The reply that the asker described travels back the same way.
void on_request(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t wanted_bytes,
                gex_AM_Arg_t kind) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  EXPECT_TRUE(holds(payload, bytes, request_key(info.gex_srcrank))) << bytes << " bytes";
  ++requests;
  const auto size = static_cast<std::size_t>(wanted_bytes);
  const bool library = kind & 1, is_long = kind & 2;
  std::vector<unsigned char> mine(library ? 0 : size);
  const void* buffer = library ? nullptr : mine.data();
  gex_Event_t* lc = library ? nullptr : GEX_EVENT_NOW;
  if (size == 0) buffer = nullptr, lc = nullptr;
  gex_AM_SrcDesc_t sd;
  if (is_long) {
    EXPECT_LE(size, gex_Token_MaxReplyLong(token, nullptr, GEX_FLAG_AM_PREPARE_LEAST_ALLOC, 2));
    sd = gex_AM_PrepareReplyLong(token, buffer, size, size, nullptr, lc, 0, 2);
  } else {
    EXPECT_LE(size, gex_Token_MaxReplyMedium(token, nullptr, GEX_FLAG_AM_PREPARE_LEAST_ALLOC, 2));
    sd = gex_AM_PrepareReplyMedium(token, buffer, size, size, lc, 0, 2);
  }
  ASSERT_NE(GEX_AM_SRCDESC_NO_OP, sd);
  EXPECT_EQ(size, gex_AM_SrcDescSize(sd));
  EXPECT_TRUE(!buffer || buffer == gex_AM_SrcDescAddr(sd));
  fill_prepared(sd, size, reply_key(job().rank));
  if (is_long) {
    gex_AM_CommitReplyLong2(sd, reply_handler, size, remote(info.gex_srcrank, kSegmentBytes / 2), -7, 8);
  } else {
    gex_AM_CommitReplyMedium(sd, reply_handler, size, -7, 8);
  }
}
Handler request_handler(on_request, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST);

class Payload : public Spmd {
 protected:
  void SetUp() override {
    Spmd::SetUp();
    requests = replies = 0;
    barrier();
  }
  // Sends `bytes` out of a buffer prepared for `prepared` and takes the reply.
  void exchange(std::size_t bytes, std::size_t prepared, Buffer buffer, bool is_long, Reply reply) {
    SCOPED_TRACE(::testing::Message() << bytes << " of " << prepared << " bytes, "
                                      << (buffer == Buffer::kClient ? "client" : "library") << " buffer, "
                                      << (is_long ? "long" : "medium"));
    wanted = reply;
    std::vector<unsigned char> mine(buffer == Buffer::kClient ? prepared + 1 : 0);
    const void* client = mine.empty() ? nullptr : mine.data();
    gex_Event_t* lc = client ? GEX_EVENT_NOW : nullptr;
    void* const to = remote(right());
    gex_AM_SrcDesc_t sd =
        is_long ? gex_AM_PrepareRequestLong(job().tm, right(), client, prepared, prepared, to, lc, 0, 2)
                : gex_AM_PrepareRequestMedium(job().tm, right(), client, prepared, prepared, lc, 0, 2);
    ASSERT_NE(GEX_AM_SRCDESC_NO_OP, sd);
    EXPECT_EQ(prepared, gex_AM_SrcDescSize(sd));
    if (client) {
      EXPECT_EQ(client, gex_AM_SrcDescAddr(sd));
    } else {
      EXPECT_EQ(0u, reinterpret_cast<std::uintptr_t>(gex_AM_SrcDescAddr(sd)) % alignof(std::max_align_t));
    }
    fill_prepared(sd, bytes, request_key(job().rank));
    const auto kind = static_cast<gex_AM_Arg_t>((reply.buffer == Buffer::kLibrary) | reply.is_long << 1);
    if (is_long) {
      gex_AM_CommitRequestLong2(sd, request_handler, bytes, to, static_cast<gex_AM_Arg_t>(reply.bytes), kind);
    } else {
      EXPECT_EQ(0, gex_AM_CommitRequestMedium2_v2(sd, request_handler, bytes, 0,
                                                  static_cast<gex_AM_Arg_t>(reply.bytes), kind));
    }
    const int sent = ++sent_;
    GASNET_BLOCKUNTIL(replies == sent);
    GASNET_BLOCKUNTIL(requests == sent);
    barrier();
  }
  int sent_ = 0;
};

std::vector<std::size_t> sizes_up_to(std::size_t most) {
  std::vector<std::size_t> sizes;
  for (const std::size_t size : {1, 8, 511, 512, 1023, 1024, 1025, 4000, 65536, 100000}) {
    if (size < most) sizes.push_back(size);
  }
  sizes.push_back(std::min(most, kSegmentBytes / 4));
  return sizes;
}

TEST_F(Payload, MediumPayloadsOfEverySizeArriveFromBothKindsOfBuffer) {
  for (const Buffer buffer : {Buffer::kClient, Buffer::kLibrary}) {
    for (const std::size_t size : sizes_up_to(largest_medium(buffer)))
      exchange(size, size, buffer, false, {size, buffer, false});
  }
}

TEST_F(Payload, LongPayloadsOfEverySizeArriveFromBothKindsOfBuffer) {
  for (const Buffer buffer : {Buffer::kClient, Buffer::kLibrary}) {
    for (const std::size_t size : sizes_up_to(largest_long(buffer)))
      exchange(size, size, buffer, true, {std::min(size, largest_long(Buffer::kLibrary)), buffer, true});
  }
}

TEST_F(Payload, LessThanWasPreparedMayBeCommitted) {
  for (const Buffer buffer : {Buffer::kClient, Buffer::kLibrary}) {
    const std::size_t prepared = std::min({std::size_t{4096}, largest_medium(buffer), largest_long(buffer)});
    for (const std::size_t size : std::initializer_list<std::size_t>{0, 1, 900, 1024, 1025}) {
      exchange(std::min(size, prepared), prepared, buffer, false, {16, buffer, false});
      exchange(std::min(size, prepared), prepared, buffer, true, {16, buffer, true});
    }
  }
}

TEST_F(Payload, TheLibraryOffersBetweenLeastAndMost) {
  for (const Buffer buffer : {Buffer::kClient, Buffer::kLibrary}) {
    const std::size_t least = 100, most = 2 * kSegmentBytes;
    std::vector<unsigned char> mine(buffer == Buffer::kClient ? most : 0);
    const void* client = mine.empty() ? nullptr : mine.data();
    gex_Event_t* lc = client ? GEX_EVENT_NOW : nullptr;
    gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(job().tm, right(), client, least, most, lc, 0, 0);
    EXPECT_GE(gex_AM_SrcDescSize(sd), least);
    EXPECT_LE(gex_AM_SrcDescSize(sd), most);
    EXPECT_EQ(0, gex_AM_CancelRequestMedium(sd, 0));
    sd = gex_AM_PrepareRequestLong(job().tm, right(), client, least, most, nullptr, lc, 0, 0);
    EXPECT_GE(gex_AM_SrcDescSize(sd), least);
    EXPECT_LE(gex_AM_SrcDescSize(sd), most);
    EXPECT_EQ(0, gex_AM_CancelRequestLong(sd, 0));
  }
}

TEST_F(Payload, TheLimitsHoldForEveryNumberOfArguments) {
  for (unsigned nargs = 0; nargs <= gex_AM_MaxArgs(); ++nargs) {
    for (const gex_Flags_t flag : {GEX_FLAG_AM_PREPARE_LEAST_CLIENT, GEX_FLAG_AM_PREPARE_LEAST_ALLOC}) {
      EXPECT_GE(gex_AM_MaxRequestMedium(job().tm, right(), nullptr, flag, nargs), 512u);
      EXPECT_GE(gex_AM_MaxReplyMedium(job().tm, right(), nullptr, flag, nargs), 512u);
      EXPECT_GE(gex_AM_MaxRequestLong(job().tm, right(), nullptr, flag, nargs), 512u);
      EXPECT_GE(gex_AM_MaxReplyLong(job().tm, GEX_RANK_INVALID, nullptr, flag, nargs), 512u);
    }
    const std::size_t least =
        gex_AM_MaxRequestMedium(job().tm, right(), nullptr, GEX_FLAG_AM_PREPARE_LEAST_ALLOC, nargs);
    gex_AM_SrcDesc_t sd =
        gex_AM_PrepareRequestMedium(job().tm, right(), nullptr, least, least, nullptr, 0, nargs);
    EXPECT_EQ(least, gex_AM_SrcDescSize(sd));
    gex_AM_CancelRequestMedium(sd, 0);
  }
}

}  // namespace
}  // namespace aqueduct::test
