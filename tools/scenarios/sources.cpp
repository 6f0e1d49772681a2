#include "sources.hpp"

#include <cstring>
#include <utility>

namespace aqueduct::scenarios {

void spoil(std::byte* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] = ~bytes[i];
}

Sources::Sources(std::byte* in_segment, std::size_t most_bytes, sim::Random& random)
    : random_(random), elsewhere_(bytes_in_segment(most_bytes)) {
  for (unsigned i = 0; i < kSources; ++i) {
    sources_[i].bytes = (i % 2 == 0 ? in_segment : elsewhere_.data()) + i / 2 * most_bytes;
    free_.push_back(&sources_[i]);
  }
}

Sources::Source& Sources::take(std::size_t bytes) {
  look();
  if (free_.empty()) {
    gex_Event_Wait(leaving_.front()->event);
    leaving_.front()->event = GEX_EVENT_INVALID;
    look();
  }
  const std::size_t which = random_.below(free_.size());
  std::swap(free_[which], free_.back());
  Source& source = *free_.back();
  free_.pop_back();
  source.used = bytes;
  source.told = static_cast<Told>(random_.below(3));
  source.event = GEX_EVENT_INVALID;
  return source;
}

void Sources::sent(Source& source, gex_EC_t category) {
  if (source.told == Told::kImplicitly) gex_NBI_Wait(category, 0);
  leaving_.push_back(&source);
  look();
}

void Sources::look() {
  std::erase_if(leaving_, [&](Source* source) {
    if (source->event != GEX_EVENT_INVALID && gex_Event_Test(source->event) != GASNET_OK) return false;
    over(*source);
    return true;
  });
}

void Sources::over(Source& source) {
  spoil(source.bytes, source.used);
  free_.push_back(&source);
}

void Sources::finish() {
  while (!leaving_.empty()) {
    if (leaving_.front()->event != GEX_EVENT_INVALID) gex_Event_Wait(leaving_.front()->event);
    leaving_.front()->event = GEX_EVENT_INVALID;
    look();
  }
}

}  // namespace aqueduct::scenarios
