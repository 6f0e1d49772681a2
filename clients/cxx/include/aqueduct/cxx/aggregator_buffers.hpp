// The buffers of an aggregator (aggregator.hpp): which message goes into which, and when one is sent.
//
// A buffer is free, or open for one member, and then in a table by member and in a list by age. A buffer that
// is being sent is in neither, because functions that run meanwhile may open another one for the same member;
// one that got full in such a function waits until something may be sent.
#ifndef AQUEDUCT_CXX_AGGREGATOR_BUFFERS_HPP_
#define AQUEDUCT_CXX_AGGREGATOR_BUFFERS_HPP_

#include <memory>

#include "aqueduct/cxx/job.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

struct aggregator_statistics {
  std::uint64_t sent = 0;     // messages
  std::uint64_t run = 0;      // messages that have run here
  std::uint64_t packets = 0;  // that were sent, with the messages in them
  std::size_t buffers = 0;    // that have been needed at once
};

namespace detail {

class AggregatorBase : Idler {
 public:
  AggregatorBase(const AggregatorBase&) = delete;
  AggregatorBase& operator=(const AggregatorBase&) = delete;

  // Runs the messages in a packet.
  void deliver(std::span<const std::byte> packet) {
    reader from(packet.data(), packet.size());
    const int before = std::exchange(running_, 1);
    run_ += run_records(*this, from);
    running_ = before;
  }

 protected:
  AggregatorBase(team& members, std::size_t buffer_bytes, std::size_t buffers,
                 std::chrono::nanoseconds deadline)
      : members_(members),
        here_(context()),
        loop_(this_loop(here_)),
        me_(members.rank()),
        capacity_(std::clamp(buffer_bytes, std::size_t{256}, here_.largest_request)),
        allowed_(std::max(buffers, std::size_t{2})),
        deadline_ns_(static_cast<std::uint64_t>(deadline.count())),
        mask_(std::bit_ceil(2 * allowed_) - 1),
        slots_(mask_ + 1) {
    look = [](Idler* self) { return static_cast<AggregatorBase*>(self)->look_around(); };
    loop_.add(this);
  }
  ~AggregatorBase() {
    if (open_ || full_) fatal("an aggregator ends with messages that were not sent: co_await its quiesce()");
    loop_.remove(this);
  }

  // Where the next `size` bytes for a member go.
  [[gnu::always_inline]] std::byte* room(rank_t member, std::size_t size) {
    const Slot& slot = slots_[member & mask_];
    if (slot.member == member && slot.buffer && slot.buffer->used + size <= capacity_) [[likely]] {
      std::byte* const here = slot.buffer->bytes() + slot.buffer->used;
      slot.buffer->used += size;
      return here;
    }
    return other_room(member, size);
  }

  void flush() {
    not_in_handler(here_, "flush()");
    while (open_ || full_) {
      if (full_) {
        send_full();
      } else {
        send(close(oldest_));
      }
    }
  }

  aggregator_statistics statistics() const { return {sent_, run_, packets_, allocated_.size()}; }

  team& members_;
  Context& here_;
  std::uint64_t sent_ = 0;
  std::uint64_t run_ = 0;
  int running_ = 0;  // whether a function runs, so that messages to oneself must not run inside it
  rank_t me() const noexcept { return me_; }
  std::uint64_t name_in_packets_ = 0;
  std::uint64_t (*run_records)(AggregatorBase&, reader&) = nullptr;

 private:
  // What a packet begins with: the arguments of Deliver as they travel.
  struct Header {
    std::uint64_t name;
    std::uint64_t size;
  };
  struct Buffer {
    rank_t member;
    std::size_t used;
    std::uint64_t opened_ns;
    Buffer* older;
    Buffer* younger;  // in the list of free or full ones, the next
    alignas(8) std::byte begin[8];
    std::byte* bytes() noexcept { return begin; }
  };
  struct Slot {
    rank_t member = GEX_RANK_INVALID;
    Buffer* buffer = nullptr;
  };
  struct Deliver {
    void operator()(AggregatorBase& to, std::span<const std::byte> packet) const { to.deliver(packet); }
  };

