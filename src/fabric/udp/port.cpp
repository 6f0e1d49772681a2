#include "fabric/udp/port.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/fatal.hpp"
#include "base/race_hints.hpp"
#include "fabric/pieces.hpp"
#include "fabric/udp/settings.hpp"
#include "job/place/activity.hpp"

namespace aqueduct::fabric::udp {
namespace {

constexpr std::uint64_t kLooksWithoutTime = 16;
/// Reports of which nobody has asked yet; beyond this senders must ask first.
constexpr std::size_t kMostEvents = 4096;

/// Ports may differ: a socket may send for another one.
bool is_same_host(const net::Address& a, const net::Address& b) {
  return a.family == b.family && a.host == b.host;
}

/// In one line, of those that are not 0.
void say_counters(NodeId self, const Counters& counters) {
  std::string line = "udp: rank " + std::to_string(self) + ":";
  counters.for_each([&](const char* name, const char*, std::uint64_t value) {
    if (value != 0) line += std::string(" ") + name + "=" + std::to_string(value);
  });
  std::fprintf(stderr, "%s\n", line.c_str());
}

constexpr std::uint64_t name_of(std::uint32_t slot, std::uint32_t generation) {
  return std::uint64_t{generation} << 32 | slot;
}

}  // namespace

UdpPort::UdpPort(PortSetup setup, Clock& clock)
    : setup_(std::move(setup)),
      clock_(clock),
      tag_bytes_(setup_.seal ? setup_.seal->tag_bytes() : 0),
      links_(setup_.peers.size()),
      is_active_(setup_.peers.size()),
      batch_(setup_.seal.get()) {}

UdpPort::~UdpPort() { say_farewell(); }

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

Link& UdpPort::link(NodeId node) {
  if (!links_[node]) {
    const std::size_t largest =
        std::min(setup_.socket->largest_datagram(setup_.peers[node]), SendBatch::kLargestDatagram) -
        tag_bytes_;
    const auto room =
        static_cast<std::uint32_t>(std::min<std::size_t>(setup_.socket->receive_room(), 1u << 30));
    LinkOwner& owner = *this;
    links_[node] =
        std::make_unique<Link>(setup_.links, Link::Names{setup_.job, setup_.plane, setup_.self, node},
                               largest, room, owner, counters_);
  }
  return *links_[node];
}

void UdpPort::activate(Link& link) {
  if (is_active_[link.peer()]) return;
  is_active_[link.peer()] = true;
  active_.push_back(&link);
}

Post UdpPort::send(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
                   const Place* place, Release release, std::uint64_t cookie) {
  const std::lock_guard guard(lock_);
  if (events_.size() >= kMostEvents) return Post::kRetry;
  Link& to = link(target);
  ++sends_;
  if (!to.send(header, payload, total_bytes(payload), place, release, cookie)) return Post::kRetry;
  activate(to);
  if (is_reporting_) {
    is_dirty_ = true;
    to.release_payload();
    return Post::kDone;
  }
  const std::uint64_t now_ns = clock_.now_ns();
  transmit(to, now_ns, false);
  // Behind the transmission: the target takes the datagrams meanwhile.
  to.release_payload();
  deadline_ns_.store(std::min(deadline_ns(), to.deadline_ns()), std::memory_order_relaxed);
  return Post::kDone;
}

void UdpPort::expose(const Piece& memory) {
  const std::lock_guard guard(lock_);
  places_.expose(memory);
}

std::uint64_t UdpPort::post(NodeId source, const Piece& where) {
  const std::lock_guard guard(lock_);
  return places_.post(source, where);
}

void UdpPort::withdraw(std::uint64_t place) {
  const std::lock_guard guard(lock_);
  places_.withdraw(place);
}

void UdpPort::transmit(Link& link, std::uint64_t now_ns, bool flush) {
  const NodeId peer = link.peer();
  const net::Address address = setup_.peers[peer];
  for (bool has_more = true; has_more;) {
    if (batch_.is_empty() || !batch_.is_full()) {
      BuiltDatagram built;
      has_more = link.build(now_ns, flush, batch_.room(), &built);
      if (has_more) {
        batch_.add(address, {setup_.self, peer, built.number}, built);
        if (!batch_.is_full()) continue;
      }
    }
    others_may_follow();
    if (!batch_.is_empty() && !batch_.flush(*setup_.socket)) {
      ++counters_.socket_full;
      is_dirty_ = true;
      return;
    }
  }
  if (link.holds_back()) holds_back_ = true;
}

void UdpPort::accept(std::uint64_t id, std::span<const Piece> where, std::size_t keep_bytes,
                     std::uint64_t cookie) {
  const std::lock_guard guard(lock_);
  WaitingArrival& waiting = arrival(id);
  Link& from = *links_[waiting.source];
  if (waiting.kind == RecordKind::kInline) {
    if (keep_bytes != 0) PieceWalk(where).scatter(waiting.payload, keep_bytes);
    landed(cookie, Outcome::kOk);
  } else {
    from.accept(waiting.transfer, where, keep_bytes, cookie);
    if (keep_bytes == 0) landed(cookie, Outcome::kOk);
  }
  free_arrival(waiting, static_cast<std::uint32_t>(id));
}

void UdpPort::discard(std::uint64_t id) {
  const std::lock_guard guard(lock_);
  WaitingArrival& waiting = arrival(id);
  if (waiting.kind == RecordKind::kLarge) links_[waiting.source]->accept(waiting.transfer, {}, 0, 0);
  free_arrival(waiting, static_cast<std::uint32_t>(id));
}

void UdpPort::free_arrival(WaitingArrival& waiting, std::uint32_t slot) {
  Link& from = *links_[waiting.source];
  from.release(waiting.record_bytes);
  buffers_.give_back(std::move(waiting.buffer));
  waiting.is_in_use = false;
  ++waiting.generation;
  free_arrivals_.push_back(slot);
  if (is_reporting_) {
    if (!from.has_answers()) return;
    activate(from);
    is_dirty_ = true;
    return;
  }
  const std::uint64_t now_ns = clock_.now_ns();
  if (!from.wants_to_send(now_ns, false)) return;
  activate(from);
  transmit(from, now_ns, false);
  deadline_ns_.store(std::min(deadline_ns(), from.deadline_ns()), std::memory_order_relaxed);
}

UdpPort::WaitingArrival& UdpPort::new_arrival(Link& link) {
  std::uint32_t slot;
  if (free_arrivals_.empty()) {
    slot = static_cast<std::uint32_t>(arrivals_.size());
    arrivals_.emplace_back();
  } else {
    slot = free_arrivals_.back();
    free_arrivals_.pop_back();
  }
  WaitingArrival& waiting = arrivals_[slot];
  waiting.is_in_use = true;
  waiting.source = link.peer();
  events_.push_back({.kind = Event::Kind::kArrived, .node = link.peer(), .slot = slot, .header = {}});
  return waiting;
}

void UdpPort::message_came(Link& link, const MessageRecord& record) {
  WaitingArrival& waiting = new_arrival(link);
  waiting.is_borrowed = record.kind == RecordKind::kInline && record.payload_bytes != 0;
  waiting.kind = record.kind;
  waiting.transfer = record.transfer;
  waiting.payload_bytes = record.payload_bytes;
  waiting.header = record.header;
  waiting.payload = record.payload;
  waiting.record_bytes = record.bytes;
}

void UdpPort::message_placed(Link& link, ArrivingMessage& message) {
  if (message.place.kind == Place::Kind::kPosted) places_.withdraw(message.place.at);
  WaitingArrival& waiting = new_arrival(link);
  waiting.is_borrowed = false;
  waiting.buffer = std::move(message.buffer);
  waiting.kind = RecordKind::kInline;
  waiting.payload_bytes = message.payload_bytes;
  std::memcpy(waiting.own_header.data(), message.header.data(), message.header_bytes);
  waiting.header = {waiting.own_header.data(), message.header_bytes};
  waiting.payload = message.payload;
  waiting.record_bytes = 0;
}

void UdpPort::landed(std::uint64_t cookie, Outcome outcome) {
  events_.push_back({.kind = Event::Kind::kLanded, .outcome = outcome, .cookie = cookie, .header = {}});
}

void UdpPort::sent(std::uint64_t cookie) {
  if (cookie == kNoReport) return;
  events_.push_back({.kind = Event::Kind::kSent, .cookie = cookie, .header = {}});
}

void UdpPort::undeliverable(NodeId peer, std::uint64_t cookie, std::span<const std::byte> header) {
  events_.push_back({.kind = Event::Kind::kUndeliverable,
                     .node = peer,
                     .cookie = cookie,
                     .header = {header.begin(), header.end()}});
}

Silence UdpPort::silence(NodeId node) {
  if (node >= setup_.peers.size()) return {};
  const std::lock_guard guard(lock_);
  Silence silence;
  silence.address = setup_.peers[node].text();
  if (!links_[node] || !links_[node]->is_dead()) return silence;
  silence.ns = clock_.now_ns() - links_[node]->silent_since_ns();
  silence.setting = kTimeoutVariable;
  return silence;
}

void UdpPort::lost(NodeId peer) {
  events_.push_back({.kind = Event::Kind::kLost, .node = peer, .header = {}});
  batch_.clear();  // it may refer to memory that is the client's again; what is lost by that goes again
}

void UdpPort::take(const net::Address& from, std::span<std::byte> datagram, std::uint64_t now_ns) {
  PacketHead head;
  if (datagram.size() < kPacketHeadBytes + tag_bytes_ || !decode_head(datagram, &head) ||
      head.bytes + tag_bytes_ != datagram.size()) {
    ++counters_.dropped_short;
    return;
  }
  if (head.version != kPacketVersion) {
    ++counters_.dropped_version;
    return;
  }
  if (head.job != setup_.job || head.plane != static_cast<std::uint8_t>(setup_.plane) ||
      head.target != setup_.self || head.sender >= setup_.peers.size()) {
    ++counters_.dropped_stray;
    return;
  }
  // Before anything else is believed, numbers included: a stranger moves no counter but dropped_forged.
  const bool is_believed =
      setup_.seal && tag_bytes_ != 0
          ? setup_.seal->open({head.sender, head.target, head.number}, datagram, kPacketHeadBytes)
          : is_same_host(from, setup_.peers[head.sender]);
  if (!is_believed) {
    ++counters_.dropped_forged;
    return;
  }
  const Link* const known = links_[head.sender].get();
  switch (known ? known->judge(head.number) : ReceivedNumbers().judge(head.number)) {
    case ReceivedNumbers::Verdict::kNew:
      break;
    case ReceivedNumbers::Verdict::kDuplicate:
      ++counters_.dropped_duplicate;
      return retried(head.sender, observe::Retry::kTwice);
    case ReceivedNumbers::Verdict::kTooOld:
      ++counters_.dropped_old;
      return;
    case ReceivedNumbers::Verdict::kTooFar:
      ++counters_.dropped_far;
      return;
  }
  Frames frames;
  if (!decode_frames(datagram.subspan(kPacketHeadBytes, datagram.size() - kPacketHeadBytes - tag_bytes_),
                     &frames)) {
    ++counters_.dropped_malformed;
    return;
  }
  others_have_followed();
  Link& sender = link(head.sender);
  sender.receive(head.number, frames, now_ns);
  activate(sender);
  if (sender.wants_to_send(now_ns, false)) is_dirty_ = true;
  deadline_ns_.store(std::min(deadline_ns(), sender.deadline_ns()), std::memory_order_relaxed);
}

void UdpPort::receive_all(std::span<const Arrived> all, std::uint64_t now_ns) {
  for (const Arrived& arrived : all) {
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
      take(arrived.from, left.first(bytes), now_ns);
      left = left.subspan(bytes);
    }
  }
}

