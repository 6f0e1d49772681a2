#include "portals3/traffic.hpp"

#include <algorithm>
#include <cstring>

namespace aqueduct::test {
namespace {

constexpr ptl_pt_index_t kPortal = 4;
constexpr ptl_process_id_t kAnybody{PTL_NID_ANY, PTL_PID_ANY};
constexpr std::size_t kReadableBytes = 4096;
constexpr std::size_t kBufferBytes = 6000;
constexpr std::uint64_t kLongestAppend = 1500;
constexpr std::byte kUntouched{0xee};

ptl_match_bits_t selector_of(Deed deed) { return static_cast<ptl_match_bits_t>(deed) + 1; }

std::string say(const char* what, std::uint32_t number, unsigned long long a = 0, unsigned long long b = 0) {
  return "operation " + std::to_string(number) + ": " + what + " (" + std::to_string(a) + ", " +
         std::to_string(b) + ")";
}

}  // namespace

std::byte written_byte(std::uint32_t number, std::size_t offset) {
  return static_cast<std::byte>(key_of(number, offset / 8) >> (offset % 8 * 8));
}

std::byte readable_byte(unsigned owner, std::size_t offset) {
  return static_cast<std::byte>(key_of(owner, 0xbeef, offset / 8) >> (offset % 8 * 8));
}

Correspondent::Correspondent(Traffic& traffic, unsigned number, std::uint64_t seed)
    : traffic_(traffic), number_(number), random_(key_of(seed, number, 0x7a11)) {}

void Correspondent::offer(ptl_match_bits_t selector, std::vector<std::byte>& memory, unsigned options,
                          std::uint64_t max_size, ptl_unlink_t unlink_op) {
  ptl_handle_me_t me;
  if (PtlMEAttach(ni_, kPortal, kAnybody, selector, ~ptl_match_bits_t{0xff}, unlink_op, PTL_INS_AFTER, &me) !=
      PTL_OK) {
    return traffic_.complain("no entry");
  }
  const ptl_md_t md{memory.data(), memory.size(), PTL_MD_THRESH_INF, max_size, options, &memory, queues_[0]};
  ptl_handle_md_t handle;
  int code;
  // Registrations may be made to fail.
  while ((code = PtlMDAttach(me, md, unlink_op, &handle)) == PTL_VAL_FAILED) {
  }
  if (code != PTL_OK) traffic_.complain(std::string("PtlMDAttach: ") + PtlErrorStr(code));
}

void Correspondent::hang_buffer(Buffer& buffer) {
  std::fill(buffer.bytes.begin(), buffer.bytes.end(), kUntouched);
  offer(selector_of(Deed::kAppend), buffer.bytes, PTL_MD_OP_PUT | PTL_MD_MAX_SIZE, kLongestAppend,
        PTL_UNLINK);
}

void Correspondent::open() {
  const TrafficPlan& plan = traffic_.plan;
  int interfaces;
  PtlInit(&interfaces);
  int code = PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni_);
  if (code != PTL_OK) return traffic_.complain(std::string("PtlNIInit: ") + PtlErrorStr(code));
  PtlGetId(ni_, &id);
  for (ptl_handle_eq_t& queue : queues_) PtlEQAlloc(ni_, plan.queue_events, PTL_EQ_HANDLER_NONE, &queue);
  window.assign(plan.processes * plan.operations * Traffic::kPlaceBytes, kUntouched);
  readable_.resize(kReadableBytes);
  for (std::size_t i = 0; i < kReadableBytes; ++i) readable_[i] = readable_byte(number_, i);
  word.assign(8, std::byte{0});
  word[0] = static_cast<std::byte>(number_ + 1);
  offer(selector_of(Deed::kWrite), window, PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE, 0, PTL_RETAIN);
  offer(selector_of(Deed::kRead), readable_, PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE, 0, PTL_RETAIN);
  offer(selector_of(Deed::kSwap), word, PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE, 0, PTL_RETAIN);
  for (int i = 0; i < 2; ++i)
    hang_buffer(buffers_.emplace_back(Buffer{std::vector<std::byte>(kBufferBytes)}));
  pool_bytes_.resize(plan.operations * Traffic::kPlaceBytes);
  const ptl_md_t pool{pool_bytes_.data(), pool_bytes_.size(), PTL_MD_THRESH_INF, 0, 0, nullptr, queues_[1]};
  while (PtlMDBind(ni_, pool, PTL_RETAIN, &pool_) == PTL_VAL_FAILED) {
  }
}

