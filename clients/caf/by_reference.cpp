#include "clients/caf/by_reference.hpp"

#include <algorithm>

#include "clients/caf/images.hpp"
#include "clients/caf/transfer.hpp"

namespace aqueduct::caf {
namespace {

class Walk {
 public:
  Walk(const Coarray& coarray, gex_Rank_t rank, Scratch& scratch, RemotePart& part)
      : rank_(rank),
        scratch_(scratch),
        part_(part),
        descriptor_(coarray.descriptor),
        place_(coarray.offset) {}

  bool follow(const Reference* references, TypeCode code, int kind) {
    const Reference* last = references;
    while (last->next) last = last->next;
    part_.rank = 0;
    part_.section = {};
    part_.section.type = {code, kind, last->item_bytes};
    for (const Reference* step = references; step; step = step->next) {
      const bool found = step->kind == Reference::kComponent
                             ? enter(*step)
                             : select(*step, step->kind == Reference::kStaticArray);
      if (!found) return false;
    }
    part_.offset = place_;
    return true;
  }

 private:
  /// From an object to its component; through the pointer to it, or to the memory of its descriptor.
  bool enter(const Reference& step) {
    const auto& component = step.component;
    if (component.token_offset <= 0) {
      place_ += static_cast<std::size_t>(component.offset);
      return true;
    }
    const std::size_t at = place_ + static_cast<std::size_t>(component.offset);
    const Descriptor* copied = nullptr;
    void* address = nullptr;
    if (step.next && step.next->kind == Reference::kArray) {
      copied = copy_descriptor(at);
      address = copied->base;
    } else {
      get_bytes(&address, rank_, at, sizeof address);
    }
    if (!address) return false;
    place_ = reinterpret_cast<std::uintptr_t>(address) - job.peers[rank_].base;
    if (place_ >= job.segment_bytes)
      fatal("a reference to a component",
            "the component of the other image lies outside of its segment: pointer targets must be coarrays");
    descriptor_ = copied;
    return true;
  }

  const Descriptor* copy_descriptor(std::size_t at) {
    // One dimension at least is there, and one is the most usual number.
    auto* const copy = reinterpret_cast<Descriptor*>(scratch_.take(sizeof(Descriptor)));
    constexpr std::size_t kUsual = offsetof(Descriptor, dim) + sizeof(Descriptor::Dimension);
    get_bytes(copy, rank_, at, kUsual);
    const int rank = std::clamp<int>(copy->dtype.rank, 0, kMaxRank);
    if (rank > 1)
      get_bytes(copy->dim + 1, rank_, at + kUsual,
                static_cast<std::size_t>(rank - 1) * sizeof(Descriptor::Dimension));
    return copy;
  }

  /// From an array to the elements that are selected.
  bool select(const Reference& step, bool is_static) {
    if (!is_static && !descriptor_) fatal("a reference to an array", "there is no descriptor of it");
    const auto item = static_cast<std::ptrdiff_t>(step.item_bytes);
    // Bounds of an array without a descriptor count from 0 within the array, and a stride is one of elements
    // in memory.
    const std::ptrdiff_t unit = !is_static && descriptor_->span > item ? descriptor_->span : item;
    for (int d = 0; d < kMaxRank && step.array.mode[d] != Reference::kNone; ++d) {
      const auto& range = step.array.dim[d].range;
      std::ptrdiff_t lower = 0, upper = range.end, stride = unit;
      if (!is_static) {
        lower = descriptor_->dim[d].lower;
        upper = descriptor_->dim[d].upper;
        stride = descriptor_->dim[d].stride * unit;
      }
      select_in_dimension(step, d, lower, upper, stride);
    }
    return true;
  }

  void select_in_dimension(const Reference& step, int d, std::ptrdiff_t lower, std::ptrdiff_t upper,
                           std::ptrdiff_t stride) {
    const auto& range = step.array.dim[d].range;
    const std::ptrdiff_t by = range.stride ? range.stride : 1;
    switch (step.array.mode[d]) {
      case Reference::kVector: {
        const auto& vector = step.array.dim[d].vector;
        add(vector.count, 0, table_of(vector.indices, vector.kind, vector.count, lower, stride, scratch_));
        return;
      }
      case Reference::kFull:
        return add_range(lower, upper, by, lower, stride);
      case Reference::kRange:
        return add_range(range.start, range.end, by, lower, stride);
      case Reference::kSingle:
        place_ += static_cast<std::size_t>((range.start - lower) * stride);
        return;
      case Reference::kOpenEnd:
        return add_range(range.start, upper, by, lower, stride);
      default:
        return add_range(lower, range.end, by, lower, stride);
    }
  }

  void add_range(std::ptrdiff_t start, std::ptrdiff_t end, std::ptrdiff_t by, std::ptrdiff_t lower,
                 std::ptrdiff_t stride) {
    place_ += static_cast<std::size_t>((start - lower) * stride);
    add(static_cast<std::size_t>(std::max<std::ptrdiff_t>((end - start + by) / by, 0)), by * stride, nullptr);
  }

  void add(std::size_t extent, std::ptrdiff_t stride, const std::ptrdiff_t* table) {
    part_.extents[part_.rank++] = extent;
    part_.section.add(extent, stride, table);
  }

  gex_Rank_t rank_;
  Scratch& scratch_;
  RemotePart& part_;
  const Descriptor* descriptor_;
  std::size_t place_;  // in the segment
};

}  // namespace

bool find_part(const Coarray& coarray, gex_Rank_t rank, const Reference* references, TypeCode code, int kind,
               Scratch& scratch, RemotePart& part) {
  return Walk(coarray, rank, scratch, part).follow(references, code, kind);
}

}  // namespace aqueduct::caf
