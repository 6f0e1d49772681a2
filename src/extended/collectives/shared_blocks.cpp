#include "extended/collectives/shared_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/cache_lines.hpp"
#include "base/fatal.hpp"

namespace aqueduct::extended::collectives {
namespace {

void copy_unless_same(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
}

void spend(std::size_t& budget, std::size_t bytes) { budget -= std::min(budget, bytes); }

const std::byte* source_of(const Request& request) { return static_cast<const std::byte*>(request.src); }
std::byte* destination_of(const Request& request) { return static_cast<std::byte*>(request.dst); }

}  // namespace

SharedBlocks::SharedBlocks(std::vector<Member> members, gex_Rank_t me, const SharedSegments& segments)
    : members_(std::move(members)),
      me_(me),
      segments_(segments),
      sources_(members_.size()),
      buffer_(std::make_unique<Buffer>()),
      operations_(4) {}

bool SharedBlocks::suits(const Request& request, gex_Rank_t size) {
  if (request.is_reduction()) return request.combiner.element_bytes <= BlockPattern::kMostElement;
  const BlockPattern pattern(request, size, kPieceBytes);
  return pattern.blocks() == 1 || pattern.pieces() <= kMostPieces;
}

std::uint64_t SharedBlocks::start(const Request& request) {
  return operations_.start(
      [&](Entry& entry, std::uint64_t number) {
        entry = Entry{};
        entry.request = request;
        entry.pattern = BlockPattern(request, size(), kPieceBytes);
        entry.first = last_piece_ + 1;
        entry.last = last_piece_ += entry.pattern.pieces();
        if (request.enter_together) {
          members_[me_].lines->progress.started.store(number, std::memory_order_release);
          wake_others();
        }
      },
      [this] { advance(); });
}

void SharedBlocks::advance() {
  const std::uint64_t started = operations_.started();
  std::size_t budget = kMostAtOnce;
  while (publishing_ <= started && publish(operations_[publishing_], publishing_, budget)) ++publishing_;
  budget = kMostAtOnce;
  while (reading_ <= started && read(operations_[reading_], budget)) ++reading_;
  const std::uint64_t end = std::min(publishing_, reading_);
  for (std::uint64_t number = operations_.completed() + 1; number < end; ++number) {
    if (!is_released(operations_[number])) return;
    operations_.complete(number);
  }
}

// --- This member's source.

bool SharedBlocks::publish(Entry& entry, std::uint64_t number, std::size_t& budget) {
  const Request& request = entry.request;
  const BlockPattern& pattern = entry.pattern;
  if (entry.next == 0) {
    if (request.enter_together && !all_started(number)) return false;
    entry.next = entry.first;
    if (pattern.root_offers_destination() && request.root == me_ && request.src != request.dst) {
      const std::size_t offset = segments_.offset_of(request.dst, pattern.destination_bytes());
      if (offset != SharedSegments::kNowhere) entry.destination = offset + 1;
    }
  }
  entry.published = pattern.is_source(me_) ? publish_source(entry, budget) : offer_destination(entry);
  // Others have something to do meanwhile.
  if (!entry.has_own) copy_own(entry);
  entry.has_own = true;
  return entry.published;
}

bool SharedBlocks::offer_destination(const Entry& entry) {
  if (entry.request.root != me_ || !entry.pattern.root_offers_destination()) return true;
  if (!may_write(entry.first)) return false;
  stamp(entry.first, 0, entry.destination);
  return true;
}

bool SharedBlocks::publish_source(Entry& entry, std::size_t& budget) {
  const Request& request = entry.request;
  const BlockPattern& pattern = entry.pattern;
  if (entry.next == entry.first) {
    if (!may_write(entry.first)) return false;
    if (request.kind == Kind::kGather && pattern.root_offers_destination()) {
      const Lines::Stamp* const offer = find_stamp(request.root, entry.first);
      if (!offer) return false;
      if (offer->destination != 0) {
        copy_unless_same(destination_of_root(entry, offer->destination) + pattern.place_in_destination(me_),
                         request.src, pattern.block_bytes());
        stamp(entry.first, kDelivered, 0);
        return true;
      }
    }
    if (!should_copy(entry)) {
      const std::size_t offset = segments_.offset_of(request.src, pattern.source_bytes());
      stamp(entry.first, offset + 1, entry.destination);
      entry.in_place = true;
      entry.next = entry.last + 1;
    }
  }
  for (; entry.next <= entry.last; ++entry.next) {
    if (budget == 0 || !may_write(entry.next)) return false;
    const std::uint64_t i = entry.next - entry.first;
    std::byte* const slot = slot_of(me_, entry.next);
    const std::byte* const from = source_of(request) + pattern.piece_start(i);
    const std::size_t bytes = pattern.piece_length(i);
    for (std::size_t block = 0; block < pattern.blocks(); ++block) {
      if (pattern.is_read_by_others(block, me_))
        copy_unless_same(slot + pattern.place_in_slot(block), from + block * pattern.block_bytes(), bytes);
    }
    stamp(entry.next, 0, entry.destination);
    spend(budget, bytes * pattern.blocks());
  }
  return true;
}

bool SharedBlocks::should_copy(const Entry& entry) const {
  const Request& request = entry.request;
  const std::size_t bytes = entry.pattern.source_bytes();
  if (bytes <= BlockPattern::kMostCopied && !entry.pattern.is_split()) return true;
  // Whoever combines all of it may write its result before others have read.
  if (request.kind == Kind::kReduceToAll && !entry.pattern.is_split() && request.src == request.dst)
    return true;
  return segments_.offset_of(request.src, bytes) == SharedSegments::kNowhere;
}

// What the member has for itself.
void SharedBlocks::copy_own(const Entry& entry) const {
  const Request& request = entry.request;
  const BlockPattern& pattern = entry.pattern;
  if (request.is_reduction() || !request.reads(me_) || !request.writes(me_)) return;
  copy_unless_same(destination_of(request) + pattern.place_in_destination(me_),
                   source_of(request) + pattern.place_in_source(me_), pattern.block_bytes());
}

// Whether the client may have its source again, and the call may return.
bool SharedBlocks::is_released(const Entry& entry) {
  if (entry.request.leave_together && !all_done_with(entry.last)) return false;
  if (!entry.in_place) return true;
  if (entry.pattern.root_alone_reads()) return is_done_with(entry.request.root, entry.last);
  return entry.pattern.is_split() ? all_combined(entry.last) : all_done_with(entry.last);
}

// --- The sources of others.

bool SharedBlocks::read(Entry& entry, std::size_t& budget) {
  // Whoever is done has all of its data, also its own.
  if (entry.request.leave_together && !entry.has_own) return false;
  if (!entry.pattern.is_reader(me_)) {
    // Before we are done with the root's stamp we have seen what it offers.
    if (entry.pattern.root_offers_destination() && !entry.published) return false;
    be_done_with(entry.last);
    return true;
  }
  if (!entry.reading) {
    entry.reading = true;
    combining_ = entry.first;
    std::fill(sources_.begin(), sources_.end(), Source{nullptr, entry.first, 0});
  }
  return entry.request.is_reduction() ? reduce(entry, budget) : read_blocks(entry, budget);
}

bool SharedBlocks::read_blocks(const Entry& entry, std::size_t& budget) {
  const BlockPattern& pattern = entry.pattern;
  std::uint64_t least = entry.last + 1;
  for (gex_Rank_t distance = 1; distance < size(); ++distance) {
    const gex_Rank_t member = after(distance);
    if (!pattern.is_source(member)) continue;
    std::byte* const to = destination_of(entry.request) + pattern.place_in_destination(member);
    std::uint64_t& next = sources_[member].next;
    for (; next <= entry.last && budget != 0; ++next) {
      const std::byte* const from = find(entry, member, next);
      if (!from) break;
      const std::uint64_t i = next - entry.first;
      copy_unless_same(to + pattern.piece_start(i), from, pattern.piece_length(i));
      give_lines_back(entry, member, from, pattern.piece_length(i));
      spend(budget, pattern.piece_length(i));
    }
    least = std::min(least, next);
  }
  if (least > entry.first) be_done_with(least - 1);
  return least > entry.last;
}

// Where this member's block of the source's piece is; null if it is not there yet.
const std::byte* SharedBlocks::find(const Entry& entry, gex_Rank_t source, std::uint64_t piece) {
  const BlockPattern& pattern = entry.pattern;
  const std::byte*& in_place = sources_[source].in_place;
  if (!in_place) {
    const Lines::Stamp* const found = find_stamp(source, piece);
    if (!found) return nullptr;
    sources_[source].destination = found->destination;
    if (found->place == 0) return slot_of(source, piece) + pattern.place_in_slot(pattern.block_of(me_));
    if (found->place == kDelivered && entry.destination != 0) {
      in_place = destination_of(entry.request) + pattern.place_in_destination(source);
    } else if (piece == entry.first) {
      in_place = segments_.find(source, found->place - 1, pattern.source_bytes());
    }
    if (!in_place) refuse(source, "a source outside of its segment");
  }
  return in_place + pattern.place_in_source(me_) + pattern.piece_start(piece - entry.first);
}

// To the source, which will write them next; they are in its slot.
void SharedBlocks::give_lines_back(const Entry& entry, gex_Rank_t source, const std::byte* from,
                                   std::size_t bytes) const {
  if (kReadersTakeLines && entry.pattern.has_one_reader() && !sources_[source].in_place)
    take_lines(const_cast<std::byte*>(from), bytes);
}

const SharedBlocks::Lines::Stamp* SharedBlocks::find_stamp(gex_Rank_t member, std::uint64_t piece) const {
  const Lines::Stamp& found = stamp_of(member, piece);
  const std::uint64_t seen = found.piece.load(std::memory_order_acquire);
  if (seen < piece) return nullptr;
  if (seen > piece) [[unlikely]]
    refuse(member, "a piece that is far ahead");
  return &found;
}

std::byte* SharedBlocks::destination_of_root(const Entry& entry, std::uint64_t offered) const {
  std::byte* const found = segments_.find(entry.request.root, offered - 1, entry.pattern.destination_bytes());
  if (!found) refuse(entry.request.root, "a destination outside of its segment");
  return found;
}

void SharedBlocks::refuse(gex_Rank_t source, const char* what) const {
  const RankId writer = members_[source].rank;
  fatal("collective",
        "shared memory is corrupted: rank %u shows %s; check that all ranks called with the same sizes, and "
        "look for a stray write in rank %u",
        writer, what, writer);
}

// --- Reductions.

bool SharedBlocks::reduce(const Entry& entry, std::size_t& budget) {
  if (entry.pattern.is_split()) return reduce_parts(entry, budget);
  for (; combining_ <= entry.last; ++combining_) {
    // Not before our own source is published: the result may replace it.
    if (entry.pattern.is_source(me_) && entry.next <= combining_) return false;
    if (budget == 0 || !all_published(entry, combining_)) return false;
    const std::uint64_t i = combining_ - entry.first;
    const std::size_t bytes = entry.pattern.piece_length(i);
    combine(entry, combining_, {0, bytes}, destination_of(entry.request) + entry.pattern.piece_start(i));
    be_done_with(combining_);
    spend(budget, bytes * size());
  }
  return true;
}

bool SharedBlocks::reduce_parts(const Entry& entry, std::size_t& budget) {
  const bool gets_result = entry.pattern.gets_result(me_);
  for (; combining_ <= entry.last; ++combining_) {
    // Not before our own source is in the slot: it would replace the result.
    if (entry.next <= combining_ || !may_write(combining_)) break;
    if (budget == 0 || !all_published(entry, combining_)) break;
    spend(budget, combine_own_part(entry, combining_));
    if (!gets_result) be_done_with(combining_);
  }
  if (!gets_result) return combining_ > entry.last;
  const std::uint64_t least = gather_parts(entry, budget);
  if (least > entry.first) be_done_with(least - 1);
  return least > entry.last;
}

// Answers how much has been read. Only others are waited for before a slot is used again: they are not done
// with this piece before they have our part, unless we are the one that gets it all. So that one leaves its
// slot alone, and who needs its own part takes it at once.
std::size_t SharedBlocks::combine_own_part(const Entry& entry, std::uint64_t piece) {
  const Request& request = entry.request;
  const std::uint64_t i = piece - entry.first;
  const BlockPattern::Part part = entry.pattern.part(i, me_);
  const std::size_t place = entry.pattern.piece_start(i) + part.start;
  std::byte* to = slot_of(me_, piece) + part.start;
  if (request.kind == Kind::kReduceToOne) {
    const std::uint64_t offered = sources_[request.root].destination;
    if (me_ == request.root) {
      to = destination_of(request) + place;
    } else if (offered != 0) {
      to = destination_of_root(entry, offered) + place;
    }
  }
  combine(entry, piece, part, to);
  members_[me_].lines->progress.combined.store(piece, std::memory_order_release);
  wake_others();
  if (request.kind == Kind::kReduceToAll) copy_unless_same(destination_of(request) + place, to, part.bytes);
  return part.bytes * size();
}

// Answers the first piece of which something is missing.
std::uint64_t SharedBlocks::gather_parts(const Entry& entry, std::size_t& budget) {
  std::uint64_t least = combining_;
  for (gex_Rank_t distance = 1; distance < size(); ++distance) {
    const gex_Rank_t member = after(distance);
    std::uint64_t& next = sources_[member].next;
    for (; next <= entry.last && budget != 0 && has_combined(member, next); ++next) {
      const std::uint64_t i = next - entry.first;
      if (entry.destination != 0) continue;  // it is there
      const BlockPattern::Part part = entry.pattern.part(i, member);
      copy_unless_same(destination_of(entry.request) + entry.pattern.piece_start(i) + part.start,
                       slot_of(member, next) + part.start, part.bytes);
      spend(budget, part.bytes);
    }
    least = std::min(least, next);
  }
  return least;
}

bool SharedBlocks::all_published(const Entry& entry, std::uint64_t piece) {
  // The last member first: of all, it has had the least time.
  for (gex_Rank_t member = size(); member-- > 0;) {
    if (member != me_ && !find(entry, member, piece)) return false;
  }
  return true;
}

// From the last member to the first, each on the left of what is there: the order of ranks is kept, and
// everybody who computes a result computes the same. Our own vector is read from the client's memory, which
// may be where the result goes.
void SharedBlocks::combine(const Entry& entry, std::uint64_t piece, BlockPattern::Part part, std::byte* to) {
  const Combiner& combiner = entry.request.combiner;
  const std::byte* const own =
      source_of(entry.request) + entry.pattern.piece_start(piece - entry.first) + part.start;
  const std::size_t most =
      own == to ? sizeof(Buffer) / combiner.element_bytes * combiner.element_bytes : part.bytes;
  for (std::size_t start = 0; start < part.bytes; start += most) {
    const std::size_t bytes = std::min(most, part.bytes - start);
    std::byte* const result = own == to ? buffer_->bytes : to + start;
    for (gex_Rank_t member = size(); member-- > 0;) {
      const std::byte* const from = start + (member == me_ ? own : find(entry, member, piece) + part.start);
      if (member == size() - 1) {
        std::memcpy(result, from, bytes);
      } else {
        combiner(from, result, bytes / combiner.element_bytes);
      }
      if (member != me_) give_lines_back(entry, member, from, bytes);
    }
    if (own == to) std::memcpy(to + start, buffer_->bytes, bytes);
  }
}

// --- What members tell each other.

void SharedBlocks::stamp(std::uint64_t piece, std::uint64_t place, std::uint64_t destination) {
  Lines::Stamp& mine = stamp_of(me_, piece);
  mine.place = place;
  mine.destination = destination;
  mine.piece.store(piece, std::memory_order_release);
  wake_others();
}

void SharedBlocks::be_done_with(std::uint64_t piece) {
  std::atomic<std::uint64_t>& done = members_[me_].lines->progress.done;
  if (done.load(std::memory_order_relaxed) == piece) return;
  done.store(piece, std::memory_order_release);
  wake_others();
}

void SharedBlocks::wake_others() const {
  for (gex_Rank_t member = 0; member < size(); ++member) {
    if (member != me_) members_[member].doorbell->ring_if_needed();
  }
}

bool SharedBlocks::all_done_with(std::uint64_t piece) {
  if (known_done_ >= piece) return true;
  std::uint64_t least = ~std::uint64_t{0};
  for (gex_Rank_t member = 0; member < size(); ++member) {
    if (member == me_) continue;
    const std::uint64_t done = members_[member].lines->progress.done.load(std::memory_order_acquire);
    if (done < piece) return false;
    least = std::min(least, done);
  }
  known_done_ = least;
  return true;
}

bool SharedBlocks::all_combined(std::uint64_t piece) const {
  for (gex_Rank_t member = 0; member < size(); ++member) {
    if (!has_combined(member, piece)) return false;
  }
  return true;
}

bool SharedBlocks::all_started(std::uint64_t number) const {
  for (const Member& member : members_) {
    if (member.lines->progress.started.load(std::memory_order_acquire) < number) return false;
  }
  return true;
}

}  // namespace aqueduct::extended::collectives
