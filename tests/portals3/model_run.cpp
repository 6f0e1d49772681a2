// A random program of calls and arrivals, done by the library and by the model, compared after every step.
//
// The network is in the hands of the program: what the library sends stays where it is until the program says
// that it is out, headers arrive when the program says so, payloads land in any order, fail, or never come.
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "papers/nic/portals3/process.hpp"
#include "papers/nic/portals3/wire_header.hpp"
#include "portals3/model.hpp"
#include "portals3/seeds.hpp"
#include "support/random.hpp"

namespace aqueduct::test {
namespace {

using namespace portals3;

/// Keeps what it is given until somebody takes it.
class StagedNal : public Nal {
 public:
  void set_library(Library& library) override { library_ = &library; }
  NodeId self() const override { return 0; }
  NodeId nodes() const override { return 4; }
  unsigned long distance(NodeId node) const override { return node; }
  void send(NicTransfer& transfer) override { staged_.push_back(&transfer); }
  unsigned progress() override { return 0; }

  Library* library_ = nullptr;
  std::vector<NicTransfer*> staged_;
};

class StillBridge : public Bridge {
 public:
  Identity identity() const override { return {7, 3}; }
  int validate(std::span<const Piece>, MemoryKey& key) override {
    key = ++last_key_;
    ++registered_;
    return PTL_OK;
  }
  void invalidate(MemoryKey) override { --registered_; }
  std::uint64_t now_ns() override { return 0; }
  void wait(Nal&, const Activity&, std::uint64_t, std::uint64_t) override {}

  int registered_ = 0;

 private:
  MemoryKey last_key_ = 0;
};

/// The memory of a descriptor, in one piece or several with gaps between them, and what should be in it.
struct Memory {
  std::vector<std::byte> bytes;
  std::vector<ptl_md_iovec_t> pieces;
  std::vector<std::byte> expected;

  std::vector<std::byte> now() const {
    std::vector<std::byte> all;
    for (const ptl_md_iovec_t& piece : pieces) {
      const auto* base = static_cast<const std::byte*>(piece.iov_base);
      all.insert(all.end(), base, base + piece.iov_len);
    }
    return all;
  }
};

std::vector<std::byte> read(std::span<const Piece> pieces) {
  std::vector<std::byte> all;
  for (const Piece& piece : pieces) {
    const auto* base = static_cast<const std::byte*>(piece.base);
    all.insert(all.end(), base, base + piece.bytes);
  }
  return all;
}

struct Flight {
  NicTransfer* transfer;
  int asked;  ///< which operation of ours it is; -1: none
  bool is_ack;
  ModelFlight model;
  std::vector<std::byte> payload;  ///< still to land
};

struct Asked {
  ModelOperation operation;
  WireHeader header;
  bool settled = false;  ///< answered, or failed

  bool expects() const { return operation.kind != ModelRequest::kPut || operation.ack_wanted; }
};

class ModelRun {
 public:
  explicit ModelRun(std::uint64_t seed) : random_(key_of(seed, 0x30de1)) {}

  std::string run() {
    process_.offer(PTL_IFACE_DEFAULT, node_, bridge_, 5);
    Process::Current current{&process_};
    if (begin()) {
      const unsigned steps = 20 + pick(180);
      for (step_ = 0; step_ < steps && wrong_.empty(); ++step_) take_step();
      if (wrong_.empty()) finish();
    }
    // Whatever is in flight must end before the interface can.
    while (!flights_.empty()) end_flight(flights_.size() - 1, true);
    PtlFini();
    if (wrong_.empty() && bridge_.registered_ != 0) wrong_ = "memory stays registered";
    return wrong_;
  }

 private:
  std::uint64_t pick(std::uint64_t choices) { return random_() % choices; }
  bool chance(unsigned percent) { return pick(100) < percent; }

