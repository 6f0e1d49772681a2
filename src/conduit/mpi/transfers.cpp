#include "conduit/mpi/transfers.hpp"

#include <mutex>

#include "base/spinning.hpp"

namespace aqueduct::conduit::mpi {
namespace {

/// Sources up to this size are copied if they must be given back at once.
constexpr std::size_t kMostCopiedSource = std::size_t{64} << 10;

}  // namespace

Transfers::Transfers(Endpoint& endpoint, RankId ranks, std::function<unsigned()> serve)
    : endpoint_(endpoint),
      window_(endpoint.session),
      serve_(std::move(serve)),
      unanswered_((ranks + kBlock - 1) / kBlock) {}

void Transfers::send_head(RankId peer, TransferHead head, const void* payload, std::size_t payload_bytes) {
  Stream::Buffer* const buffer = endpoint_.stream.take();
  head.credits = static_cast<std::uint8_t>(endpoint_.credits.take_owed(peer));
  std::byte* const bytes = buffer->bytes.get();
  std::memcpy(bytes, &head, sizeof head);
  if (payload_bytes != 0) std::memcpy(bytes + sizeof head, payload, payload_bytes);
  endpoint_.stream.send(buffer, sizeof head + payload_bytes, peer);
}

// Puts and gets of ours.

Post Transfers::put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
                    void* operation) {
  if (window_.takes_put(bytes)) {
    const std::lock_guard guard(endpoint_.session);
    window_.put(target, to, from, bytes);
    if (reuse == Reuse::kAtReturn) {
      window_.flush(target);
      done(operation);
    } else {
      window_.remember(target, {done, operation});
    }
    return Post::kDone;
  }
  std::uint32_t name;
  const bool must_return = reuse == Reuse::kAtReturn && !reuse.unreleased;
  {
    const std::lock_guard guard(endpoint_.session);
    if (!endpoint_.may_request(target, endpoint_.credits_of(bytes))) return Post::kRetry;
    TransferHead head{.address = reinterpret_cast<std::uint64_t>(to), .bytes = bytes};
    if (bytes <= kMostCopied) {
      Unanswered& waiting = unanswered(target);
      head.is_alone = waiting.puts.is_empty() && waiting.gets.is_empty();
      Operation& put = operations_.take();
      put = {.done = done, .argument = operation, .to = nullptr, .bytes = bytes, .target = target};
      waiting.puts.push(&put);
      send_head(target, head, from, bytes);
      return Post::kDone;
    }
    LargePut& put = large_puts_.create(&name);
    put.done = done;
    put.argument = operation;
    put.bytes = bytes;
    put.target = target;
    put.name = name;
    put.unreleased = reuse.unreleased;
    if (put.unreleased) put.unreleased->fetch_add(1, std::memory_order_relaxed);
    head.kind = HeadKind::kLargePut;
    head.operation = name;
    send_head(target, head, nullptr, 0);
    if (must_return && bytes <= kMostCopiedSource) {
      put.copy = copies_.take();
      from = std::memcpy(put.copy->room(bytes), from, bytes);
    }
    endpoint_.bulk.send(from, bytes, target, BulkTag::kAnnounced,
                        Bulk::AtEnd::call<&Transfers::has_left>(*this, put));
  }
  if (must_return && bytes > kMostCopiedSource) wait_until_sent(name);
  return Post::kDone;
}

Post Transfers::get(RankId target, void* to, const void* from, std::size_t bytes, Done done,
                    void* operation) {
  const std::lock_guard guard(endpoint_.session);
  if (window_.takes_get(bytes)) {
    window_.get(target, to, from, bytes);
    window_.remember(target, {done, operation});
    return Post::kDone;
  }
  if (!endpoint_.may_request(target, endpoint_.credits_of(bytes))) return Post::kRetry;
  TransferHead head{.kind = HeadKind::kGet, .address = reinterpret_cast<std::uint64_t>(from), .bytes = bytes};
  Operation& get = operations_.take();
  get = {.done = done, .argument = operation, .to = to, .bytes = bytes, .target = target};
  if (bytes <= kMostCopied) {
    Unanswered& waiting = unanswered(target);
    head.is_alone = waiting.puts.is_empty() && waiting.gets.is_empty();
    waiting.gets.push(&get);
    send_head(target, head, nullptr, 0);
    return Post::kDone;
  }
  head.kind = HeadKind::kLargeGet;
  send_head(target, head, nullptr, 0);
  endpoint_.bulk.receive(to, bytes, target, BulkTag::kAskedFor,
                         Bulk::AtEnd::call<&Transfers::has_come>(*this, get));
  return Post::kDone;
}

void Transfers::wait_until_sent(std::uint32_t name) {
  for (Spinning spinning;;) {
    {
      const std::lock_guard guard(endpoint_.session);
      const LargePut* const put = large_puts_.find(name);
      if (!put || put->is_sent) return;
    }
    if (serve_() == 0) {
      spinning.pause();
    } else {
      spinning.restart();
    }
  }
}

void Transfers::has_left(LargePut& put) {
  put.is_sent = true;
  if (put.copy) copies_.give_back(put.copy);
  if (put.unreleased) put.unreleased->fetch_sub(1, std::memory_order_release);
  if (put.is_answered) retire(put);
}

// The bytes have arrived, and MPI will soon say that they were sent, or has done so.
void Transfers::finish_large_put(RankId peer, const TransferHead& head) {
  LargePut* const put = large_puts_.find(head.operation);
  if (!put || put->target != peer || put->is_answered)
    Endpoint::malformed(peer, "it answers what was not asked");
  put->is_answered = true;
  if (put->is_sent) retire(*put);
}