void UdpPort::look_after_links(std::uint64_t now_ns, bool flush) {
  // How soon to try again where the socket takes no more: perhaps nothing else will wake anybody.
  constexpr std::uint64_t kFullSocketNs = 100'000;
  if (!batch_.is_empty() && !batch_.flush(*setup_.socket)) {
    deadline_ns_.store(std::min(deadline_ns(), now_ns + kFullSocketNs), std::memory_order_relaxed);
    return;
  }
  is_dirty_ = false;
  holds_back_ = false;
  std::uint64_t deadline = Link::kNever;
  for (std::size_t i = 0; i < active_.size();) {
    Link& link = *active_[i];
    if (now_ns >= link.deadline_ns()) {
      link.set_ceiling(
          std::min(setup_.socket->largest_datagram(setup_.peers[link.peer()]), SendBatch::kLargestDatagram) -
          tag_bytes_);
      link.tick(now_ns);
    }
    if (batch_.is_empty()) transmit(link, now_ns, flush);
    deadline = std::min(deadline, link.deadline_ns());
    if (link.is_idle()) {
      is_active_[link.peer()] = false;
      active_[i] = active_.back();
      active_.pop_back();
    } else {
      ++i;
    }
  }
  if (is_dirty_) deadline = std::min(deadline, now_ns + kFullSocketNs);
  deadline_ns_.store(deadline, std::memory_order_relaxed);
}

