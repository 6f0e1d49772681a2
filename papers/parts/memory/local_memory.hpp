// Local memory of what a network interface reads and writes by itself: memory that is registered, or a bounce
// buffer that is.
//
// Known memory (the segment, buffers of the conduit's) is registered once. Other memory is registered for an
// operation, through a cache of registrations (firehose.hpp) or each by itself, or copied through a bounce
// buffer; which one is the conduit's choice. A registration that finds no room makes the cache give up what
// is idle.
//
// `Handle` is what registered memory is named by. Not thread-safe: the owner has a lock.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "am/message.hpp"
#include "papers/parts/memory/chunk_pool.hpp"
#include "parts/firehose.hpp"

namespace aqueduct::parts {

template <class Handle>
class LocalMemory : private Firehose::Client {
 public:
  /// What an operation holds until it is over.
  struct Held {
    Handle handle{};  ///< of the memory that was found
    ChunkPool::Offset bounce = ChunkPool::kNone;
    Firehose::Request pin;
    std::optional<Handle> registered;  ///< for this operation alone
  };

  class Registrar {
   public:
    /// False: there is no room for another registration now.
    virtual bool register_memory(std::uintptr_t address, std::size_t bytes, Handle* handle) = 0;
    virtual void deregister_memory(Handle& handle) = 0;

   protected:
    ~Registrar() = default;
  };

  struct Settings {
    std::size_t bounce_bytes = 0;  ///< all of them
    std::size_t bounce_chunk_bytes = 0;
    bool caches = true;
    unsigned registrations = 1;        ///< that are cached
    std::size_t max_region_bytes = 0;  ///< of one of them
  };

  LocalMemory(Registrar& registrar, const Settings& settings)
      : registrar_(registrar),
        bounce_(static_cast<std::uint32_t>(settings.bounce_bytes / settings.bounce_chunk_bytes),
                static_cast<std::uint32_t>(settings.bounce_chunk_bytes)) {
    if (settings.caches) {
      registrations_ =
          std::make_unique<Firehose>(static_cast<Firehose::Client&>(*this),
                                     Firehose::Settings{.max_region_bytes = settings.max_region_bytes,
                                                        .max_regions = settings.registrations,
                                                        .grows = false});
    }
  }
  /// Deregisters nothing: the interface owns what was registered, and its process may be gone already.
  ~LocalMemory() { is_closing_ = true; }
  LocalMemory(const LocalMemory&) = delete;

  /// Bounce buffers must be registered by the owner, who says how.
  std::byte* bounce_base() const { return bounce_.memory(); }
  std::size_t bounce_bytes() const { return bounce_.bytes(); }
  void set_bounce_handle(const Handle& handle) { bounce_handle_ = handle; }
  void add_known(const am::SegmentBounds& bounds, const Handle& handle) {
    known_.push_back({bounds, handle});
  }

  // What operations hold now; bounce buffers and registrations.
  std::size_t bounces_taken() const { return bounce_.taken_chunks(); }
  std::size_t registrations_held() const { return held_; }

  bool is_known(std::uintptr_t address, std::size_t bytes) const { return find_known(address, bytes); }

  /// Finds registered memory: `*bytes` of what was asked for, all or none if `is_whole`. False: there is no
  /// registration to be had now.
  bool hold(std::uintptr_t address, bool is_whole, Held& held, std::size_t* bytes) {
    if (const Known* const known = find_known(address, *bytes)) {
      held.handle = known->handle;
      return true;
    }
    if (registrations_) return pin(address, is_whole, held, bytes);
    if (!registrar_.register_memory(address, *bytes, &held.handle)) return false;
    held.registered = held.handle;
    ++held_;
    return true;
  }
  /// A bounce buffer instead; null: there is none now.
  std::byte* take_bounce(Held& held) {
    held.bounce = bounce_.take();
    if (held.bounce == ChunkPool::kNone) return nullptr;
    held.handle = bounce_handle_;
    return bounce_.at(held.bounce);
  }
  void release(Held& held) {
    if (held.bounce != ChunkPool::kNone) bounce_.give_back(std::exchange(held.bounce, ChunkPool::kNone));
    held_ -= (held.pin.region ? 1 : 0) + (held.registered ? 1 : 0);
    if (held.pin.region) registrations_->release(&held.pin);
    held.pin.region = nullptr;
    if (held.registered) registrar_.deregister_memory(*held.registered);
    held.registered.reset();
  }

 private:
  struct Known {
    am::SegmentBounds bounds;
    Handle handle;
  };

  const Known* find_known(std::uintptr_t address, std::size_t bytes) const {
    for (const Known& known : known_) {
      if (known.bounds.contains(address, bytes)) return &known;
    }
    return nullptr;
  }

  bool pin(std::uintptr_t address, bool is_whole, Held& held, std::size_t* bytes) {
    const auto pin = [&] {
      return is_whole ? registrations_->pin(address, *bytes, &held.pin)
                      : registrations_->pin_some(address, *bytes, &held.pin, bytes);
    };
    auto pinned = pin();
    if (pinned == Firehose::Pin::kFailed) {
      // The interface has room for less than the cache: what is idle gives way.
      registrations_->forget(0, SIZE_MAX);
      pinned = pin();
    }
    if (pinned == Firehose::Pin::kPinned) {
      ++held_;
      held.handle = cached_[held.pin.region->handle];
      return true;
    }
    held.pin.region = nullptr;
    return false;
  }

  Firehose::Moved move(std::span<Firehose::Region> unpinned, Firehose::Region& pin) override {
    unpin(unpinned);
    Handle handle{};
    if (!registrar_.register_memory(pin.base(), pin.bytes(), &handle)) return Firehose::Moved::kFailed;
    if (free_cached_.empty()) {
      free_cached_.push_back(cached_.size());
      cached_.emplace_back();
    }
    pin.handle = free_cached_.back();
    free_cached_.pop_back();
    cached_[pin.handle] = handle;
    return Firehose::Moved::kDone;
  }

  void unpin(std::span<Firehose::Region> regions) override {
    if (is_closing_) return;
    for (const Firehose::Region& region : regions) {
      registrar_.deregister_memory(cached_[region.handle]);
      free_cached_.push_back(region.handle);
    }
  }

  Registrar& registrar_;
  ChunkPool bounce_;
  Handle bounce_handle_{};
  std::vector<Known> known_;
  std::deque<Handle> cached_;  // of regions
  std::vector<std::uint64_t> free_cached_;
  std::size_t held_ = 0;  // registrations, by operations
  bool is_closing_ = false;
  std::unique_ptr<Firehose> registrations_;  // null: one for each operation
};

}  // namespace aqueduct::parts
