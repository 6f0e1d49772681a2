// A job of two ranks in which rank 1 writes into shared memory what no rank writes, as the argument says, and
// rank 0 finds it. The places are those of the library's own headers.
#include <fcntl.h>
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "core/neighbourhood.hpp"
#include "extended/board_places.hpp"
#include "extended/collectives/place.hpp"
#include "fabric/shm/pair.hpp"
#include "job/place/shared_memory.hpp"

namespace {

using namespace aqueduct;
using core::Category;
using core::Header;
using core::SlotState;

constexpr RankId kRanks = 2;
constexpr std::size_t kHuge = std::size_t{1} << 30;

gex_TM_t team_of_all;
gex_AM_Index_t handler;

void on_medium(gex_Token_t, void*, size_t) {}

/// Part of the memory that the ranks share.
std::byte* shared(std::size_t offset, std::size_t bytes) {
  for (int fd = 3; fd < 1024; ++fd) {
    char target[256] = {};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    if (readlink(link.c_str(), target, sizeof target - 1) <= 0) continue;
    if (std::string(target).find("memfd:aqueduct") == std::string::npos) continue;
    const std::size_t before = offset % kPage;
    void* mapped = mmap(nullptr, bytes + before, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                        static_cast<off_t>(offset - before));
    if (mapped != MAP_FAILED) return static_cast<std::byte*>(mapped) + before;
  }
  abort();
}
template <class Part>
Part& part(std::size_t offset) {
  return *reinterpret_cast<Part*>(shared(offset, sizeof(Part)));
}
core::Mailboxes& mailboxes(RankId reader, RankId writer) {
  return part<core::Mailboxes>(job::kNeighbourhoodPlace +
                               core::Neighbourhood::mailboxes_offset(kRanks, reader, writer, 0));
}

/// A request of rank 1 to rank 0, as the next in its mailbox.
void write_request(Category category, std::size_t bytes, std::uint64_t address, unsigned nargs = 0,
                   int laps = 1) {
  core::Envelope& envelope = mailboxes(0, 1).express.envelopes[0];
  const auto lap = static_cast<std::uint8_t>(Header{envelope.header.load()}.lap() + laps);
  envelope.address = address;
  envelope.header.store(Header::make(lap, SlotState::kRequest, category, handler, nargs, bytes).bits);
}

/// Where rank 0's requests to rank 1 lie.
std::vector<core::Envelope*> envelopes_to_rank_1() {
  static core::Mailboxes& mailboxes_of_1 = mailboxes(1, 0);
  std::vector<core::Envelope*> all;
  for (core::Envelope& each : mailboxes_of_1.express.envelopes) all.push_back(&each);
  for (core::Envelope& each : mailboxes_of_1.queue.envelopes) all.push_back(&each);
  return all;
}

/// What lay there before the request that is damaged: checks of debug builds, for instance.
std::vector<std::uint64_t> headers_before;

void remember_headers() {
  for (const core::Envelope* each : envelopes_to_rank_1()) headers_before.push_back(each->header.load());
}

/// The answer of rank 1 to what rank 0 asks, wherever that comes.
void write_answer(SlotState state, Category category, std::size_t bytes) {
  const std::vector<core::Envelope*> envelopes = envelopes_to_rank_1();
  for (std::size_t i = 0;; i = (i + 1) % envelopes.size()) {
    const Header request{envelopes[i]->header.load()};
    if (request.bits == headers_before[i]) continue;
    envelopes[i]->address = 1;
    envelopes[i]->header.store(Header::make(request.lap(), state, category, handler, 0, bytes).bits);
    return;
  }
}

/// Every free slot of the ring from rank 1 to rank 0 gets a message with a header that is too long.
void write_ring() {
  using fabric::shm::Pair;
  using fabric::shm::SlotWord;
  const std::size_t doorbells = round_up(kRanks * sizeof(Doorbell), kPage);
  Pair& pair = part<Pair>(job::kFabricPlace + doorbells + (0 * kRanks + 1) * sizeof(Pair));
  for (fabric::shm::RingSlot& slot : pair.slots) {
    const auto lap = static_cast<std::uint8_t>(slot.load().lap() + 1);
    slot.store(SlotWord::make(lap, fabric::shm::SlotState::kMessage, 200, 0));
  }
}

/// What rank 1 has in shared memory for collectives of all ranks.
extended::collectives::Place& place_of_rank_1() {
  using extended::kWorldBoard;
  const std::size_t boards = core::Neighbourhood::mailboxes_offset(kRanks, 0, 0, 0) -
                             kRanks * core::kRankBoardPlaces * core::kRankBoardBytes;
  const std::size_t own = (1 * core::kRankBoardPlaces + kWorldBoard) * core::kRankBoardBytes;
  return part<extended::collectives::Place>(job::kNeighbourhoodPlace + boards + own);
}

void write_stamp() {
  const std::uint64_t stamp = kHuge;
  for (unsigned row = 0; row < extended::collectives::kWideRows; ++row)
    memcpy(place_of_rank_1().wide + row * extended::collectives::kWideCell, &stamp, sizeof stamp);
}

void write_piece(std::uint64_t piece, std::uint64_t place, std::uint64_t destination) {
  for (auto& stamp : place_of_rank_1().blocks.stamps) {
    stamp.place = place;
    stamp.destination = destination;
    stamp.piece.store(piece);
  }
}

void write_lanes() {
  // A doorbell and then the count, a line each.
  part<std::uint32_t>(job::kNeighbourhoodPlace + 1 * 2 * kCacheLine + kCacheLine) = 1000;
}

void vandalise(const std::string& what) {
  if (what == "large-medium") write_request(Category::kMedium, kHuge, 1);
  if (what == "small-medium") write_request(Category::kMedium, 4096, 0);
  if (what == "medium-elsewhere") write_request(Category::kMedium, 8, 77);
  if (what == "long") write_request(Category::kLong, 64, 8);
  if (what == "category") write_request(static_cast<Category>(3), 0, 0);
  if (what == "arguments") write_request(Category::kMedium, 0, 0, 31);
  if (what == "lap") write_request(Category::kMedium, 0, 0, 0, 7);
  if (what == "answer") write_answer(SlotState::kReply, Category::kMedium, kHuge);
  if (what == "answer-state") write_answer(static_cast<SlotState>(3), Category::kMedium, 0);
  if (what == "handled") mailboxes(1, 0).express.spare.bits.store(core::CumulativeAck::make(1000, 1000).bits);
  if (what == "lanes") write_lanes();
  if (what == "stamp") write_stamp();
  if (what == "piece") write_piece(kHuge, 0, 0);
  if (what == "place") write_piece(1, kHuge, 0);
  if (what == "destination") write_piece(1, 0, kHuge);
  if (what == "ring") write_ring();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  gex_Client_Init(&client, &endpoint, &team_of_all, "VANDAL", &argc, &argv, 0);
  gex_Segment_Attach(&segment, team_of_all, 1 << 20);
  gex_AM_Entry_t table[] = {{0, reinterpret_cast<gex_AM_Fn_t>(&on_medium),
                             GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQREP, 0, nullptr, "medium"}};
  gex_EP_RegisterHandlers(endpoint, table, 1);
  handler = table[0].gex_index;
  gex_Event_Wait(gex_Coll_BarrierNB(team_of_all, 0));
  // Rank 0 sends only when rank 1 polls no more: requests that rank 1 answered would hide what it damages.
  void* flag = nullptr;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team_of_all, 0, &flag, nullptr, nullptr, 0));
  if (gex_TM_QueryRank(team_of_all) == 1) {
    remember_headers();
    gex_RMA_PutBlockingVal(team_of_all, 0, flag, 1, sizeof(int), 0);
    vandalise(what);
    for (;;) pause();
  }
  GASNET_BLOCKUNTIL(*static_cast<volatile int*>(flag) != 0);
  for (int i = 0; i < 3; ++i) gex_AM_RequestMedium0(team_of_all, 1, handler, &handler, 1, GEX_EVENT_NOW, 0);
  static std::byte data[4096];
  if (what == "destination") {
    gasnet_coll_gather(GASNET_TEAM_ALL, 1, data, data, sizeof data,
                       GASNET_COLL_IN_NOSYNC | GASNET_COLL_OUT_NOSYNC);
  }
  const std::size_t bytes = what == "piece" || what == "place" ? sizeof data : 8;
  gex_Event_Wait(gex_Coll_BroadcastNB(team_of_all, 1, data, data, bytes, 0));
  return 0;
}
