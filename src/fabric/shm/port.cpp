#include "fabric/shm/port.hpp"

#include <bit>

#include "base/fatal.hpp"
#include "base/fence.hpp"
#include "base/race_hints.hpp"

namespace aqueduct::fabric::shm {
namespace {

/// Sends whose memory is free but of whom nobody has asked yet; beyond this the sender must ask first.
constexpr std::size_t kMostUnreported = 1024;

/// Messages from one node that are reported before the others have their turn.
constexpr unsigned kAtOnce = 16;

std::size_t doorbell_bytes(NodeId nodes) { return round_up(nodes * sizeof(Doorbell), kPage); }

/// Ends the job: what `writer` alone writes has a value that it cannot have written.
[[noreturn]] void refuse_corruption(NodeId writer, const char* what) {
  fatal("fabric", "shared memory is corrupted where node %u writes: %s; look for a stray write in node %u",
        writer, what, writer);
}

/// For each node, a set of those that have ever sent to it.
std::size_t senders_words(NodeId nodes) { return round_up(nodes, 512) / 64; }
std::size_t senders_bytes(NodeId nodes) {
  return round_up(nodes * senders_words(nodes) * sizeof(std::uint64_t), kPage);
}

constexpr std::uint64_t arrival_id(NodeId source, std::uint32_t slot) {
  return std::uint64_t{source} * kSlots + slot;
}

}  // namespace

ShmPort::ShmPort(std::byte* memory, NodeId self, NodeId nodes)
    : self_(self),
      nodes_(nodes),
      doorbells_(reinterpret_cast<Doorbell*>(memory)),
      senders_(reinterpret_cast<std::atomic<std::uint64_t>*>(memory + doorbell_bytes(nodes))),
      pairs_(reinterpret_cast<Pair*>(memory + doorbell_bytes(nodes) + senders_bytes(nodes))),
      writers_(std::make_unique<Writer[]>(nodes)),
      readers_(std::make_unique<Reader[]>(nodes)) {
  register_for_heavy_fences();
  for (NodeId node = 0; node < nodes_; ++node) {
    writers_[node].open(pair(node, self_));
    readers_[node].open(pair(self_, node));
  }
}

std::size_t ShmPort::bytes_for(NodeId nodes) {
  return doorbell_bytes(nodes) + senders_bytes(nodes) + std::size_t{nodes} * nodes * sizeof(Pair);
}

Pair* ShmPort::pair(NodeId reader, NodeId writer) const {
  return pairs_ + std::size_t{reader} * nodes_ + writer;
}

Traits ShmPort::traits() const {
  return {.nodes = nodes_, .ordered = true, .inline_bytes = kBesideBytes, .copied_bytes = kBesideBytes};
}

Post ShmPort::send(NodeId target, std::span<const std::byte> header, std::span<const Piece> payload,
                   std::uint64_t cookie) {
  if (unreported_.load(std::memory_order_relaxed) >= kMostUnreported) return Post::kRetry;
  const std::size_t bytes = total_bytes(payload);
  Writer& writer = writers_[target];
  writer.lock.lock();
  const bool is_first = writer.has_sent_nothing();
  const bool is_lost = writer.is_given_up();
  const bool is_written = is_lost || writer.send(header, payload, bytes, cookie);
  if (is_first) [[unlikely]]
    introduce(target);
  writer.lock.unlock();
  if (!is_written) return Post::kRetry;
  if (bytes > kBesideBytes && !is_lost) {
    large_to_send_.fetch_add(1, std::memory_order_relaxed);
  } else {
    lock_.lock();
    sent_.push_back(cookie);
    unreported_.store(unreported_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    lock_.unlock();
  }
  doorbells_[target].ring_if_needed();
  return Post::kDone;
}

void ShmPort::introduce(NodeId target) {
  std::atomic<std::uint64_t>& word = senders_[target * senders_words(nodes_) + self_ / 64];
  word.fetch_or(std::uint64_t{1} << self_ % 64, std::memory_order_release);
}

template <class Visit>
void ShmPort::for_each_sender(NodeId first, NodeId end, const Visit& visit) {
  const std::atomic<std::uint64_t>* const words = senders_ + self_ * senders_words(nodes_);
  for (NodeId base = first / 64 * 64; base < end; base += 64) {
    std::uint64_t set = words[base / 64].load(std::memory_order_acquire);
    if (base < first) set &= ~std::uint64_t{0} << first % 64;
    if (end - base < 64) set &= ~(~std::uint64_t{0} << (end - base));
    for (; set != 0; set &= set - 1) visit(base + static_cast<NodeId>(std::countr_zero(set)));
  }
}

void ShmPort::free_slot(NodeId source, std::uint32_t slot) {
  // A writer that waits for room, and one whose larger payload is refused, may be asleep.
  const bool is_large = readers_[source].look(slot).payload == nullptr;
  if (readers_[source].answer_taken(slot) || is_large) doorbells_[source].ring_if_needed();
}

void ShmPort::accept(std::uint64_t arrival, std::span<const Piece> where, std::size_t keep_bytes,
                     std::uint64_t cookie) {
  const auto source = static_cast<NodeId>(arrival / kSlots);
  const auto slot = static_cast<std::uint32_t>(arrival % kSlots);
  const Taken taken = readers_[source].look(slot);
  if (!taken.payload && keep_bytes != 0) return await_payload(source, slot, where, keep_bytes, cookie);
  if (keep_bytes != 0) PieceWalk(where).scatter(taken.payload, keep_bytes);
  free_slot(source, slot);
  lock_.lock();
  landed_.push_back(cookie);
  unreported_.store(unreported_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  lock_.unlock();
}

void ShmPort::await_payload(NodeId source, std::uint32_t slot, std::span<const Piece> where,
                            std::size_t bytes, std::uint64_t cookie) {
  lock_.lock();
  std::uint32_t name;
  if (free_landings_.empty()) {
    name = static_cast<std::uint32_t>(landings_.size());
    landings_.emplace_back();
  } else {
    name = free_landings_.back();
    free_landings_.pop_back();
  }
  Landing& landing = landings_[name];
  landing.source = source;
  landing.left = bytes;
  landing.cookie = cookie;
  landing.pieces.assign(where.begin(), where.end());
  landing.walk = PieceWalk(landing.pieces);
  landing_count_.fetch_add(1, std::memory_order_relaxed);
  lock_.unlock();
  readers_[source].answer_go(slot, {name, bytes});
  doorbells_[source].ring_if_needed();
}

void ShmPort::discard(std::uint64_t arrival) {
  free_slot(static_cast<NodeId>(arrival / kSlots), static_cast<std::uint32_t>(arrival % kSlots));
}

unsigned ShmPort::take_messages(NodeId source) {
  Taken taken;
  unsigned reports = 0;
  while (reports < kAtOnce && readers_[source].take(&taken)) {
    message_came(&writers_[source]);
    others_have_followed();
    if (taken.header.size() > kMaxHeader) [[unlikely]]
      refuse_corruption(source, "a message has a header of more bytes than there are");
    client_->arrived(
        {source, taken.header, taken.payload_bytes, taken.payload, arrival_id(source, taken.slot)});
    ++reports;
  }
  return reports;
}

void ShmPort::take_chunks(NodeId source) {
  Reader& reader = readers_[source];
  TakenChunk chunk;
  bool has_taken = false;
  while (reader.take_chunk(&chunk)) {
    lock_.lock();
    Landing* const landing = chunk.landing < landings_.size() ? &landings_[chunk.landing] : nullptr;
    lock_.unlock();
    if (!landing || landing->source != source || chunk.data.size() > landing->left) {
      fatal("fabric", "node %u sent a part of a payload that was not asked for", source);
    }
    if (chunk.data.size() > kChunkBytes) refuse_corruption(source, "a part of a payload is too large");
    others_have_followed();
    landing->walk.scatter(chunk.data.data(), chunk.data.size());
    landing->left -= chunk.data.size();
    if (landing->left == 0) {
      landing_count_.fetch_sub(1, std::memory_order_relaxed);
      lock_.lock();
      landed_.push_back(landing->cookie);
      free_landings_.push_back(static_cast<std::uint32_t>(chunk.landing));
      unreported_.store(unreported_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      lock_.unlock();
    }
    reader.done_with_chunk();
    has_taken = true;
  }
  if (has_taken) doorbells_[source].ring_if_needed();
}

unsigned ShmPort::advance_large() {
  unsigned reports = 0;
  for (NodeId target = 0; target < nodes_; ++target) {
    Writer& writer = writers_[target];
    if (!writer.has_large()) continue;
    to_report_.clear();
    writer.lock.lock();
    const bool has_written = writer.advance(to_report_);
    writer.lock.unlock();
    if (writer.is_corrupted()) refuse_corruption(target, "it asks for a payload of more bytes than was sent");
    if (has_written) doorbells_[target].ring_if_needed();
    large_to_send_.fetch_sub(static_cast<std::uint32_t>(to_report_.size()), std::memory_order_relaxed);
    for (const std::uint64_t cookie : to_report_) client_->sent(cookie);
    reports += static_cast<unsigned>(to_report_.size());
  }
  return reports;
}

// What send() and accept() have left to be reported.
unsigned ShmPort::report() {
  to_report_.clear();
  lock_.lock();
  to_report_.swap(sent_);
  const std::size_t sent_count = to_report_.size();
  to_report_.insert(to_report_.end(), landed_.begin(), landed_.end());
  landed_.clear();
  unreported_.store(0, std::memory_order_relaxed);
  lock_.unlock();
  for (std::size_t i = 0; i < to_report_.size(); ++i) {
    if (i < sent_count) {
      client_->sent(to_report_[i]);
    } else {
      client_->landed(to_report_[i], Outcome::kOk);
    }
  }
  return static_cast<unsigned>(to_report_.size());
}

void ShmPort::forget(NodeId node) {
  std::vector<std::uint64_t> given_up;
  Writer& writer = writers_[node];
  writer.lock.lock();
  writer.give_up(given_up);
  writer.lock.unlock();
  const auto count = static_cast<std::uint32_t>(given_up.size());
  large_to_send_.fetch_sub(count, std::memory_order_relaxed);
  lock_.lock();
  sent_.insert(sent_.end(), given_up.begin(), given_up.end());
  unreported_.store(unreported_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  lock_.unlock();
}

unsigned ShmPort::progress() {
  if (!turn_.try_lock()) return 0;
  unsigned reports = 0;
  const auto take = [&](NodeId source) {
    reports += take_messages(source);
    if (landing_count_.load(std::memory_order_relaxed) != 0) take_chunks(source);
  };
  // Ourselves last: of all nodes we are the least likely to be waiting for an answer.
  for_each_sender(self_ + 1, nodes_, take);
  for_each_sender(0, self_ + 1, take);
  if (large_to_send_.load(std::memory_order_relaxed) != 0) reports += advance_large();
  if (unreported_.load(std::memory_order_relaxed) != 0) reports += report();
  turn_.unlock();
  return reports;
}

}  // namespace aqueduct::fabric::shm