  void fail(const char* what, long long got = 0, long long expected = 0) {
    if (!wrong_.empty()) return;
    char text[200];
    std::snprintf(text, sizeof(text), "step %u: %s: library %lld, model %lld", step_, what, got, expected);
    wrong_ = text;
  }
  void same(const char* what, long long got, long long expected) {
    if (got != expected) fail(what, got, expected);
  }

  bool begin() {
    int interfaces;
    ptl_ni_limits_t wish{10, 12, 8, 2, 2, 4, 6, 8};
    same("PtlInit", PtlInit(&interfaces), PTL_OK);
    same("PtlNIInit", PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, &wish, &model_.limits, &ni_), PTL_OK);
    model_.self = {0, 5};
    model_.portals.resize(3);
    model_.access.assign(3, {{PTL_NID_ANY, PTL_PID_ANY}, 7, PTL_JID_ANY, PTL_PT_INDEX_ANY});
    for (std::uint64_t capacity : {2, 8, 64}) {
      same("PtlEQAlloc", PtlEQAlloc(ni_, capacity, PTL_EQ_HANDLER_NONE, &queues_.emplace_back()), PTL_OK);
      model_.queues.push_back({capacity, {}});
    }
    return wrong_.empty();
  }

  void take_step() {
    switch (pick(20)) {
      case 0:
      case 1:
        return attach_entry();
      case 2:
        return insert_entry();
      case 3:
        return unlink_entry();
      case 4:
      case 5:
      case 6:
        return create_descriptor();
      case 7:
        return unlink_descriptor();
      case 8:
        return update_descriptor();
      case 9:
        return set_access();
      case 10:
        return get_events(1 + pick(3));
      case 11:
        return operate();
      case 12:
        return operate();
      case 13:
        return answer();
      case 14:
      case 15:
      case 16:
        return receive();
      default:
        if (!flights_.empty()) end_flight(pick(flights_.size()), false);
        return;
    }
  }

  // --- Entries.
  ptl_process_id_t somebody() {
    return {chance(50) ? PTL_NID_ANY : static_cast<ptl_nid_t>(1 + pick(2)),
            chance(50) ? PTL_PID_ANY : static_cast<ptl_pid_t>(pick(2))};
  }
  Model::Entry some_entry() { return {somebody(), pick(4), chance(30) ? pick(4) : 0, chance(50), 0}; }
  static ptl_unlink_t op(bool unlinks) { return unlinks ? PTL_UNLINK : PTL_RETAIN; }

  void attach_entry() {
    const Model::Entry entry = some_entry();
    ptl_handle_me_t handle = 0;
    int got, expected;
    if (chance(20)) {
      ptl_pt_index_t index = 99, model_index = 99;
      got = PtlMEAttachAny(ni_, &index, entry.match_id, entry.match_bits, entry.ignore_bits,
                           op(entry.unlinks), &handle);
      expected = model_.attach_any(entry, model_index);
      if (expected == PTL_OK) same("index of PtlMEAttachAny", index, model_index);
    } else {
      const auto index = static_cast<ptl_pt_index_t>(pick(30) == 0 ? 3 : pick(3));
      const bool head = chance(50);
      got = PtlMEAttach(ni_, index, entry.match_id, entry.match_bits, entry.ignore_bits, op(entry.unlinks),
                        head ? PTL_INS_BEFORE : PTL_INS_AFTER, &handle);
      expected = model_.attach(index, entry, head);
    }
    same("PtlMEAttach", got, expected);
    if (expected == PTL_OK) entries_.push_back(handle);
  }

  void insert_entry() {
    if (entries_.empty()) return;
    const Model::Entry entry = some_entry();
    const int base = static_cast<int>(pick(entries_.size()));
    const bool before = chance(50);
    ptl_handle_me_t handle = 0;
    const int got = PtlMEInsert(entries_[base], entry.match_id, entry.match_bits, entry.ignore_bits,
                                op(entry.unlinks), before ? PTL_INS_BEFORE : PTL_INS_AFTER, &handle);
    const int expected = model_.insert(base, entry, before);
    same("PtlMEInsert", got, expected);
    if (expected == PTL_OK) entries_.push_back(handle);
  }