void Correspondent::main() {
  open();
  if (!traffic_.wrong.empty()) return;
  ready = true;
  const auto all_ready = [&] {
    for (unsigned other = 0; other < traffic_.plan.processes; ++other) {
      if (!traffic_.process(other).ready) return false;
    }
    return true;
  };
  // One that crashed before it was ready is not waited for.
  while (!all_ready() && traffic_.now_ns() < traffic_.plan.end_ns / 10) attend(1);
  for (std::uint32_t place = 0; place < traffic_.plan.operations; ++place) {
    const auto number = static_cast<std::uint32_t>(traffic_.operations.size());
    Operation& operation = traffic_.operations.emplace_back();
    operation.origin = number_;
    operation.place = place;
    begin(operation, number);
    if (traffic_.plan.provokes_failures && pick(8) == 0) {
      PtlFailNid(ni_, pick(2) == 0 ? PTL_NID_ANY : traffic_.process(static_cast<unsigned>(pick(2))).id.nid,
                 static_cast<unsigned>(pick(3)));
    }
    if (pick(3) == 0) attend(static_cast<ptl_time_t>(pick(3)));
  }
  while (traffic_.now_ns() < traffic_.plan.end_ns) {
    attend(static_cast<ptl_time_t>((traffic_.plan.end_ns - traffic_.now_ns()) / 1'000'000 + 1));
  }
  for (ptl_sr_index_t i = 0; i < PTL_SR_COUNT; ++i) PtlNIStatus(ni_, i, &counters[i]);
  if (PtlNIFini(ni_) != PTL_OK) traffic_.complain("PtlNIFini");
  PtlFini();
  finished = true;
}

void Correspondent::begin(Operation& operation, std::uint32_t number) {
  operation.target = static_cast<unsigned>(pick(traffic_.plan.processes));
  operation.deed = static_cast<Deed>(pick(4));
  operation.ack_wanted = pick(2) == 0;
  operation.bytes = pick(3) == 0 ? pick(kLongestAppend) : pick(40);
  if (operation.deed == Deed::kSwap) operation.bytes = 8;
  ptl_process_id_t target = traffic_.process(operation.target).id;
  operation.stray = traffic_.plan.strays && pick(6) == 0;
  if (operation.stray) target.pid += 1'000'000;
  const ptl_match_bits_t bits = selector_of(operation.deed) | ptl_match_bits_t{number} << 8;
  std::uint64_t remote_offset = 0;
  if (operation.deed == Deed::kWrite) {
    remote_offset = (number_ * traffic_.plan.operations + operation.place) * Traffic::kPlaceBytes + 16;
  } else if (operation.deed == Deed::kRead) {
    remote_offset = number % (kReadableBytes - operation.bytes);
  }
  const bool puts = operation.deed == Deed::kWrite || operation.deed == Deed::kAppend;
  const bool own = operation.deed == Deed::kSwap || pick(2) == 0;  // a descriptor of its own, or the pool
  std::byte* local = pool_bytes_.data() + operation.place * Traffic::kPlaceBytes;
  if (own) {
    operation.local.assign(operation.bytes + 1, kUntouched);
    local = operation.local.data();
  }
  if (puts) {
    for (std::size_t i = 0; i < operation.bytes; ++i) local[i] = written_byte(number, i);
  }
  const ptl_ack_req_t ack = operation.ack_wanted ? PTL_ACK_REQ : PTL_NO_ACK_REQ;
  const auto bind = [&](void* start, std::size_t bytes, int threshold, ptl_handle_md_t* md) {
    return PtlMDBind(ni_, {start, bytes, threshold, 0, 0, nullptr, queues_[1]}, PTL_UNLINK, md);
  };
  int code = PTL_OK;
  // Before the call, which may suspend us: what it causes may be seen before it returns.
  operation.begun = true;
  if (operation.deed == Deed::kSwap) {
    operation.swapped.resize(8);
    std::memcpy(operation.swapped.data(), &number, 4);
    operation.swapped[7] = std::byte{1};
    ptl_handle_md_t get_md, put_md;
    code = bind(local, 8, 1, &get_md);
    if (code == PTL_OK) code = bind(operation.swapped.data(), 8, 1, &put_md);
    if (code == PTL_OK) code = PtlGetPut(get_md, put_md, target, kPortal, 0, bits, 0, number);
  } else if (own) {
    ptl_handle_md_t md;
    code = bind(local, operation.bytes, puts && operation.ack_wanted ? 2 : 1, &md);
    if (code == PTL_OK) {
      code = puts ? PtlPut(md, ack, target, kPortal, 0, bits, remote_offset, number)
                  : PtlGet(md, target, kPortal, 0, bits, remote_offset);
    }
    if (code == PTL_OK && traffic_.plan.impatient && pick(2) == 0) {
      attend(0);
      operation.abandoned = PtlMDUnlink(md) == PTL_OK;
    }
  } else {
    const std::uint64_t offset = operation.place * Traffic::kPlaceBytes;
    code = puts ? PtlPutRegion(pool_, offset, operation.bytes, ack, target, kPortal, 0, bits, remote_offset,
                               number)
                : PtlGetRegion(pool_, offset, operation.bytes, target, kPortal, 0, bits, remote_offset);
  }
  if (code == PTL_VAL_FAILED) {
    operation.begun = false;
  } else if (code != PTL_OK) {
    traffic_.complain(say(PtlErrorStr(code), number));
  }
}