void UdpPort::report(Event& event) {
  switch (event.kind) {
    case Event::Kind::kArrived: {
      WaitingArrival& waiting = arrivals_[event.slot];
      alignas(16) std::byte header[kMaxHeader];
      std::memcpy(header, waiting.header.data(), waiting.header.size());
      const std::uint32_t generation = waiting.generation;
      client_->arrived({waiting.source,
                        {header, waiting.header.size()},
                        static_cast<std::size_t>(waiting.payload_bytes),
                        waiting.kind == RecordKind::kInline ? waiting.payload : nullptr,
                        name_of(event.slot, generation),
                        waiting.buffer != nullptr});
      const std::lock_guard guard(lock_);
      if (!waiting.is_in_use || waiting.generation != generation || !waiting.is_borrowed) return;
      waiting.own.assign(waiting.payload, waiting.payload + waiting.payload_bytes);
      waiting.payload = waiting.own.data();
      waiting.is_borrowed = false;
      return;
    }
    case Event::Kind::kLanded:
      return client_->landed(event.cookie, event.outcome);
    case Event::Kind::kSent:
      return client_->sent(event.cookie);
    case Event::Kind::kUndeliverable:
      return client_->undeliverable(event.cookie, event.node, event.header);
    case Event::Kind::kLost:
      return client_->lost(event.node);
  }
}