  void unlink_entry() {
    if (entries_.empty()) return;
    const auto which = pick(entries_.size());
    same("PtlMEUnlink", PtlMEUnlink(entries_[which]), model_.unlink_entry(static_cast<int>(which)));
  }

  void set_access() {
    if (!chance(20)) return;
    const auto index = static_cast<ptl_ac_index_t>(pick(3));
    const Model::Access rule{somebody(), chance(70) ? PTL_UID_ANY : 7, chance(70) ? PTL_JID_ANY : 3,
                             chance(70) ? PTL_PT_INDEX_ANY : static_cast<ptl_pt_index_t>(pick(3))};
    same("PtlACEntry", PtlACEntry(ni_, index, rule.match_id, rule.uid, rule.jid, rule.pt_index), PTL_OK);
    model_.access[index] = rule;
  }

  // --- Descriptors.
  ModelDescription some_description() {
    ModelDescription md;
    md.bytes = pick(4) == 0 ? pick(3) : pick(20);
    md.threshold = chance(40) ? PTL_MD_THRESH_INF : static_cast<int>(pick(5)) - (chance(5) ? 3 : 0);
    md.max_size = pick(6);
    md.options = static_cast<unsigned>(random_()) & 0x1ff;
    if (chance(60)) md.options |= PTL_MD_OP_PUT | PTL_MD_OP_GET;
    md.queue = static_cast<int>(pick(4)) - 1;
    return md;
  }

  std::unique_ptr<Memory> memory_for(const ModelDescription& md) {
    auto memory = std::make_unique<Memory>();
    memory->bytes.resize(md.bytes + 16);
    for (std::byte& byte : memory->bytes) byte = static_cast<std::byte>(random_());
    const unsigned parts = (md.options & PTL_MD_IOVEC) != 0 ? 1 + static_cast<unsigned>(pick(4)) : 1;
    std::uint64_t left = md.bytes;
    std::byte* next = memory->bytes.data();
    for (unsigned part = 0; part < parts; ++part) {
      const std::uint64_t bytes = part + 1 == parts ? left : pick(left + 1);
      memory->pieces.push_back({next, bytes});
      next += bytes + 1 + pick(3);
      left -= bytes;
    }
    memory->expected = memory->now();
    return memory;
  }

  ptl_md_t real(const ModelDescription& md, Memory& memory) {
    ptl_md_t real{};
    const bool list = (md.options & PTL_MD_IOVEC) != 0;
    real.start = list ? static_cast<void*>(memory.pieces.data()) : memory.bytes.data();
    real.length = list ? memory.pieces.size() : md.bytes;
    real.threshold = md.threshold;
    real.max_size = md.max_size;
    real.options = md.options;
    real.user_ptr = &memory;
    real.eq_handle = md.queue < 0 ? PTL_EQ_NONE : queues_[md.queue];
    return real;
  }

  void create_descriptor() {
    const ModelDescription md = some_description();
    const bool attach = chance(75) && !entries_.empty();
    const int entry = attach ? static_cast<int>(pick(entries_.size())) : -1;
    const bool unlinks = chance(60);
    auto memory = memory_for(md);
    ptl_handle_md_t handle = 0;
    const ptl_md_t wanted = real(md, *memory);
    const int got = attach ? PtlMDAttach(entries_[entry], wanted, op(unlinks), &handle)
                           : PtlMDBind(ni_, wanted, op(unlinks), &handle);
    const int expected = model_.create(entry, md, unlinks);
    same("PtlMDAttach or PtlMDBind", got, expected);
    if (expected != PTL_OK) return;
    descriptors_.push_back(handle);
    memories_.push_back(std::move(memory));
  }