void Correspondent::attend(ptl_time_t milliseconds) {
  const std::uint64_t until_ns = traffic_.now_ns() + milliseconds * std::uint64_t{1'000'000};
  ptl_event_t event;
  int which;
  for (;;) {
    const std::uint64_t now_ns = traffic_.now_ns();
    const auto left = static_cast<ptl_time_t>(now_ns < until_ns ? (until_ns - now_ns) / 1'000'000 : 0);
    const int code = PtlEQPoll(queues_, 2, left, &event, &which);
    if (code == PTL_EQ_EMPTY) return;
    if (code == PTL_EQ_DROPPED) ++lost_reports;
    if (code != PTL_OK && code != PTL_EQ_DROPPED) return traffic_.complain(PtlErrorStr(code));
    // A gap in the numbers is reported, and nothing else is.
    const bool gap = event.sequence != next_sequence_[which];
    if (gap != (code == PTL_EQ_DROPPED))
      traffic_.complain("a gap that was not reported, or a report without one");
    next_sequence_[which] = event.sequence + std::uint64_t{1};
    const auto number = static_cast<std::uint32_t>(event.match_bits >> 8);
    if (number >= traffic_.operations.size()) return traffic_.complain("an event about nothing");
    traffic_.digest = key_of(traffic_.digest, number, static_cast<int>(event.type), now_ns);
    Operation& operation = traffic_.operations[number];
    if (which == 0) {
      at_target(event, operation, number);
    } else {
      at_origin(event, operation);
    }
  }
}

void Correspondent::at_origin(const ptl_event_t& event, Operation& operation) {
  const bool failed = event.ni_fail_type != PTL_NI_OK;
  if (operation.origin != number_) return traffic_.complain("an answer for somebody else");
  switch (event.type) {
    case PTL_EVENT_SEND_START:
      ++operation.send_starts;
      break;
    case PTL_EVENT_SEND_END:
      ++(failed ? operation.send_failures : operation.send_ends);
      break;
    case PTL_EVENT_ACK:
      ++(failed ? operation.ack_failures : operation.acks);
      operation.acknowledged = event.mlength;
      break;
    case PTL_EVENT_REPLY_END: {
      ++(failed ? operation.reply_failures : operation.replies);
      if (failed || operation.deed != Deed::kRead) break;
      const auto number = static_cast<std::uint32_t>(event.match_bits >> 8);
      const std::size_t from = number % (kReadableBytes - operation.bytes);
      const auto* bytes = static_cast<const std::byte*>(event.md.start) + event.offset;
      for (std::size_t i = 0; i < event.mlength; ++i) {
        if (bytes[i] == readable_byte(operation.target, from + i)) continue;
        traffic_.complain(say("a get brought wrong bytes", number, i));
        break;
      }
      break;
    }
    case PTL_EVENT_REPLY_START:
    case PTL_EVENT_UNLINK:
      break;
    default:
      traffic_.complain("an event that is not for an origin");
  }
}