unsigned UdpPort::report_events() {
  unsigned reports = 0;
  for (Event& event : reporting_) {
    report(event);
    ++reports;
  }
  reporting_.clear();
  return reports;
}

unsigned UdpPort::look(bool on_time) {
  if (!turn_.try_lock()) return 0;
  const std::uint64_t looks = looks_.load(std::memory_order_relaxed) + 1;
  looks_.store(looks, std::memory_order_relaxed);
  lock_.lock();
  const std::span<const Arrived> all = setup_.socket->receive();
  // Most looks find nothing. Then the time is asked for only now and then: deadlines are far apart.
  const bool is_quiet = all.empty() && !is_dirty_ && !holds_back_ && events_.empty();
  if (is_quiet && !on_time && looks % kLooksWithoutTime != 0) {
    sends_ = 0;
    lock_.unlock();
    turn_.unlock();
    return 0;
  }
  const std::uint64_t now_ns = clock_.now_ns();
  receive_all(all, now_ns);
  // A client that looks and has sent nothing since it last did waits for something.
  const bool flush = holds_back_ && sends_ == 0;
  sends_ = 0;
  if (is_dirty_ || flush || now_ns >= deadline_ns()) look_after_links(now_ns, flush);
  unsigned reports = 0;
  while (!events_.empty()) {
    reporting_.swap(events_);
    is_reporting_ = true;
    lock_.unlock();
    reports += report_events();
    lock_.lock();
    is_reporting_ = false;
    kept_.clear();
    if (is_dirty_) look_after_links(now_ns, false);
    if (reports >= kMostEvents) break;
  }
  lock_.unlock();
  turn_.unlock();
  return reports;
}

void UdpPort::finish_sending(std::uint64_t most_ns) {
  // Others take a rank that leaves much later for one that does not.
  constexpr std::uint64_t kLongestNs = 300'000'000;
  // Nobody looks: this thread is in a report, which will not return.
  constexpr std::uint64_t kStandstillNs = 10'000'000;
  const auto is_settled = [this] {
    const std::lock_guard guard(lock_);
    for (Link* const link : active_) link->hurry();
    return std::none_of(active_.begin(), active_.end(),
                        [](const Link* link) { return link->awaits_acknowledgement(); });
  };
  const std::uint64_t begin_ns = clock_.now_ns();
  std::uint64_t looks = looks_.load(std::memory_order_relaxed), looked_ns = begin_ns;
  for (std::uint64_t now_ns = begin_ns;
       now_ns - begin_ns < std::min(most_ns, kLongestNs) && !is_settled() && !job::everyone_leaves();
       now_ns = clock_.now_ns()) {
    if (look(true) == 0) std::this_thread::yield();
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
  // The watcher is inside for moments; a thread that was interrupted while it was inside stays there.
  constexpr int kMostTries = 1000;
  for (int tries = 0; !lock_.try_lock(); ++tries) {
    if (tries == kMostTries) return;
    std::this_thread::yield();
  }
  const std::lock_guard guard(lock_, std::adopt_lock);
  const std::uint64_t now_ns = clock_.now_ns() + Link::kAckDelayNs;
  for (Link* const link : active_) transmit(*link, now_ns, true);
  if (std::exchange(setup_.says_counters, false)) say_counters(setup_.self, counters_);
}

Counters UdpPort::counters() {
  const std::lock_guard guard(lock_);
  return counters_;
}

}  // namespace aqueduct::fabric::udp
