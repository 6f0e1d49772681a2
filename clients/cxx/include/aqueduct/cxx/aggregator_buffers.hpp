// The buffers of an aggregator (aggregator.hpp): which record goes into which, and when one is sent.
//
// A buffer is free, or open for one destination, and then in a table by destination and in a list by age. A
// buffer that is being sent is in neither, because functions that run meanwhile may open another one for the
// same destination; one that got full in such a function waits until something may be sent. A destination is
// a member, or a host: then records have a prefix that says whose they are, and go to one rank of the host,
// which puts them into its own buffers for its neighbours. This rank's own records have a buffer, too, so
// that there is no branch which nobody can predict; its records run when it is full.
//
// Where a program has several threads, one lock guards all this, and is free while something is sent or runs;
// another one lets functions run one packet at a time.
#ifndef AQUEDUCT_CXX_AGGREGATOR_BUFFERS_HPP_
#define AQUEDUCT_CXX_AGGREGATOR_BUFFERS_HPP_

#include <memory>

#include "aqueduct/cxx/job.hpp"

namespace aqueduct {
inline namespace AQ_CXX_ {

// How many messages bring a record to its rank. `two`: one to its host, to whichever rank there has this
// rank's place, and one within; for the job on hosts of equally many consecutive ranks, otherwise as `one`.
// `automatic`: two where they are possible and there are more than 128 members, or more than buffers.
enum class aggregator_hops { automatic, one, two };

struct aggregator_options {
  std::size_t buffer_bytes = 4096;             // of a message
  std::size_t buffers = 256;                   // of a rank
  std::chrono::nanoseconds deadline{200'000};  // how long a buffer may wait for more
  aggregator_hops hops = aggregator_hops::automatic;
};

struct aggregator_statistics {
  std::uint64_t sent = 0;        // messages
  std::uint64_t run = 0;         // messages that have run here
  std::uint64_t packets = 0;     // that were sent, with the messages in them
  std::size_t buffers = 0;       // that have been needed at once
  std::size_t memory_bytes = 0;  // of buffers and of the table that finds them
  int hops = 1;                  // at most, to another host
};

namespace detail {

class AggregatorBase : Idler, RecordReceiver {
 public:
  AggregatorBase(const AggregatorBase&) = delete;
  AggregatorBase& operator=(const AggregatorBase&) = delete;

 protected:
  // Runs records, which lie one after the other; answers how many have run. It may hold the last ones back,
  // and runs all that it holds when there are no further ones.
  using RunRecords = std::uint64_t (*)(AggregatorBase&, const std::byte* first, std::size_t bytes);

  // `record_bytes`: of each record, or 0 if they differ.
  AggregatorBase(team& members, const aggregator_options& options, std::size_t record_bytes, RunRecords run)
      : members_(members),
        here_(context()),
        loop_(this_loop(here_)),
        run_records_(run),
        record_bytes_(record_bytes),
        me_(members.rank()),
        size_(members.size()),
        capacity_(std::clamp(options.buffer_bytes, std::size_t{256}, here_.largest_request)),
        allowed_(std::max(options.buffers, std::size_t{2})),
        deadline_ns_(static_cast<std::uint64_t>(options.deadline.count())),
        mask_(static_cast<rank_t>(std::bit_ceil(2 * allowed_) - 1)),
        slots_(std::size_t{mask_} + 1) {
    const rank_t each = members.number() == 0 ? here_.ranks_per_neighbourhood : 0;
    if (each > 1 && each < size_ &&
        (options.hops == aggregator_hops::two ||
         (options.hops == aggregator_hops::automatic && size_ > std::min(allowed_, kManyMembers)))) {
      ranks_per_host_ = each;
      my_host_ = me_ / each;
    }
    // Members that no other destination can take the place of.
    if (ranks_per_host_ == 0 && size_ <= slots_.size()) places_of_their_own_ = size_;
    // Without a rest that no record fits in.
    if (record_bytes_ != 0 && ranks_per_host_ == 0)
      capacity_ -= capacity_ % std::min(record_bytes_, capacity_);
    look = [](Idler* self) { return static_cast<AggregatorBase*>(self)->look_around(); };
    receive = [](RecordReceiver* self, const std::byte* records, std::size_t bytes, bool is_for_host) {
      AggregatorBase& to = *static_cast<AggregatorBase*>(self);
      is_for_host ? to.pass_on({records, bytes}) : to.run({records, bytes});
    };
    loop_.add(this);
  }
  ~AggregatorBase() {
    if (open_ || full_ || held_)
      fatal("an aggregator ends with messages that were not sent: co_await its quiesce()");
    loop_.remove(this);
  }
  // When members know it by a name.
  void begin(std::uint64_t name) noexcept { name_ = name; }

  // Where the next `size` bytes for a member go, with lock() held until they are there.
  [[gnu::always_inline]] std::byte* room(rank_t member, std::size_t size) {
    Slot& slot = slots_[member & mask_];
    if (slot.key == member && size <= static_cast<std::size_t>(slot.end - slot.at)) [[likely]] {
      std::byte* const here = slot.at;
      slot.at = here + size;
      return here;
    }
    return other_room(member, size);
  }
  // The same for records of `record_bytes`, which fill a buffer to its end.
  [[gnu::always_inline]] std::byte* room_for_equal(rank_t member, std::size_t size) {
    if (member < places_of_their_own_) [[likely]] {
      Slot& slot = slots_[member];
      std::byte* const here = slot.at;
      if (here != slot.end) [[likely]] {
        slot.at = here + size;
        return here;
      }
    }
    return any_room(member, size);
  }
  SpinLock& lock() noexcept { return lock_; }
  // Records that differ are counted one by one.
  void count_one() noexcept { ++sent_; }

  void flush() {
    not_in_handler(here_, "flush()");
    const std::lock_guard hold(lock_);
    while (open_ || full_ || held_) {
      if (open_ || full_) {
        send(full_ ? take_full() : close(oldest_));
      } else {
        run_held();
      }
    }
  }

  aggregator_statistics statistics() {
    const std::lock_guard hold(lock_);
    std::uint64_t sent = sent_;
    if (record_bytes_) sent += closed_bytes_ / record_bytes_;
    for (Buffer* open = oldest_; open; open = open->younger) sent += records_in(open, slot_of(open).at);
    return {sent,
            run_,
            packets_,
            allocated_.size(),
            allocated_.size() * (sizeof(Buffer) + capacity_) + slots_.size() * sizeof(Slot),
            ranks_per_host_ ? 2 : 1};
  }

  // How many records are held back. In programs of one thread.
  std::size_t held_ = 0;

  // What packets know it by.
  RecordReceiver* receiver() noexcept { return this; }

  team& members_;

 private:
  // What a record begins with that goes to a host.
  struct Prefix {
    rank_t member;
    std::uint32_t size;
  };
  // So many have messages in two hops although each could have a buffer.
  static constexpr std::size_t kManyMembers = 128;
  using Key = std::uint64_t;  // of a destination: a member, or the number of members and a host
  static constexpr Key kNone = ~Key{0};
  struct Buffer {
    Key key;
    std::size_t used;       // once it is closed
    std::uint64_t seen_ns;  // when its rank has waited first since it was opened; 0: not yet
    Buffer* older;
    Buffer* younger;  // in the list of free or full ones, the next
    alignas(8) std::byte begin[8];
  };
  struct Slot {
    std::byte* at = nullptr;
    std::byte* end = nullptr;
    Key key = kNone;
    Buffer* buffer = nullptr;
  };

  // Messages often come from another core's cache: all of their lines are asked for at once.
  void run(std::span<const std::byte> packet) {
    constexpr std::size_t kLine = 64, kAtOnce = 16 * kLine;
    for (std::size_t at = kLine; at < std::min(packet.size(), kAtOnce); at += kLine)
      __builtin_prefetch(packet.data() + at);
    run_some(packet.data(), packet.size());
  }
  void run_some(const std::byte* records, std::size_t bytes) {
    const std::lock_guard one(run_lock_);
    try {
      run_ += run_records_(*this, records, bytes);
    } catch (...) {
      fatal("a function of an aggregator ended with an exception: %s",
            text_of(std::current_exception()).c_str());
    }
  }
  // Not in a handler.
  void run_held() {
    const HandlerDepth depth(here_);
    run_some(nullptr, 0);
  }
  // At a rank of the host that the records are for.
  void pass_on(std::span<const std::byte> packet) {
    const std::byte* at = packet.data();
    for (const std::byte* const end = at + packet.size(); at < end;) {
      Prefix record;
      std::memcpy(&record, at, sizeof record);
      at += sizeof record;
      if (record.member == me_) {
        run({at, record.size});
      } else {
        const std::lock_guard hold(lock_);
        std::memcpy(room(record.member, record.size), at, record.size);
        if (record_bytes_) --sent_;  // its sender has counted it, and this buffer will
      }
      at += record.size;
    }
  }

  // Linear probing; a slot without a buffer ends a search.
  std::size_t place_of(Key key) const noexcept {
    std::size_t place = key & mask_;
    while (slots_[place].buffer && slots_[place].key != key) place = (place + 1) & mask_;
    return place;
  }
  Slot& slot_of(const Buffer* open) noexcept { return slots_[place_of(open->key)]; }
  void remove(std::size_t place) noexcept {
    for (std::size_t next = (place + 1) & mask_; slots_[next].buffer; next = (next + 1) & mask_) {
      // Whoever stands behind its own place may move to the gap, unless its place lies behind the gap.
      const std::size_t home = slots_[next].key & mask_;
      if (((next - home) & mask_) < ((next - place) & mask_)) continue;
      slots_[place] = slots_[next];
      place = next;
    }
    slots_[place] = Slot();
  }

  [[gnu::noinline]] std::byte* any_room(rank_t member, std::size_t size) { return room(member, size); }
  [[gnu::noinline]] std::byte* other_room(rank_t member, std::size_t size) {
    if (member >= size_) fatal("a message to member %u of a team of %u", member, size_);
    if (ranks_per_host_ && member / ranks_per_host_ != my_host_) {
      std::byte* const there = room_for(Key{size_} + member / ranks_per_host_, sizeof(Prefix) + size);
      const Prefix prefix = {member, static_cast<std::uint32_t>(size)};
      std::memcpy(there, &prefix, sizeof prefix);
      return there + sizeof prefix;
    }
    return room_for(member, size);
  }
  std::byte* room_for(Key key, std::size_t size) {
    if (size > capacity_) fatal("a message of %zu bytes for buffers of %zu", size, capacity_);
    const bool may_send = HandlerDepth::get(here_) == 0;
    for (;;) {
      Slot& slot = slots_[place_of(key)];
      if (slot.buffer && size <= static_cast<std::size_t>(slot.end - slot.at)) {
        std::byte* const here = slot.at;
        slot.at = here + size;
        return here;
      }
      if (may_send && full_) {
        send(take_full());
      } else if (slot.buffer && may_send && (free_ || allocated_.size() < allowed_)) {
        send(exchange(slot));
      } else if (slot.buffer) {
        put_away(slot.buffer, may_send);
      } else if (open_ > mask_ / 2 || (may_send && open_ && !free_ && allocated_.size() >= allowed_)) {
        // At least half of the table stays empty, so that searches end soon.
        put_away(oldest_, may_send);
      } else {
        open(key);
      }
    }
  }
  void put_away(Buffer* buffer, bool may_send) {
    close(buffer);
    if (may_send) return send(buffer);
    if (!open_ && !full_) loop_.hurry(1);
    buffer->younger = full_;
    full_ = buffer;
  }

  void open(Key key) {
    begin_in(slots_[place_of(key)], key);
    if (open_++ == 0 && !full_) loop_.hurry(1);
  }
  Buffer* close(Buffer* buffer) {
    const std::size_t place = place_of(buffer->key);
    end_in(slots_[place]);
    remove(place);
    if (--open_ == 0 && !full_) loop_.hurry(-1);
    return buffer;
  }
  // Gives an open destination a new buffer, which is the youngest; answers the one that it had.
  Buffer* exchange(Slot& slot) {
    Buffer* const before = slot.buffer;
    end_in(slot);
    begin_in(slot, before->key);
    return before;
  }
  void begin_in(Slot& slot, Key key) {
    Buffer* buffer = free_;
    if (buffer) {
      free_ = buffer->younger;
    } else {
      allocated_.push_back(std::make_unique<std::byte[]>(sizeof(Buffer) + capacity_));
      buffer = new (allocated_.back().get()) Buffer;
    }
    buffer->key = key;
    buffer->seen_ns = 0;
    buffer->older = youngest_;
    buffer->younger = nullptr;
    (youngest_ ? youngest_->younger : oldest_) = buffer;
    youngest_ = buffer;
    slot = {buffer->begin, buffer->begin + capacity_, key, buffer};
  }
  void end_in(Slot& slot) {
    Buffer* const buffer = slot.buffer;
    buffer->used = static_cast<std::size_t>(slot.at - buffer->begin);
    if (buffer->key < size_) {
      closed_bytes_ += buffer->used;
    } else {
      sent_ += records_in(buffer, slot.at);
    }
    (buffer->older ? buffer->older->younger : oldest_) = buffer->younger;
    (buffer->younger ? buffer->younger->older : youngest_) = buffer->older;
  }
  // 0 if they were counted before.
  std::uint64_t records_in(Buffer* buffer, const std::byte* end) const noexcept {
    if (!record_bytes_) return 0;
    const std::size_t each = record_bytes_ + (buffer->key < size_ ? 0 : sizeof(Prefix));
    return static_cast<std::size_t>(end - buffer->begin) / each;
  }
  Buffer* take_full() {
    Buffer* const buffer = full_;
    full_ = buffer->younger;
    if (!open_ && !full_) loop_.hurry(-1);
    return buffer;
  }
  // With the lock held, which is free meanwhile: functions may run.
  void send(Buffer* buffer) {
    lock_.unlock();
    if (buffer->key == me_) {
      const HandlerDepth depth(here_);
      run({buffer->begin, buffer->used});
    } else {
      const bool is_member = buffer->key < size_;
      const Key to =
          is_member ? buffer->key : (buffer->key - size_) * ranks_per_host_ + me_ % ranks_per_host_;
      gex_AM_RequestMedium3(here_.world, members_.job_rank(static_cast<rank_t>(to)), here_.handlers[kRecords],
                            buffer->begin, buffer->used, GEX_EVENT_NOW, 0, low(name_), high(name_),
                            is_member ? 0 : 1);
    }
    if (buffer->key == me_) gasnet_AMPoll();  // others must be heard, too
    lock_.lock();
    ++packets_;
    buffer->younger = free_;
    free_ = buffer;
  }

  bool look_around() {
    if (HandlerDepth::get(here_)) return false;
    const std::lock_guard hold(lock_);
    bool found = false;
    while (full_) {
      send(take_full());
      found = true;
    }
    if (held_) {
      run_held();
      found = true;
    }
    if (!open_ || ++looks_ % 16) return found;
    const std::uint64_t now_ns = aqueduct_sim_time_ns();
    for (Buffer* open = youngest_; open && open->seen_ns == 0; open = open->older) open->seen_ns = now_ns;
    while (open_ && oldest_->seen_ns != 0 && oldest_->seen_ns + deadline_ns_ <= now_ns) {
      send(close(oldest_));
      found = true;
    }
    return found;
  }

  Context& here_;
  Loop& loop_;
  RunRecords run_records_;
  std::size_t record_bytes_;
  rank_t me_;
  rank_t size_;
  rank_t ranks_per_host_ = 0;  // 0: one hop
  rank_t my_host_ = 0;
  std::size_t capacity_;
  std::size_t allowed_;
  std::uint64_t deadline_ns_;
  rank_t mask_;
  rank_t places_of_their_own_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<std::byte[]>> allocated_;
  Buffer* free_ = nullptr;
  Buffer* full_ = nullptr;
  Buffer* oldest_ = nullptr;
  Buffer* youngest_ = nullptr;
  std::size_t open_ = 0;
  std::uint64_t name_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t closed_bytes_ = 0;  // of records that have equal sizes and go to members; others are in sent_
  std::uint64_t run_ = 0;
  std::uint64_t packets_ = 0;
  unsigned looks_ = 0;
  SpinLock lock_;
  SpinLock run_lock_;
};

}  // namespace detail
}  // namespace AQ_CXX_
}  // namespace aqueduct

#endif