void Transfers::retire(LargePut& put) {
  const Operation operation = put;
  large_puts_.retire(put.name);
  operation.finish();
}

void Transfers::has_come(Operation& get) {
  endpoint_.came_back(get.target, endpoint_.credits_of(get.bytes));
  get.finish();
  operations_.give_back(get);
}

void Transfers::finish_oldest(const Stream::Arrival& arrival) {
  AnswerHead head;
  if (!read_head(arrival.bytes(), &head)) Endpoint::malformed(arrival.source, "it is shorter than its head");
  endpoint_.came_back(arrival.source, 0u + head.credits + head.puts + head.gets);
  Unanswered& waiting = unanswered(arrival.source);
  for (unsigned left = head.puts; left != 0; --left) {
    if (waiting.puts.is_empty()) Endpoint::malformed(arrival.source, "it answers what was not asked");
    Operation& put = *waiting.puts.pop();
    put.finish();
    operations_.give_back(put);
  }
  std::span<const std::byte> bytes = arrival.bytes().subspan(sizeof head);
  for (unsigned left = head.gets; left != 0; --left) {
    if (waiting.gets.is_empty() || waiting.gets.first()->bytes > bytes.size())
      Endpoint::malformed(arrival.source, "it answers what was not asked");
    Operation& get = *waiting.gets.pop();
    std::memcpy(get.to, bytes.data(), get.bytes);
    bytes = bytes.subspan(get.bytes);
    get.finish();
    operations_.give_back(get);
  }
  if (!bytes.empty()) Endpoint::malformed(arrival.source, "it has not the size that its head says");
}

// Puts and gets of others.

void Transfers::take(const Stream::Arrival& arrival) {
  if (static_cast<HeadKind>(arrival.mark()) == HeadKind::kAnswer) {
    return finish_oldest(arrival);
  }
  TransferHead head;
  if (!read_head(arrival.bytes(), &head)) Endpoint::malformed(arrival.source, "it is shorter than its head");
  const std::span<const std::byte> bytes = arrival.bytes().subspan(sizeof head);
  if (bytes.size() != (head.kind == HeadKind::kPut ? head.bytes : 0))
    Endpoint::malformed(arrival.source, "it has not the size that its head says");
  const bool is_answer = head.kind == HeadKind::kLargePutDone;
  endpoint_.came_back(arrival.source, head.credits + (is_answer ? 1u : 0u));
  if (is_answer) {
    finish_large_put(arrival.source, head);
  } else {
    serve(arrival.source, head, bytes);
  }
}

void Transfers::serve(RankId peer, const TransferHead& head, std::span<const std::byte> bytes) {
  if (!endpoint_.segment.contains(head.address, head.bytes))
    Endpoint::malformed(peer, "a put or get leaves the segment");
  auto* const memory = reinterpret_cast<std::byte*>(head.address);
  const bool is_put = head.kind == HeadKind::kPut || head.kind == HeadKind::kLargePut;
  endpoint_.receiver.count_served(peer, is_put ? observe::TransferKind::kPut : observe::TransferKind::kGet);
  const unsigned credits = endpoint_.credits_of(head.bytes);
  switch (head.kind) {
    case HeadKind::kPut:
      if (credits > 1) endpoint_.credits.owe(peer, credits - 1);  // the answer takes them along
      room_in_answer(peer, 0);
      std::memcpy(memory, bytes.data(), bytes.size());
      ++answer_.head.puts;
      break;
    case HeadKind::kGet:
      if (head.bytes > kMostCopied) Endpoint::malformed(peer, "a get of this size has another form");
      std::memcpy(room_in_answer(peer, head.bytes), memory, head.bytes);
      if (credits > 1) endpoint_.credits.owe(peer, credits - 1);
      ++answer_.head.gets;
      break;
    case HeadKind::kLargePut: {
      Landing& landing = landings_.take();
      landing = {peer, head.operation, credits - 1};
      return endpoint_.bulk.receive(memory, head.bytes, peer, BulkTag::kAnnounced,
                                    Bulk::AtEnd::call<&Transfers::has_landed>(*this, landing));
    }
    default:
      return endpoint_.bulk.send(memory, head.bytes, peer, BulkTag::kAskedFor, Bulk::AtEnd::nothing());
  }
  if (head.is_alone) send_answer();
}

void Transfers::has_landed(Landing& landing) {
  endpoint_.credits.owe(landing.peer, landing.credits);  // they go along
  send_head(landing.peer, {.kind = HeadKind::kLargePutDone, .operation = landing.operation}, nullptr, 0);
  landings_.give_back(landing);
}

// Answers grow to this size, unless one get alone wants more.
std::byte* Transfers::room_in_answer(RankId peer, std::size_t bytes) {
  constexpr std::size_t kMostAnswer = 4096;
  constexpr unsigned kMostPuts = 32;
  if (answer_.buffer && (answer_.peer != peer || answer_.head.puts >= kMostPuts ||
                         (answer_.head.gets != 0 && answer_.bytes + bytes > kMostAnswer)))
    send_answer();
  if (!answer_.buffer) answer_ = {endpoint_.stream.take(), peer, {}, sizeof(AnswerHead)};
  std::byte* const room = answer_.buffer->bytes.get() + answer_.bytes;
  answer_.bytes += bytes;
  return room;
}

void Transfers::send_answer() {
  answer_.head.credits = static_cast<std::uint8_t>(endpoint_.credits.take_owed(answer_.peer));
  std::memcpy(answer_.buffer->bytes.get(), &answer_.head, sizeof answer_.head);
  Stream::Buffer* const buffer = answer_.buffer;
  answer_.buffer = nullptr;
  endpoint_.stream.send(buffer, answer_.bytes, answer_.peer);
}

}  // namespace aqueduct::conduit::mpi