  void unlink_descriptor() {
    if (descriptors_.empty()) return;
    const auto which = pick(descriptors_.size());
    same("PtlMDUnlink", PtlMDUnlink(descriptors_[which]), model_.unlink_descriptor(static_cast<int>(which)));
  }

  void update_descriptor() {
    if (descriptors_.empty()) return;
    const auto which = pick(descriptors_.size());
    const int tested = static_cast<int>(pick(4)) - 1;
    const ModelDescription md = some_description();
    auto memory = memory_for(md);
    ptl_md_t wanted = real(md, *memory), old{};
    const bool alive = model_.descriptors[which].alive;
    const int threshold = model_.descriptors[which].md.threshold;
    const int got =
        PtlMDUpdate(descriptors_[which], &old, &wanted, tested < 0 ? PTL_EQ_NONE : queues_[tested]);
    const int expected = model_.update(static_cast<int>(which), md, tested);
    same("PtlMDUpdate", got, expected);
    if (alive) {
      same("old threshold of PtlMDUpdate", old.threshold, threshold);
      if (old.user_ptr != memories_[which].get()) fail("old memory of PtlMDUpdate");
    }
    if (expected == PTL_OK) memories_[which] = std::move(memory);
  }

  // --- Operations of ours.
  void operate() {
    if (descriptors_.empty()) return;
    const int which = static_cast<int>(pick(descriptors_.size()));
    const int other = static_cast<int>(pick(descriptors_.size()));
    const std::uint64_t whole = model_.descriptors[which].md.bytes;
    const std::uint64_t offset = chance(90) ? pick(whole + 1) : pick(30);
    const std::uint64_t bytes = chance(90) && offset <= whole ? pick(whole - offset + 1) : pick(30);
    ModelOperation operation{
        static_cast<ModelRequest::Kind>(pick(3)),
        which,
        {static_cast<ptl_nid_t>(chance(97) ? 1 + pick(3) : 4), static_cast<ptl_pid_t>(pick(2))},
        static_cast<ptl_pt_index_t>(pick(3)),
        pick(8),
        bytes,
        offset,
        0,
        chance(70)};
    if (operation.kind != ModelRequest::kGet) operation.hdr_data = random_();
    ModelFlight flight;
    int got = 0, expected = 0;
    switch (operation.kind) {
      case ModelRequest::kPut:
        got = PtlPutRegion(descriptors_[which], offset, bytes,
                           operation.ack_wanted ? PTL_ACK_REQ : PTL_NO_ACK_REQ, operation.target,
                           operation.pt_index, 0, operation.match_bits, 6, operation.hdr_data);
        expected = model_.put(which, offset, bytes, operation, flight);
        break;
      case ModelRequest::kGet:
        got = PtlGetRegion(descriptors_[which], offset, bytes, operation.target, operation.pt_index, 0,
                           operation.match_bits, 6);
        expected = model_.get(which, offset, bytes, operation, flight);
        break;
      case ModelRequest::kGetPut:
        got = PtlGetPut(descriptors_[which], descriptors_[other], operation.target, operation.pt_index, 0,
                        operation.match_bits, 6, operation.hdr_data);
        expected = model_.getput(which, other, operation, flight);
        break;
    }
    same("code of an operation", got, expected);
    if (expected != PTL_OK || !wrong_.empty()) return;
    NicTransfer* transfer = take_sent(static_cast<MessageKind>(operation.kind + 1));
    if (transfer == nullptr) return;
    const WireHeader header = header_of(*transfer);
    same("requested bytes on the wire", header.requested, operation.bytes);
    same("offset on the wire", header.remote_offset, 6);
    same("hdr_data on the wire", header.hdr_data, operation.hdr_data);
    asked_.push_back({operation, header});
    flights_.push_back({transfer, static_cast<int>(asked_.size()) - 1, false, flight, {}});
  }

