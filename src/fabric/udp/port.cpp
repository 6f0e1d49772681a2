#include "fabric/udp/port.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/context.hpp"
#include "base/fatal.hpp"
#include "base/race_hints.hpp"
#include "fabric/pieces.hpp"
#include "fabric/udp/peer.hpp"
#include "fabric/udp/settings.hpp"
#include "job/place/activity.hpp"

namespace aqueduct::fabric::udp {
namespace {

constexpr std::uint64_t kLooksWithoutTime = 16;
/// Reports of which nobody has asked yet; beyond this senders must ask first.
constexpr std::size_t kMostReports = 4096;

/// In one line, of those that are not 0.
void say_counters(NodeId self, const Counters& counters, const UdpPort::LinkMemory& memory) {
  std::string line = "udp: rank " + std::to_string(self) + ":";
  counters.for_each([&](const char* name, const char*, std::uint64_t value) {
    if (value != 0) line += std::string(" ") + name + "=" + std::to_string(value);
  });
  line += " links=" + std::to_string(memory.links) + " link_bytes=" + std::to_string(memory.bytes);
  std::fprintf(stderr, "%s\n", line.c_str());
}

/// For whoever is about to leave. False: a thread was interrupted while it had the lock, and stays there.
template <class Lock>
bool lock_unless_interrupted(Lock& lock) {
  constexpr int kMostTries = 1000;
  for (int tries = 0; !lock.try_lock(); ++tries) {
    if (tries == kMostTries) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

UdpPort::UdpPort(PortSetup setup, Clock& clock)
    : setup_(std::move(setup)),
      clock_(clock),
      tag_bytes_(setup_.seal ? setup_.seal->tag_bytes() : 0),
      peers_(setup_.peers.size()),
      lanes_(setup_.seal.get()) {}

UdpPort::~UdpPort() {
  say_farewell();
  watcher_.reset();
  for (const std::atomic<Peer*>& peer : peers_) delete peer.load(std::memory_order_relaxed);
}

void UdpPort::expose(const Piece& memory) { places_.expose(memory); }
std::uint64_t UdpPort::post(NodeId source, const Piece& where) { return places_.post(source, where); }
void UdpPort::withdraw(std::uint64_t place) { places_.withdraw(place); }

void UdpPort::set_client(PortClient& client) {
  client_ = &client;
  if (!setup_.is_watched) return;
  watcher_ = std::make_unique<Watcher>(*this, *doorbell(setup_.self), clock_);
  if (!watcher_->start())
    fatal("udp", "the system gives no thread that watches the network: %s", std::strerror(errno));
}

Traits UdpPort::traits() const {
  return {.nodes = setup_.peers.size(),
          .ordered = true,
          .inline_bytes = setup_.links.inline_bytes,
          .copied_bytes = setup_.links.inline_bytes,
          .released_bytes = Place::kMostBuffered};
}

bool UdpPort::is_in_report() const {
  const void* const reporting = reporting_.load(std::memory_order_relaxed);
  return reporting && reporting == &current_context;
}

UdpPort::Peer& UdpPort::peer(NodeId node) {
  if (Peer* const known = known_peer(node)) return *known;
  const std::size_t largest =
      std::min(setup_.socket->largest_datagram(setup_.peers[node]), SendBatch::kLargestDatagram) - tag_bytes_;
  const auto room =
      static_cast<std::uint32_t>(std::min<std::size_t>(setup_.socket->receive_room(), 1u << 30));
  const std::lock_guard guard(new_peers_lock_);
  if (Peer* const known = known_peer(node)) return *known;
  Peer* const made = new Peer(*this, node, largest, room);
  peers_[node].store(made, std::memory_order_release);
  return *made;
}

void UdpPort::activate(Peer& peer) {
  if (peer.is_active) return;
  peer.is_active = true;
  peer.next_woken = woken_.load(std::memory_order_relaxed);
  while (!woken_.compare_exchange_weak(peer.next_woken, &peer, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
}

void UdpPort::adopt_woken() {
  if (!woken_.load(std::memory_order_relaxed)) return;
  for (Peer* woken = woken_.exchange(nullptr, std::memory_order_acquire); woken; woken = woken->next_woken)
    active_.push_back(woken);
}

Post UdpPort::send(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
                   const Place* place, Release release, std::uint64_t cookie) {
  const bool in_report = is_in_report();
  if ((in_report ? reports_.count_in_turn() : reports_.posted_count()) >= kMostReports) return Post::kRetry;
  Peer& to = peer(target);
  if (!has_sent_.load(std::memory_order_relaxed)) has_sent_.store(true, std::memory_order_relaxed);
  const std::size_t payload_bytes = total_bytes(payload);
  if (!to.lock.try_lock()) {
    if (LeftMessages::is_small(header, payload_bytes) &&
        payload_bytes <= std::min(setup_.links.inline_bytes, setup_.links.beside_bytes))
      return leave(to, header, payload, payload_bytes, place, cookie);
    to.lock.lock();
  }
  const Peer::Hold hold(to, in_report, std::adopt_lock);
  if (in_report) tell_answered_with(to);
  if (!take_left(to)) return Post::kRetry;
  if (!to.link.send(header, payload, payload_bytes, place, release, cookie)) return Post::kRetry;
  activate(to);
  if (sends_later(in_report)) {
    is_dirty_.store(true, std::memory_order_relaxed);
    to.link.release_payload();
    return Post::kDone;
  }
  transmit(to, clock_.now_ns(), false);
  // Behind the transmission: the target takes the datagrams meanwhile.
  to.link.release_payload();
  deadline_.lower(to.link.deadline_ns());
  return Post::kDone;
}

Post UdpPort::leave(Peer& to, std::span<const std::byte> header, std::span<const Piece> payload,
                    std::size_t payload_bytes, const Place* place, std::uint64_t cookie) {
  if (!to.left_messages().add(header, payload, payload_bytes, place, cookie)) return Post::kRetry;
  if (to.lock.leave() && to.lock.try_lock()) {
    to.has_turn = is_in_report();
    give_way(to);
  }
  return Post::kDone;
}

void UdpPort::give_way(Peer& peer) {
  const bool has_turn = peer.has_turn;
  do {
    peer.has_turn = has_turn;
    activate(peer);
    transmit(peer, clock_.now_ns(), false);
    deadline_.lower(peer.link.deadline_ns());
    // Free for a moment, so that whoever waits for it has a chance.
    peer.lock.unlock();
  } while (peer.lock.is_marked() && peer.lock.try_lock());
}

// In their order, and before anything that is sent now: a thread that has left one may send the next by
// itself.
bool UdpPort::take_left(Peer& peer) {
  if (!peer.lock.is_marked()) {
    LeftMessages* const left = peer.known_left();
    if (!left || !left->has_refused()) [[likely]]
      return true;
  } else {
    peer.lock.unmark();
  }
  activate(peer);
  return peer.known_left()->take([&](std::span<const std::byte> header, std::span<const Piece> payload,
                                     const Place* place, std::uint64_t cookie) {
    return peer.link.send(header, payload, total_bytes(payload), place, Release::kAtReturn, cookie);
  });
}

void UdpPort::transmit(Peer& peer, std::uint64_t now_ns, bool flush) {
  Link& link = peer.link;
  take_left(peer);
  if (peer.unsent ? !send_unsent(peer) : full_.load(std::memory_order_relaxed) != 0) {
    is_dirty_.store(true, std::memory_order_relaxed);
    return;
  }
  if (link.wants_to_send(now_ns, flush)) {
    const net::Address address = setup_.peers[link.peer()];
    SendLanes::Lane& lane = lanes_.take();
    SendBatch& batch = *lane.batch;
    bool is_taken = true, has_more = true;
    BuiltDatagram built;
    while (is_taken && has_more) {
      link.build(now_ns, batch.room(), &built);
      batch.add(address, {setup_.self, link.peer(), built.number}, built);
      if (built.alike_bytes != 0 && !batch.is_full()) {
        const unsigned count = link.build_alike(now_ns, batch.room_for(built.whole_bytes()), &built);
        if (count != 0) batch.add_alike(address, {setup_.self, link.peer(), built.number}, built, count);
      }
      has_more = link.wants_to_send(now_ns, flush);
      if (has_more && !batch.is_full()) continue;
      others_may_follow();
      is_taken = batch.flush(*setup_.socket, lane.number);
    }
    if (!is_taken) peer.keep_unsent(std::move(lane.batch));
    lanes_.give_back(lane);
    if (!is_taken) {
      ++peer.counters.socket_full;
      is_dirty_.store(true, std::memory_order_relaxed);
      return;
    }
  }
  link.look_at_window();
  if (link.holds_back()) holds_back_.store(true, std::memory_order_relaxed);
}

bool UdpPort::send_unsent(Peer& peer) {
  SendLanes::Lane& lane = lanes_.take();
  const bool is_taken = peer.unsent->flush(*setup_.socket, lane.number);
  lanes_.give_back(lane);
  if (is_taken) {
    peer.forget_unsent();
  } else {
    ++peer.counters.socket_full;
  }
  return is_taken;
}

void UdpPort::accept(std::uint64_t id, std::span<const Piece> where, std::size_t keep_bytes,
                     std::uint64_t cookie) {
  const bool in_report = is_in_report();
  WaitingArrival& waiting = arrival(id);
  Peer& from = *known_peer(waiting.source);
  if (in_report && waiting.kind == RecordKind::kInline) {
    if (keep_bytes != 0) PieceWalk(where).scatter(waiting.payload, keep_bytes);
    reports_.add({.kind = Report::Kind::kLanded, .outcome = Outcome::kOk, .cookie = cookie, .header = {}});
    return answered_in_turn(waiting, from);
  }
  {
    const Peer::Hold hold(from, in_report);
    if (waiting.kind == RecordKind::kInline) {
      if (keep_bytes != 0) PieceWalk(where).scatter(waiting.payload, keep_bytes);
      from.landed(cookie, Outcome::kOk);
    } else {
      from.link.accept(waiting.transfer, where, keep_bytes, cookie);
      if (keep_bytes == 0) from.landed(cookie, Outcome::kOk);
    }
    if (!in_report) return free_arrival(waiting, from);
  }
  answered_in_turn(waiting, from);
}

void UdpPort::discard(std::uint64_t id) {
  const bool in_report = is_in_report();
  WaitingArrival& waiting = arrival(id);
  Peer& from = *known_peer(waiting.source);
  if (!in_report || waiting.kind == RecordKind::kLarge) {
    const Peer::Hold hold(from, in_report);
    if (waiting.kind == RecordKind::kLarge) from.link.accept(waiting.transfer, {}, 0, 0);
    if (!in_report) return free_arrival(waiting, from);
  }
  answered_in_turn(waiting, from);
}

// Of many arrivals of one peer the link hears at once. Nobody else touches the arrival: it has one answer.
void UdpPort::answered_in_turn(WaitingArrival& waiting, Peer& from) {
  if (answered_peer_ != &from) {
    tell_answered();
    answered_peer_ = &from;
  }
  answered_bytes_ += waiting.record_bytes;
  buffers_.give_back(std::move(waiting.buffer));
  if (told_ == &waiting) told_ = nullptr;
  arrivals_.give_back_in_turn(waiting);
}

void UdpPort::tell_answered() {
  if (!answered_peer_) return;
  Peer& peer = *answered_peer_;
  const Peer::Hold hold(peer, true);
  tell_answered_with(peer);
}

void UdpPort::tell_answered_with(Peer& peer) {
  if (answered_peer_ != &peer) return;
  answered_peer_ = nullptr;
  peer.link.release(std::exchange(answered_bytes_, 0));
  if (!peer.link.has_answers()) return;
  activate(peer);
  is_dirty_.store(true, std::memory_order_relaxed);
}

void UdpPort::free_arrival(WaitingArrival& waiting, Peer& from) {
  from.link.release(waiting.record_bytes);
  buffers_.give_back(std::move(waiting.buffer));
  waiting.is_answered = true;
  arrivals_.give_back(waiting);
  const std::uint64_t now_ns = clock_.now_ns();
  if (!from.link.wants_to_send(now_ns, false)) return;
  activate(from);
  transmit(from, now_ns, false);
  deadline_.lower(from.link.deadline_ns());
}

Silence UdpPort::silence(NodeId node) {
  if (node >= setup_.peers.size()) return {};
  Silence silence;
  silence.address = setup_.peers[node].text();
  Peer* const silent = known_peer(node);
  if (!silent) return silence;
  const Peer::Hold hold(*silent, false);
  if (!silent->link.is_dead()) return silence;
  silence.ns = clock_.now_ns() - silent->link.silent_since_ns();
  silence.setting = kTimeoutVariable;
  return silence;
}

void UdpPort::count(std::uint64_t Counters::*counter) {
  const std::lock_guard guard(counters_lock_);
  ++(counters_.*counter);
}

void UdpPort::take(const net::Address& from, std::span<std::byte> datagram, std::uint64_t now_ns) {
  pattern_of_ = nullptr;
  PacketHead head;
  if (datagram.size() < kPacketHeadBytes + tag_bytes_ || !decode_head(datagram, &head) ||
      head.bytes + tag_bytes_ != datagram.size()) {
    count(&Counters::dropped_short);
    return;
  }
  if (head.version != kPacketVersion) {
    count(&Counters::dropped_version);
    return;
  }
  if (head.job != setup_.job || head.plane != static_cast<std::uint8_t>(setup_.plane) ||
      head.target != setup_.self || head.sender >= setup_.peers.size()) {
    count(&Counters::dropped_stray);
    return;
  }
  // Before anything else is believed, numbers included: a stranger moves no counter but dropped_forged.
  const bool is_believed =
      is_sealed() ? setup_.seal->open({head.sender, head.target, head.number}, datagram, kPacketHeadBytes)
                  : is_same_host(from, setup_.peers[head.sender]);  // a socket may send for another one
  if (!is_believed) {
    count(&Counters::dropped_forged);
    return;
  }
  if (Peer* const known = known_peer(head.sender)) return take_of(*known, head, datagram, now_ns);
  // Whoever has never been heard of gets a link if its datagram makes sense.
  if (ReceivedNumbers().judge(head.number) != ReceivedNumbers::Verdict::kNew)
    return count(&Counters::dropped_far);
  if (Frames frames; !decode_frames(frames_of(datagram), &frames)) return count(&Counters::dropped_malformed);
  take_of(peer(head.sender), head, datagram, now_ns);
}

std::span<std::byte> UdpPort::frames_of(std::span<std::byte> datagram) const {
  return datagram.subspan(kPacketHeadBytes, datagram.size() - kPacketHeadBytes - tag_bytes_);
}

void UdpPort::take_of(Peer& sender, const PacketHead& head, std::span<std::byte> datagram,
                      std::uint64_t now_ns) {
  const Peer::Hold hold(sender, true);
  switch (sender.link.judge(head.number)) {
    case ReceivedNumbers::Verdict::kNew:
      break;
    case ReceivedNumbers::Verdict::kDuplicate:
      ++sender.counters.dropped_duplicate;
      return sender.retried(head.sender, observe::Retry::kTwice);
    case ReceivedNumbers::Verdict::kTooOld:
      ++sender.counters.dropped_old;
      return;
    case ReceivedNumbers::Verdict::kTooFar:
      ++sender.counters.dropped_far;
      return;
  }
  Frames frames;
  if (!decode_frames(frames_of(datagram), &frames)) {
    ++sender.counters.dropped_malformed;
    return;
  }
  others_have_followed();
  const bool is_taken = sender.link.receive(head.number, frames, now_ns);
  has_taken(sender, now_ns);
  // Those that are like it say nothing but what their data are.
  const bool is_pattern = is_taken && frames.has_part && !frames.has_messages && !frames.has_control &&
                          !frames.has_bulk && !frames.has_ping && sender.link.is_latest(head.number);
  const std::span<std::byte> body = frames_of(datagram);
  if (!is_pattern || frames.part.data.data() + frames.part.data.size() != body.data() + body.size()) return;
  pattern_of_ = &sender;
  pattern_ = {datagram.first(datagram.size() - tag_bytes_), head, frames.part};
}

void UdpPort::has_taken(Peer& sender, std::uint64_t now_ns) {
  activate(sender);
  if (sender.link.wants_to_send(now_ns, false) || sender.has_refused())
    is_dirty_.store(true, std::memory_order_relaxed);
  deadline_.lower(sender.link.deadline_ns());
}

std::span<std::byte> UdpPort::take_alike(std::span<std::byte> left, std::uint64_t now_ns) {
  Peer& sender = *std::exchange(pattern_of_, nullptr);
  const std::size_t bytes = pattern_.datagram.size() + tag_bytes_;
  const std::byte* const data = pattern_.part.data.data() + (left.data() - pattern_.datagram.data());
  unsigned count = 0;
  std::span<std::byte> another;  // that is not like them, but believed
  while (left.size() >= bytes && another.empty()) {
    const std::span<std::byte> datagram = left.first(bytes);
    if (!pattern_.is_head_of(datagram, count + 1)) break;
    left = left.subspan(bytes);
    const std::uint64_t number = pattern_.head.number + count + 1;
    if (is_sealed() &&
        !setup_.seal->open({pattern_.head.sender, setup_.self, number}, datagram, kPacketHeadBytes)) {
      this->count(&Counters::dropped_forged);
      break;
    }
    if (pattern_.is_beginning_of(datagram, count + 1)) {
      ++count;
    } else {
      another = datagram;
    }
  }
  if (count != 0) {
    const Peer::Hold hold(sender, true);
    others_have_followed();
    PartFrame first = pattern_.part;
    first.offset += first.data.size();
    first.data = {data, first.data.size()};
    sender.link.receive_alike(count, first, bytes, now_ns);
    has_taken(sender, now_ns);
  }
  if (PacketHead head; !another.empty() && decode_head(another, &head))
    take_of(sender, head, another, now_ns);
  return left;
}

void UdpPort::receive_all(std::span<const Arrived> all, std::uint64_t now_ns) {
  for (taken_ = 0; taken_ < all.size(); ++taken_) {
    const Arrived& arrived = all[taken_];
    std::span<std::byte> left = arrived.bytes;
    while (!left.empty()) {
      std::size_t bytes = arrived.datagram_bytes;
      if (bytes == 0) {
        PacketHead head;
        if (decode_head(left, &head)) bytes = head.bytes + tag_bytes_;
        // No head, or one that says what cannot be: nobody knows where the next datagram would begin.
        if (bytes < kPacketHeadBytes + tag_bytes_) bytes = left.size();
      }
      bytes = std::min(bytes, left.size());
      is_alone_ = bytes == arrived.bytes.size();
      take(arrived.from, left.first(bytes), now_ns);
      left = left.subspan(bytes);
      if (pattern_of_ && !left.empty()) left = take_alike(left, now_ns);
    }
  }
}

void UdpPort::look_after_links(std::uint64_t now_ns, bool flush) {
  // How soon to try again where the socket takes no more: perhaps nothing else will wake anybody.
  constexpr std::uint64_t kFullSocketNs = 100'000;
  const std::lock_guard guard(active_lock_);
  is_dirty_.store(false, std::memory_order_relaxed);
  holds_back_.store(false, std::memory_order_relaxed);
  deadline_.begin_walk();
  adopt_woken();
  for (std::size_t i = 0; i < active_.size();) {
    Peer& peer = *active_[i];
    Link& link = peer.link;
    const Peer::Hold hold(peer, true);
    if (now_ns >= link.deadline_ns()) {
      link.set_ceiling(
          std::min(setup_.socket->largest_datagram(setup_.peers[link.peer()]), SendBatch::kLargestDatagram) -
          tag_bytes_);
      link.tick(now_ns);
    }
    transmit(peer, now_ns, flush);
    deadline_.lower(link.deadline_ns());
    if (link.is_idle() && !peer.unsent && !peer.has_refused()) {
      link.release_memory();
      if (LeftMessages* const left = peer.known_left()) left->release_memory();
      peer.is_active = false;
      active_[i] = active_.back();
      active_.pop_back();
    } else {
      ++i;
    }
  }
  if (is_dirty_.load(std::memory_order_relaxed)) deadline_.lower(now_ns + kFullSocketNs);
  deadline_.end_walk();
}

void UdpPort::report(Report& report) {
  switch (report.kind) {
    case Report::Kind::kArrived: {
      WaitingArrival& waiting = *report.arrival;
      alignas(16) std::byte header[kMaxHeader];
      std::memcpy(header, waiting.header.data(), waiting.header.size());
      told_ = waiting.is_borrowed ? &waiting : nullptr;
      client_->arrived({report.node,
                        {header, waiting.header.size()},
                        static_cast<std::size_t>(waiting.payload_bytes),
                        waiting.kind == RecordKind::kInline ? waiting.payload : nullptr,
                        reinterpret_cast<std::uint64_t>(&waiting),
                        waiting.buffer != nullptr});
      if (!std::exchange(told_, nullptr)) return;
      // If another thread has answered it, it is still no other arrival: those are made in looks.
      const Peer::Hold hold(*known_peer(report.node), true);
      if (waiting.is_answered) return;
      waiting.own.assign(waiting.payload, waiting.payload + waiting.payload_bytes);
      waiting.payload = waiting.own.data();
      return;
    }
    case Report::Kind::kLanded:
      return client_->landed(report.cookie, report.outcome);
    case Report::Kind::kSent:
      return client_->sent(report.cookie);
    case Report::Kind::kUndeliverable:
      return client_->undeliverable(report.cookie, report.node, report.header);
    case Report::Kind::kLost:
      return client_->lost(report.node);
  }
}

unsigned UdpPort::report_all(std::uint64_t now_ns) {
  unsigned reports = 0;
  while (reports < kMostReports && reports_.are_there()) {
    reports_.take(reporting_now_);
    reporting_.store(&current_context, std::memory_order_relaxed);
    for (Report& each : reporting_now_) {
      is_last_report_ = &each == &reporting_now_.back();
      report(each);
    }
    reporting_.store(nullptr, std::memory_order_relaxed);
    tell_answered();
    reports += static_cast<unsigned>(reporting_now_.size());
    reporting_now_.clear();
    kept_.clear();
    if (is_dirty_.load(std::memory_order_relaxed)) look_after_links(now_ns, false);
  }
  return reports;
}

unsigned UdpPort::look(bool on_time) {
  if (!turn_.try_lock()) return 0;
  const std::lock_guard guard(turn_, std::adopt_lock);
  const std::uint64_t looks = looks_.load(std::memory_order_relaxed) + 1;
  looks_.store(looks, std::memory_order_relaxed);
  const std::span<const Arrived> all = setup_.socket->receive();
  // A client that looks and has sent nothing since it last did waits for something.
  const bool waits = !has_sent_.load(std::memory_order_relaxed);
  if (!waits) has_sent_.store(false, std::memory_order_relaxed);
  const bool is_dirty = is_dirty_.load(std::memory_order_relaxed);
  const bool holds_back = holds_back_.load(std::memory_order_relaxed);
  // Most looks find nothing. Then the time is asked for only now and then: deadlines are far apart.
  const bool is_quiet = all.empty() && !is_dirty && !holds_back && !reports_.are_there();
  if (is_quiet && !on_time && looks % kLooksWithoutTime != 0) return 0;
  const std::uint64_t now_ns = clock_.now_ns();
  receive_all(all, now_ns);
  const bool flush = holds_back && waits;
  if (is_dirty_.load(std::memory_order_relaxed) || flush || now_ns >= deadline_ns())
    look_after_links(now_ns, flush);
  return report_all(now_ns);
}

void UdpPort::finish_sending(std::uint64_t most_ns) {
  // Others take a rank that leaves much later for one that does not.
  constexpr std::uint64_t kLongestNs = 300'000'000;
  // Nobody looks: this thread is in a report, which will not return.
  constexpr std::uint64_t kStandstillNs = 10'000'000;
  const auto is_settled = [this] {
    const std::lock_guard guard(active_lock_);
    adopt_woken();
    bool is_over = true;
    for (Peer* const peer : active_) {
      const Peer::Hold hold(*peer, false);
      peer->link.hurry();
      is_over = is_over && !peer->link.awaits_acknowledgement() && !peer->has_refused();
    }
    return is_over;
  };
  const std::uint64_t begin_ns = clock_.now_ns();
  std::uint64_t looks = looks_.load(std::memory_order_relaxed), looked_ns = begin_ns;
  for (std::uint64_t now_ns = begin_ns;
       now_ns - begin_ns < std::min(most_ns, kLongestNs) && !is_settled() && !job::everyone_leaves();
       now_ns = clock_.now_ns()) {
    // In a simulation nobody else needs the core.
    if (look(true) == 0 && setup_.is_watched) std::this_thread::yield();
    if (const std::uint64_t all = looks_.load(std::memory_order_relaxed); all != looks) {
      looks = all;
      looked_ns = now_ns;
    } else if (now_ns - looked_ns > kStandstillNs) {
      break;
    }
  }
  say_farewell();
}

void UdpPort::say_farewell() {
  if (!lock_unless_interrupted(active_lock_)) return;
  const std::lock_guard guard(active_lock_, std::adopt_lock);
  adopt_woken();
  const std::uint64_t now_ns = clock_.now_ns() + Link::kAckDelayNs;
  for (Peer* const peer : active_) {
    if (!lock_unless_interrupted(peer->lock)) continue;
    const Peer::Hold hold(*peer, false, std::adopt_lock);
    transmit(*peer, now_ns, true);
  }
  if (std::exchange(setup_.says_counters, false)) say_counters(setup_.self, counters(), link_memory());
}

template <class Visit>
void UdpPort::visit_peers(Visit&& visit) {
  for (std::atomic<Peer*>& each : peers_) {
    Peer* const peer = each.load(std::memory_order_acquire);
    if (!peer || !lock_unless_interrupted(peer->lock)) continue;
    const Peer::Hold hold(*peer, false, std::adopt_lock);
    visit(*peer);
  }
}

Counters UdpPort::counters() {
  Counters sum;
  {
    const std::lock_guard guard(counters_lock_);
    sum = counters_;
  }
  visit_peers([&](const Peer& peer) { sum += peer.counters; });
  return sum;
}

UdpPort::LinkMemory UdpPort::link_memory() {
  LinkMemory sum;
  visit_peers([&](const Peer& peer) {
    ++sum.links;
    sum.bytes += sizeof(Peer) + peer.link.memory_bytes();
    if (LeftMessages* const left = peer.known_left()) sum.bytes += left->memory_bytes();
  });
  return sum;
}

std::size_t UdpPort::peer_bytes() { return sizeof(Peer); }

}  // namespace aqueduct::fabric::udp
