#include "parts/firehose.hpp"

#include <algorithm>

namespace aqueduct::parts {

Firehose::Firehose(Client& client, const Settings& settings)
    : client_(client), settings_(settings), places_(std::make_unique<Region[]>(settings.max_regions)) {
  free_.reserve(settings_.max_regions);
  for (unsigned i = settings_.max_regions; i-- > 0;) free_.push_back(&places_[i]);
  idle_.before_ = idle_.after_ = &idle_;
}

Firehose::~Firehose() {
  std::vector<Region> unpin;
  while (idle_.after_ != &idle_) evict(*idle_.after_, &unpin);
  if (!unpin.empty()) client_.unpin(unpin);
}

bool Firehose::is_better(const Region& one, const Region& other) {
  return one.end() != other.end() ? one.end() > other.end() : one.bytes() > other.bytes();
}

Firehose::Region* Firehose::best(Page page) const {
  const auto found = pages_.find(page);
  return found == pages_.end() ? nullptr : found->second.front();
}

Firehose::Region* Firehose::hit(std::uintptr_t address, std::size_t bytes) const {
  Region* region = best(page_of(address));
  return region && region->end() >= address + bytes ? region : nullptr;
}

void Firehose::add_reference(Region& region) {
  if (region.references_++ == 0 && region.state_ == Region::State::kReady) remove_idle(region);
}

Firehose::Pin Firehose::pin(std::uintptr_t address, std::size_t bytes, Request* request) {
  bytes = std::max<std::size_t>(bytes, 1);
  std::unique_lock lock(mutex_);
  if (Region* region = hit(address, bytes)) {
    if (region->state_ == Region::State::kPending && !request->ready) {
      ++statistics_.busy;
      return Pin::kBusy;
    }
    ++statistics_.hits;
    add_reference(*region);
    request->region = region;
    if (region->state_ == Region::State::kReady) return Pin::kPinned;
    Request*& line = waiting_[region];
    request->next = line;
    line = request;
    return Pin::kPending;
  }
  return pin_new(address, bytes, request, std::move(lock));
}

Firehose::Pin Firehose::pin_some(std::uintptr_t address, std::size_t bytes, Request* request,
                                 std::size_t* pinned_bytes) {
  {
    const std::lock_guard guard(mutex_);
    if (Region* region = best(page_of(address)); region && region->end() < address + bytes) {
      bytes = region->end() - address;
    }
  }
  const std::uintptr_t page_begin = page_of(address) * settings_.page_bytes;
  *pinned_bytes = std::min(bytes, settings_.max_region_bytes - (address - page_begin));
  return pin(address, *pinned_bytes, request);
}

bool Firehose::try_pin(std::uintptr_t address, std::size_t bytes, Request* request) {
  const std::lock_guard guard(mutex_);
  Region* region = hit(address, std::max<std::size_t>(bytes, 1));
  if (!region || region->state_ != Region::State::kReady) return false;
  ++statistics_.hits;
  add_reference(*region);
  request->region = region;
  return true;
}

Firehose::Pin Firehose::pin_new(std::uintptr_t address, std::size_t bytes, Request* request,
                                std::unique_lock<std::mutex> lock) {
  Page first = page_of(address);
  Page last = page_of(address + bytes - 1);
  if (settings_.grows) coalesce(&first, &last);
  std::vector<Region> unpin;
  if (!make_room((last - first + 1) * settings_.page_bytes, &unpin)) {
    ++statistics_.busy;
    lock.unlock();
    if (!unpin.empty()) client_.unpin(unpin);
    return Pin::kBusy;
  }
  ++statistics_.misses;
  Region& region = take_place(first, last);
  request->region = &region;
  request->next = nullptr;
  waiting_[&region] = request;  // at the end of the line; others who come meanwhile stand in front
  lock.unlock();
  const Moved moved = client_.move(unpin, region);
  if (moved == Moved::kPending) return Pin::kPending;
  lock.lock();
  leave_line(region, request);
  finish(region, moved == Moved::kDone, std::move(lock));
  if (moved == Moved::kDone) return Pin::kPinned;
  request->region = nullptr;
  return Pin::kFailed;
}

// The request has its answer without being told.
void Firehose::leave_line(Region& region, Request* request) {
  Request** place = &waiting_[&region];
  while (*place != request) place = &(*place)->next;
  *place = nullptr;
}

// Takes in the region that follows and then the one that precedes, whole or not at all.
void Firehose::coalesce(Page* first, Page* last) const {
  const std::size_t most = settings_.max_region_bytes / settings_.page_bytes;
  if (const Region* after = best(*last + 1)) {
    const Page their_last = page_of(after->end() - 1);
    if (their_last - *first + 1 <= most) *last = their_last;
  }
  if (*first == 0) return;
  if (const Region* before = best(*first - 1)) {
    const Page their_first = page_of(before->base());
    if (*last - their_first + 1 <= most) *first = their_first;
  }
}

// Frees a place and enough of the allowed bytes. What had to go is in `unpin`, also if that was not enough.
bool Firehose::make_room(std::size_t bytes, std::vector<Region>* unpin) {
  for (unsigned i = 0; i < kRedundantAtOnce && idle_.after_ != &idle_ && idle_.after_->visible_ == 0; ++i) {
    ++statistics_.redundant;
    evict(*idle_.after_, unpin);
  }
  while (free_.empty() || bytes > settings_.max_bytes - std::min(statistics_.bytes, settings_.max_bytes)) {
    if (idle_.after_ == &idle_) return false;
    evict(*idle_.after_, unpin);
  }
  return true;
}

void Firehose::evict(Region& region, std::vector<Region>* unpin) {
  ++statistics_.evictions;
  remove_idle(region);
  uncover(region);
  unpin->push_back(region);
  region.state_ = Region::State::kFree;
  free_.push_back(&region);
  --statistics_.regions;
  statistics_.bytes -= region.bytes_;
}

Firehose::Region& Firehose::take_place(Page first, Page last) {
  Region& region = *free_.back();
  free_.pop_back();
  region.state_ = Region::State::kPending;
  region.references_ = 1;
  region.visible_ = 0;
  region.base_ = first * settings_.page_bytes;
  region.bytes_ = (last - first + 1) * settings_.page_bytes;
  region.handle = 0;
  ++statistics_.regions;
  statistics_.bytes += region.bytes_;
  cover(region);
  return region;
}

void Firehose::cover(Region& region) {
  for (Page page = page_of(region.base_); page <= page_of(region.end() - 1); ++page) {
    Covers& covers = pages_[page];
    const auto place = std::ranges::find_if(covers, [&](Region* other) { return is_better(region, *other); });
    if (place == covers.begin()) {
      ++region.visible_;
      if (!covers.empty() && --covers.front()->visible_ == 0) became_redundant(*covers.front());
    }
    covers.insert(place, &region);
  }
}

void Firehose::uncover(Region& region) {
  for (Page page = page_of(region.base_); page <= page_of(region.end() - 1); ++page) {
    const auto entry = pages_.find(page);
    Covers& covers = entry->second;
    const bool was_best = covers.front() == &region;
    std::erase(covers, &region);
    if (covers.empty()) {
      pages_.erase(entry);
    } else if (was_best) {
      ++covers.front()->visible_;
    }
  }
  region.visible_ = 0;
}

// An idle region that is of no use any more is the next victim.
void Firehose::became_redundant(Region& region) {
  if (region.references_ != 0 || region.state_ != Region::State::kReady) return;
  remove_idle(region);
  prepend_idle(region);
}

void Firehose::release(Request* request) {
  const std::lock_guard guard(mutex_);
  Region& region = *request->region;
  request->region = nullptr;
  if (--region.references_ != 0) return;
  if (region.visible_ == 0) {
    prepend_idle(region);
  } else {
    append_idle(region);
  }
}

void Firehose::moved(Region* region, bool registered) {
  finish(*region, registered, std::unique_lock(mutex_));
}

// The client has registered a region, or could not. Those who waited for it hear of it outside the lock.
void Firehose::finish(Region& region, bool registered, std::unique_lock<std::mutex> lock) {
  Request* line = nullptr;
  if (const auto waiting = waiting_.find(&region); waiting != waiting_.end()) {
    line = waiting->second;
    waiting_.erase(waiting);
  }
  if (registered) {
    region.state_ = Region::State::kReady;
  } else {
    uncover(region);
    region.references_ = 0;
    region.state_ = Region::State::kFree;
    free_.push_back(&region);
    --statistics_.regions;
    statistics_.bytes -= region.bytes_;
  }
  lock.unlock();
  while (line) {
    Request* const next = line->next;
    if (!registered) line->region = nullptr;
    if (line->ready) line->ready(*line, registered);
    line = next;
  }
}

bool Firehose::forget(std::uintptr_t address, std::size_t bytes) {
  std::vector<Region> unpin;
  bool all = true;
  {
    const std::lock_guard guard(mutex_);
    for (unsigned i = 0; i < settings_.max_regions; ++i) {
      Region& region = places_[i];
      if (region.state_ == Region::State::kFree || region.base_ >= address + bytes || region.end() <= address)
        continue;
      if (region.references_ != 0) {
        all = false;
      } else {
        evict(region, &unpin);
      }
    }
  }
  if (!unpin.empty()) client_.unpin(unpin);
  return all;
}

void Firehose::append_idle(Region& region) {
  region.before_ = idle_.before_;
  region.after_ = &idle_;
  idle_.before_->after_ = &region;
  idle_.before_ = &region;
}

void Firehose::prepend_idle(Region& region) {
  region.before_ = &idle_;
  region.after_ = idle_.after_;
  idle_.after_->before_ = &region;
  idle_.after_ = &region;
}

void Firehose::remove_idle(Region& region) {
  region.before_->after_ = region.after_;
  region.after_->before_ = region.before_;
  region.before_ = region.after_ = nullptr;
}

Firehose::Statistics Firehose::statistics() const {
  const std::lock_guard guard(mutex_);
  return statistics_;
}

const char* Firehose::inconsistency() const {
  const std::lock_guard guard(mutex_);
  unsigned regions = 0, idle = 0, in_queue = 0;
  std::size_t bytes = 0;
  std::unordered_map<const Region*, std::uint32_t> visible;
  for (const auto& [page, covers] : pages_) {
    if (covers.empty()) return "a page without regions is in the table";
    ++visible[covers.front()];
    for (std::size_t i = 0; i < covers.size(); ++i) {
      if (page_of(covers[i]->base_) > page || page_of(covers[i]->end() - 1) < page)
        return "a region is entered for a page that it does not cover";
      if (i != 0 && is_better(*covers[i], *covers[i - 1])) return "a page's regions are not in order";
    }
  }
  for (unsigned i = 0; i < settings_.max_regions; ++i) {
    const Region& region = places_[i];
    if (region.state_ == Region::State::kFree) continue;
    ++regions;
    bytes += region.bytes_;
    if (region.references_ == 0) ++idle;
    if (region.visible_ != visible[&region]) return "a region's count of visible pages is wrong";
    if (region.bytes_ > settings_.max_region_bytes) return "a region is too long";
  }
  for (const Region* region = idle_.after_; region != &idle_; region = region->after_) {
    ++in_queue;
    if (region->references_ != 0) return "a region in use is among the idle ones";
  }
  if (in_queue != idle) return "idle regions are missing in the queue";
  if (regions != statistics_.regions || bytes != statistics_.bytes) return "the totals are wrong";
  if (bytes > settings_.max_bytes) return "more is registered than allowed";
  if (regions + free_.size() != settings_.max_regions) return "places are lost";
  return nullptr;
}

}  // namespace aqueduct::parts