void Correspondent::at_target(const ptl_event_t& event, Operation& operation, std::uint32_t number) {
  if (event.type == PTL_EVENT_UNLINK) {
    for (Buffer& buffer : buffers_) {
      if (event.md.user_ptr == &buffer.bytes) return hang_buffer(buffer);
    }
    return traffic_.complain("something else than a buffer was unlinked");
  }
  if (operation.target != number_) return traffic_.complain("an operation for somebody else");
  switch (event.type) {
    case PTL_EVENT_PUT_START:
    case PTL_EVENT_GET_START:
    case PTL_EVENT_GETPUT_START:
      ++operation.starts;
      order.push_back(number);
      break;
    case PTL_EVENT_PUT_END:
    case PTL_EVENT_GET_END:
    case PTL_EVENT_GETPUT_END:
      ++(event.ni_fail_type != PTL_NI_OK ? operation.end_failures : operation.ends);
      break;
    default:
      traffic_.complain("an event that is not for a target");
  }
  if (event.type != PTL_EVENT_PUT_END || event.ni_fail_type != PTL_NI_OK) return;
  const auto* bytes = static_cast<const std::byte*>(event.md.start) + event.offset;
  for (std::size_t i = 0; i < operation.bytes; ++i) {
    if (bytes[i] == written_byte(number, i)) continue;
    return traffic_.complain(say("a put brought wrong bytes", number, i));
  }
}

Traffic::Traffic(TrafficPlan with, std::uint64_t seed, std::function<std::uint64_t()> clock)
    : plan(with), now_ns(std::move(clock)) {
  for (unsigned i = 0; i < plan.processes; ++i) {
    processes_.push_back(std::make_unique<Correspondent>(*this, i, seed));
  }
}