  /// The only message that was sent, which must be of this kind.
  NicTransfer* take_sent(MessageKind kind) {
    if (nal_.staged_.size() != 1) {
      fail("messages sent", static_cast<long long>(nal_.staged_.size()), 1);
      return nullptr;
    }
    NicTransfer* transfer = nal_.staged_.back();
    nal_.staged_.clear();
    same("kind of message", static_cast<int>(transfer->kind), static_cast<int>(kind));
    same("kind on the wire", static_cast<int>(header_of(*transfer).kind), static_cast<int>(kind));
    return transfer;
  }

  static WireHeader header_of(const NicTransfer& transfer) {
    return WireHeader::read_own(transfer.header).value_or(WireHeader{});
  }

  // --- What arrives.
  std::vector<std::byte> some_bytes(std::uint64_t count) {
    std::vector<std::byte> bytes(count);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_());
    return bytes;
  }

  Verdict arrive(WireHeader& header) {
    header.seal();
    return nal_.library_->parse({header.source.nid, header.bytes(), header.payload_bytes()});
  }

  void receive() {
    ModelRequest request{static_cast<ModelRequest::Kind>(pick(3)),
                         {static_cast<ptl_nid_t>(1 + pick(2)), static_cast<ptl_pid_t>(pick(2))},
                         chance(95) ? 7u : 8u,
                         chance(95) ? 3u : 4u,
                         static_cast<ptl_pt_index_t>(pick(30) == 0 ? 3 : pick(3)),
                         static_cast<ptl_ac_index_t>(pick(30) == 0 ? 3 : pick(3)),
                         pick(4),
                         chance(15) ? 0 : pick(9),
                         pick(12),
                         random_(),
                         chance(50)};
    if (chance(2)) request.remote_offset = ~0ull - pick(4);
    WireHeader header;
    header.kind = static_cast<MessageKind>(request.kind + 1);
    header.source = request.source;
    header.target = model_.self;
    header.uid = request.uid;
    header.jid = request.jid;
    header.pt_index = request.pt_index;
    header.ac_index = request.ac_index;
    header.match_bits = request.match_bits;
    header.requested = request.bytes;
    header.remote_offset = request.remote_offset;
    header.hdr_data = request.hdr_data;
    header.ack_wanted = request.ack_wanted;
    header.descriptor = static_cast<ptl_handle_md_t>(random_());
    header.generation = static_cast<std::uint32_t>(random_());
    const Verdict verdict = arrive(header);
    const std::optional<ModelFlight> flight = model_.request(request);
    const bool deposits = flight && flight->phase == ModelFlight::kDeposit;
    same("whether a request is accepted", verdict.deposit != nullptr, deposits);
    if (!flight || !wrong_.empty()) return;
    if (deposits) {
      same("bytes to deposit", verdict.deposit->bytes, flight->event.mlength);
      flights_.push_back({verdict.deposit, -1, false, *flight, some_bytes(request.bytes)});
      flights_.back().payload.resize(flight->event.mlength);
      return;
    }
    NicTransfer* reply = take_sent(MessageKind::kReply);
    if (reply == nullptr) return;
    check_answer(*reply, header, flight->event.mlength);
    flights_.push_back({reply, -1, false, *flight, {}});
  }

  void check_answer(const NicTransfer& transfer, const WireHeader& request, std::uint64_t matched) {
    const WireHeader answer = header_of(transfer);
    same("descriptor named by an answer", answer.descriptor, request.descriptor);
    same("its generation", answer.generation, request.generation);
    same("bytes matched", answer.matched, matched);
    same("bytes requested", answer.requested, request.requested);
    same("node of an answer", answer.target.nid, request.source.nid);
    same("process of an answer", answer.target.pid, request.source.pid);
  }