  // Linear probing; a slot without a buffer ends a search.
  std::size_t place_of(rank_t member) const noexcept {
    std::size_t place = member & mask_;
    while (slots_[place].buffer && slots_[place].member != member) place = (place + 1) & mask_;
    return place;
  }
  void remove(std::size_t place) noexcept {
    for (std::size_t next = (place + 1) & mask_; slots_[next].buffer; next = (next + 1) & mask_) {
      // Whoever stands behind its own place may move to the gap, unless its place lies behind the gap.
      const std::size_t home = slots_[next].member & mask_;
      if (((next - home) & mask_) < ((next - place) & mask_)) continue;
      slots_[place] = slots_[next];
      place = next;
    }
    slots_[place] = Slot();
  }

  [[gnu::noinline]] std::byte* other_room(rank_t member, std::size_t size) {
    if (member >= members_.size()) fatal("a message to member %u of a team of %u", member, members_.size());
    if (sizeof(Header) + size > capacity_)
      fatal("a message of %zu bytes for buffers of %zu", size, capacity_);
    const bool may_send = HandlerDepth::get(here_) == 0 && running_ == 0;
    for (;;) {
      Slot& slot = slots_[place_of(member)];
      if (Buffer* const buffer = slot.buffer) {
        if (buffer->used + size <= capacity_) {
          std::byte* const here = buffer->bytes() + buffer->used;
          buffer->used += size;
          return here;
        }
        close(buffer);
        may_send ? send(buffer) : keep(buffer);
      } else if (open_ > mask_ / 2 || (may_send && open_ && !free_ && allocated_.size() >= allowed_)) {
        // At least half of the table stays empty, so that searches end soon.
        Buffer* const oldest = close(oldest_);
        may_send ? send(oldest) : keep(oldest);
      } else {
        open(member);
      }
    }
  }

  void open(rank_t member) {
    Buffer* buffer = free_;
    if (buffer) {
      free_ = buffer->younger;
    } else {
      allocated_.push_back(std::make_unique<std::byte[]>(sizeof(Buffer) + capacity_));
      buffer = new (allocated_.back().get()) Buffer;
    }
    buffer->member = member;
    buffer->used = sizeof(Header);
    buffer->opened_ns = aqueduct_sim_time_ns();
    buffer->older = youngest_;
    buffer->younger = nullptr;
    (youngest_ ? youngest_->younger : oldest_) = buffer;
    youngest_ = buffer;
    slots_[place_of(member)] = {member, buffer};
    if (open_++ == 0 && !full_) loop_.hurry(1);
  }
  Buffer* close(Buffer* buffer) {
    remove(place_of(buffer->member));
    (buffer->older ? buffer->older->younger : oldest_) = buffer->younger;
    (buffer->younger ? buffer->younger->older : youngest_) = buffer->older;
    if (--open_ == 0 && !full_) loop_.hurry(-1);
    return buffer;
  }
  void keep(Buffer* buffer) {
    if (!open_ && !full_) loop_.hurry(1);
    buffer->younger = full_;
    full_ = buffer;
  }
  void send_full() {
    Buffer* const buffer = full_;
    full_ = buffer->younger;
    if (!open_ && !full_) loop_.hurry(-1);
    send(buffer);
  }
  void send(Buffer* buffer) {
    const Header header = {name_in_packets_, buffer->used - sizeof(Header)};
    std::memcpy(buffer->bytes(), &header, sizeof header);
    ++packets_;
    request_call(here_, members_.job_rank(buffer->member), nullptr,
                 function_entry<Deliver, ObjectName<AggregatorBase>, std::span<const std::byte>>,
                 buffer->bytes(), buffer->used);
    buffer->younger = free_;
    free_ = buffer;
  }

  bool look_around() {
    bool found = false;
    while (full_) {
      send_full();
      found = true;
    }
    if (!open_ || ++looks_ % 16) return found;
    const std::uint64_t now_ns = aqueduct_sim_time_ns();
    while (open_ && oldest_->opened_ns + deadline_ns_ <= now_ns) {
      send(close(oldest_));
      found = true;
    }
    return found;
  }

  Loop& loop_;
  rank_t me_;
  std::size_t capacity_;
  std::size_t allowed_;
  std::uint64_t deadline_ns_;
  std::size_t mask_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<std::byte[]>> allocated_;
  Buffer* free_ = nullptr;
  Buffer* full_ = nullptr;
  Buffer* oldest_ = nullptr;
  Buffer* youngest_ = nullptr;
  std::size_t open_ = 0;
  std::uint64_t packets_ = 0;
  unsigned looks_ = 0;
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
