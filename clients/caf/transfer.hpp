// Moving sections between this image's memory and a segment.
//
//   neighbours   are read and written directly
//   others       by one put or get, whichever form the section has; a section that is not contiguous, or whose elements are
//                converted, is packed first
//
// Order. To an image beyond the neighbourhood puts are under way when put_section() returns; complete_puts()
// waits for them, and every image control statement calls it. Statements of one image that touch the same
// bytes keep their order all the same: a put or get that overlaps a put under way waits first. The ranges
// under way are kept in a short list.
#pragma once
#include <cstddef>

#include "clients/caf/job.hpp"
#include "clients/caf/section.hpp"

namespace aqueduct::caf {

/// Until all puts of this image are visible to whomever this image then tells of them.
void complete_puts();

/// `offset` is what target.first counts from, in the rank's segment; `source` what source_section counts
/// from. Numbers are converted, characters padded or cut; a single element goes to all of the target.
/// `may_overlap`: the two may share bytes.
void put_section(gex_Rank_t rank, std::size_t offset, const Section& target, const char* source,
                 const Section& source_section, bool may_overlap);
void get_section(char* target, const Section& target_section, gex_Rank_t rank, std::size_t offset,
                 const Section& source, bool may_overlap);
/// From one image to another through this one.
void move_section(gex_Rank_t to, std::size_t to_offset, const Section& target, gex_Rank_t from,
                  std::size_t from_offset, const Section& source);

/// Some bytes of a segment, now.
void get_bytes(void* target, gex_Rank_t rank, std::size_t offset, std::size_t bytes);
/// A word, or half of one, at an aligned offset, under way until complete_puts().
void put_word(gex_Rank_t rank, std::size_t offset, std::uint64_t value);
void put_half_word(gex_Rank_t rank, std::size_t offset, std::uint32_t value);

/// Looks for messages in calls that otherwise never would, in jobs where others wait for that; where time is
/// virtual it passes here. Calls by which programs wait poll always, so that those of images which share a
/// core get it.
inline void look_for_messages() {
  if (job.has_network) gasnet_AMPoll();
}

}  // namespace aqueduct::caf