  /// Answers one of our operations; perhaps once more, perhaps too late, perhaps with the news that it
  /// failed.
  void answer() {
    if (asked_.empty()) return;
    if (chance(5)) return lose_peer();
    Asked& asked = asked_[pick(asked_.size())];
    const ModelOperation& operation = asked.operation;
    if (chance(20)) {
      nal_.library_->undeliverable(asked.header.target.nid, asked.header.bytes());
      if (!asked.settled) model_.undeliverable(operation);
      asked.settled = asked.expects();
      return;
    }
    asked.settled = asked.expects();
    WireHeader header = asked.header;
    header.source = operation.target;
    header.target = model_.self;
    header.matched = pick(operation.bytes + 1);
    if (operation.kind == ModelRequest::kPut) {
      header.kind = MessageKind::kAck;
      arrive(header);
      model_.acknowledged(operation, header.matched, PTL_NI_OK);
      return;
    }
    header.kind = MessageKind::kReply;
    const Verdict verdict = arrive(header);
    const std::optional<ModelFlight> flight = model_.replied(operation, header.matched);
    same("whether a reply is accepted", verdict.deposit != nullptr, flight.has_value());
    if (!flight || !wrong_.empty()) return;
    same("bytes of the reply to deposit", verdict.deposit->bytes, flight->event.mlength);
    flights_.push_back({verdict.deposit, -1, false, *flight, some_bytes(flight->event.mlength)});
  }

  void lose_peer() {
    const auto peer = static_cast<ptl_nid_t>(1 + pick(3));
    nal_.library_->lost(peer);
    for (Asked& asked : asked_) {
      if (asked.settled || !asked.expects() || asked.operation.target.nid != peer) continue;
      asked.settled = true;
      model_.undeliverable(asked.operation);
    }
  }

  // --- What is in flight.
  void end_flight(std::size_t which, bool surely_well) {
    Flight flight = flights_[which];
    flights_.erase(flights_.begin() + static_cast<long>(which));
    if (flight.is_ack) {
      nal_.library_->finalize(*flight.transfer, PTL_NI_OK);
      return;
    }
    static constexpr ptl_ni_fail_t kReasons[] = {PTL_NI_FAIL, PTL_NI_UNDELIVERABLE, PTL_NI_INCOMPLETE};
    const ptl_ni_fail_t outcome = surely_well || chance(85) ? ptl_ni_fail_t{PTL_NI_OK} : kReasons[pick(3)];
    Memory& memory = *memories_[flight.model.descriptor];
    const ModelEvent& event = flight.model.event;
    const bool swap = flight.model.end == PTL_EVENT_GETPUT_END;
    const bool lands =
        flight.model.phase == ModelFlight::kDeposit || flight.model.phase == ModelFlight::kReply;
    const auto part = memory.expected.begin() + static_cast<long>(event.offset);
    if (lands && outcome == PTL_NI_OK) {
      const std::byte* next = flight.payload.data();
      for (const Piece& piece : flight.transfer->pieces) {
        std::memcpy(piece.base, next, piece.bytes);
        next += piece.bytes;
      }
      if (!swap) std::copy(flight.payload.begin(), flight.payload.end(), part);
    }
    if (!lands && flight.transfer->bytes != 0 && !swap && !surely_well) {
      const std::vector<std::byte> bytes = read(flight.transfer->pieces);
      if (bytes.size() != flight.transfer->bytes || !std::equal(bytes.begin(), bytes.end(), part))
        fail("what is sent");
    }
    if (flight.asked >= 0 && outcome != PTL_NI_OK) {
      flight.model.settled = std::exchange(asked_[flight.asked].settled, asked_[flight.asked].expects());
    }
    nal_.library_->finalize(*flight.transfer, outcome);
    if (swap && lands && outcome == PTL_NI_OK) {
      // Nothing is over yet: the old contents are on their way back.
      NicTransfer* reply = take_sent(MessageKind::kReply);
      if (reply == nullptr) return;
      const std::vector<std::byte> old = read(reply->pieces);
      same("bytes swapped", static_cast<long long>(old.size()), static_cast<long long>(event.mlength));
      if (!std::equal(old.begin(), old.end(), part)) fail("the old contents of a getput");
      std::copy(flight.payload.begin(), flight.payload.end(), part);
      flight.model.phase = ModelFlight::kReturn;
      flight.transfer = reply;
      flights_.push_back(flight);
      return;
    }
    if (!model_.finalize(flight.model, outcome)) {
      same("messages sent for nothing", static_cast<long long>(nal_.staged_.size()), 0);
    } else if (NicTransfer* ack = take_sent(MessageKind::kAck)) {
      same("bytes acknowledged", static_cast<long long>(header_of(*ack).matched),
           static_cast<long long>(event.mlength));
      flights_.push_back({ack, -1, true, {}, {}});
    }
    if (memory.now() != memory.expected) fail("the contents of a descriptor's memory");
  }