std::string Traffic::check(const Operation& operation, std::uint32_t number, bool crashes, bool loses,
                           bool loses_events) {
  const bool puts = operation.deed == Deed::kWrite || operation.deed == Deed::kAppend;
  const unsigned sends = operation.send_ends + operation.send_failures;
  const unsigned acks = operation.acks + operation.ack_failures;
  const unsigned replies = operation.replies + operation.reply_failures;
  const unsigned ends = operation.ends + operation.end_failures;
  const Correspondent& origin = *processes_[operation.origin];
  const Correspondent& target = *processes_[operation.target];
  const unsigned most_sends = operation.deed == Deed::kRead || !operation.begun ? 0 : 1;
  if (operation.send_starts > most_sends || sends > most_sends) return say("sent twice", number, sends);
  if (ends > 1 || operation.starts > 1) return say("arrived twice", number, operation.starts, ends);
  if (acks > (operation.ack_wanted && puts ? 1u : 0u)) return say("acknowledged too often", number, acks);
  if (replies > (puts ? 0u : 1u)) return say("answered too often", number, replies);
  if (!operation.begun) return operation.starts == 0 ? "" : say("was refused and arrived", number);
  if (operation.acks == 1 && operation.acknowledged != operation.bytes)
    return say("acknowledged in part", number);
  if (loses_events) return "";

  // Every START has its END, on both sides, unless the process is gone.
  if (origin.finished && (operation.send_starts != most_sends || sends != most_sends)) {
    return say("its sending never ended", number, operation.send_starts, sends);
  }
  if (target.finished && operation.starts != ends)
    return say("its arrival never ended", number, operation.starts, ends);
  if (target.finished && operation.acks == 1 && operation.ends != 1)
    return say("acknowledged without arriving", number);
  if (target.finished && operation.replies == 1 && operation.starts != 1)
    return say("answered by nobody", number);
  // Whatever has arrived at a place is all there, whatever has not is not there at all.
  if (operation.deed == Deed::kWrite && target.finished) {
    const std::byte* place =
        target.window.data() + (operation.origin * plan.operations + operation.place) * kPlaceBytes;
    for (std::size_t i = 0; i < kPlaceBytes; ++i) {
      const bool inside = i >= 16 && i < 16 + operation.bytes;
      if (inside && operation.end_failures == 1) continue;
      const std::byte expected = inside && operation.ends == 1 ? written_byte(number, i - 16) : kUntouched;
      if (place[i] != expected) return say("wrong bytes in its place", number, i);
    }
  }
  // Whoever has outlived the one that he asked knows what became of it.
  const bool expects = !puts || operation.ack_wanted;
  const unsigned known = acks + replies + operation.send_failures;
  if (origin.finished && !target.finished && target.ready && expects && !operation.abandoned &&
      !operation.stray && known == 0 && !plan.provokes_failures && !loses &&
      origin.counters[PTL_SR_PEER_LOST_COUNT] != 0) {
    return say("asked somebody who died, and never heard of it", number);
  }
  if (crashes || loses || plan.provokes_failures) return "";

  // Nothing is lost: what was not dropped for good reasons is complete.
  if (operation.send_failures + operation.ack_failures + operation.reply_failures + operation.end_failures !=
      0) {
    return say("failed for no reason", number);
  }
  const bool arrives = operation.deed != Deed::kAppend;
  if (operation.stray) return operation.starts == 0 ? "" : say("to nobody, and arrived", number);
  if (arrives && operation.ends != 1) return say("did not arrive", number);
  if (operation.abandoned) return "";
  if (puts && operation.acks != (operation.ack_wanted && operation.ends == 1 ? 1u : 0u)) {
    return say("acknowledgements", number, operation.acks, operation.ends);
  }
  if (!puts && operation.replies != 1) return say("answers", number, operation.replies);
  return "";
}

std::string Traffic::check_counters() {
  std::uint64_t sent = 0, received = 0, dropped = 0, stray = 0, undelivered = 0, failed = 0, malformed = 0;
  for (const auto& process : processes_) {
    const auto& counters = process->counters;
    sent += counters[PTL_SR_SEND_COUNT];
    received += counters[PTL_SR_RECV_COUNT];
    dropped += counters[PTL_SR_DROP_COUNT];
    undelivered += counters[PTL_SR_UNDELIVERABLE_COUNT];
    failed += counters[PTL_SR_FAIL_COUNT];
    malformed += counters[PTL_SR_MALFORMED_COUNT];
    stray += counters[PTL_SR_STRAY_COUNT];
  }
  if (malformed != 0) return "malformed headers on a network that repairs them: " + std::to_string(malformed);
  if (sent > received + dropped + stray + undelivered + failed) {
    return "requests that nobody knows of: " + std::to_string(sent) + " sent, " + std::to_string(received) +
           " received, " + std::to_string(dropped) + " dropped";
  }
  return "";
}

std::string Traffic::verdict(bool crashes, bool loses) {
  if (!wrong.empty()) return wrong;
  bool loses_events = false;
  for (const auto& process : processes_) {
    if (!process->finished && !crashes) return "a process did not finish";
    if (!process->finished) continue;
    const std::uint64_t lost = process->counters[PTL_SR_EVENT_LOST_COUNT];
    loses_events |= lost != 0;
    if (lost == 0 && process->lost_reports != 0) return "events reported lost that were not";
    // Requests of one process start in the order in which they were sent.
    std::vector<std::uint32_t> last(plan.processes, 0);
    for (const std::uint32_t number : process->order) {
      std::uint32_t& before = last[operations[number].origin];
      if (number + 1 <= before) return say("started before an earlier one", number, before - 1);
      before = number + 1;
    }
  }
  for (std::uint32_t number = 0; number < operations.size(); ++number) {
    std::string said = check(operations[number], number, crashes, loses, loses_events);
    if (!said.empty()) return said;
  }
  if (!crashes) return check_counters();
  return "";
}

}  // namespace aqueduct::test