  // --- What is told.
  void get_events(unsigned count) {
    const int which = static_cast<int>(pick(queues_.size()));
    for (unsigned i = 0; i < count; ++i) get_event(which);
  }

  int get_event(int which) {
    ptl_event_t got;
    ModelEvent expected;
    const int code = PtlEQGet(queues_[which], &got);
    const int expected_code = model_.get_event(which, expected);
    same("PtlEQGet", code, expected_code);
    if (expected_code == PTL_EQ_EMPTY || !wrong_.empty()) return expected_code;
    same("kind of event", got.type, expected.type);
    same("descriptor of event", got.md_handle, descriptors_[expected.descriptor]);
    same("nid of event", got.initiator.nid, expected.initiator.nid);
    same("pid of event", got.initiator.pid, expected.initiator.pid);
    same("portal of event", got.pt_index, expected.pt_index);
    same("bits of event", static_cast<long long>(got.match_bits),
         static_cast<long long>(expected.match_bits));
    same("rlength of event", got.rlength, expected.rlength);
    same("mlength of event", got.mlength, expected.mlength);
    same("offset of event", got.offset, expected.offset);
    same("hdr_data of event", static_cast<long long>(got.hdr_data),
         static_cast<long long>(expected.hdr_data));
    same("failure of event", got.ni_fail_type, expected.fail);
    same("threshold in event", got.md.threshold, expected.threshold);
    same("link of event", got.link, expected.link);
    same("sequence of event", got.sequence, expected.sequence);
    return expected_code;
  }

  void finish() {
    for (int which = 0; which < 3; ++which) {
      while (wrong_.empty() && get_event(which) != PTL_EQ_EMPTY) {
      }
    }
    const auto counted = [&](const char* what, ptl_sr_index_t index, std::uint64_t expected) {
      ptl_sr_value_t value = 0;
      same("PtlNIStatus", PtlNIStatus(ni_, index, &value), PTL_OK);
      same(what, static_cast<long long>(value), static_cast<long long>(expected));
    };
    counted("drops", PTL_SR_DROP_COUNT, model_.drops);
    counted("denials", PTL_SR_DENIED_COUNT, model_.denied);
    counted("late answers", PTL_SR_LATE_COUNT, model_.late);
    counted("events lost", PTL_SR_EVENT_LOST_COUNT, model_.events_lost);
    counted("failures", PTL_SR_FAIL_COUNT, model_.failures);
  }

  Random random_;
  unsigned step_ = 0;
  std::string wrong_;
  StagedNal nal_;
  StillBridge bridge_;
  Node node_{nal_};
  Process process_;
  ptl_handle_ni_t ni_ = 0;
  Model model_;
  std::vector<ptl_handle_me_t> entries_;
  std::vector<ptl_handle_md_t> descriptors_;
  std::vector<std::unique_ptr<Memory>> memories_;
  std::vector<ptl_handle_eq_t> queues_;
  std::vector<Flight> flights_;
  std::vector<Asked> asked_;
};

}  // namespace

std::string run_model_seed(std::uint64_t seed) { return ModelRun{seed}.run(); }

}  // namespace aqueduct::test
