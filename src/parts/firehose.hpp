// Firehose: a cache of memory registrations.
//
// Registering memory with a network interface is slow and registered memory is scarce, but programs send from
// the same places again and again. So a registration is kept when its operation is done, and given up, least
// recently used first, when its place is needed. The same cache serves local memory (the client registers)
// and memory of a peer (the client asks the peer to register, and the answer comes later).
//
// Regions are whole pages, at most max_region_bytes long. Several may cover a page; the best of them is the
// one that reaches furthest. A range is pinned by one region:
//   hit    the best region of its first page reaches its end
//   miss   a new region; it takes in the neighbouring ones whole, if together they are not too long, so
//          that small pieces grow together. What is then covered by a better region everywhere is
//          redundant, and goes first when room is needed.
// Room is made before it is exceeded: a free place, else the victim at the head of the queue of idle regions;
// up to kRedundantAtOnce redundant ones go along. If everything is in use the answer is kBusy: release
// something (poll), and try again.
//
// A region is pending until its client has registered it; whoever wants it meanwhile waits in line and is
// told.
//
// Memory: the client owns a Request from pin() until release(); the cache owns regions. Nothing is allocated
// on a hit. Threads: any; one lock, never held while the client registers or is told. The program must not
// unmap memory that is cached without forget().
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace aqueduct::parts {

class Firehose {
 public:
  struct Settings {
    std::size_t page_bytes = 4096;
    std::size_t max_region_bytes = std::size_t{128} << 10;
    unsigned max_regions = 1024;
    std::size_t max_bytes = SIZE_MAX;  ///< of all regions together
    bool grows = true;                 ///< new regions take in their neighbours
  };

  /// A registered piece of memory. `handle` is the client's.
  struct Region {
    std::uintptr_t base() const { return base_; }
    std::size_t bytes() const { return bytes_; }
    std::uintptr_t end() const { return base_ + bytes_; }
    std::uint64_t handle = 0;

   private:
    friend class Firehose;
    enum class State : std::uint8_t { kFree, kPending, kReady };
    State state_ = State::kFree;
    std::uint32_t references_ = 0;
    std::uint32_t visible_ = 0;  // pages for which it is the best
    std::uintptr_t base_ = 0;
    std::size_t bytes_ = 0;
    Region *before_ = nullptr, *after_ = nullptr;  // in the queue of idle regions
  };

  /// A pinned range, or one that will be.
  struct Request {
    /// Told when a request that is kPending is pinned, or cannot be; maybe before pin() has returned, maybe
    /// by another thread. Null: the request is kBusy where it would have to wait, and only a move that the
    /// client itself leaves pending would be lost.
    void (*ready)(Request& request, bool pinned) = nullptr;
    void* context = nullptr;
    Region* region = nullptr;
    Request* next = nullptr;  ///< the cache's
  };

  enum class Pin : std::uint8_t { kPinned, kPending, kBusy, kFailed };
  enum class Moved : std::uint8_t { kDone, kPending, kFailed };

  /// Registers and deregisters.
  class Client {
   public:
    /// Gives up `unpin` and registers `pin`, setting its handle. kPending: moved() will follow.
    virtual Moved move(std::span<Region> unpin, Region& pin) = 0;
    virtual void unpin(std::span<Region> regions) = 0;

   protected:
    ~Client() = default;
  };

  Firehose(Client& client, const Settings& settings);
  /// Gives up everything that is cached; nothing may be pinned.
  ~Firehose();
  Firehose(const Firehose&) = delete;
  Firehose& operator=(const Firehose&) = delete;

  /// Pins all of a range, which must fit in max_pin_bytes().
  Pin pin(std::uintptr_t address, std::size_t bytes, Request* request);
  /// Pins the beginning of a range: as much of it as is there already or fits one region; says how much.
  Pin pin_some(std::uintptr_t address, std::size_t bytes, Request* request, std::size_t* pinned_bytes);
  /// Pins a range if it needs no registration.
  bool try_pin(std::uintptr_t address, std::size_t bytes, Request* request);
  void release(Request* request);
  /// A move that was pending is done, or has failed.
  void moved(Region* region, bool registered);
  /// Gives up the idle regions that touch a range, before its memory goes away. False if one is in use.
  bool forget(std::uintptr_t address, std::size_t bytes);

  /// The longest range that always fits one region, wherever it begins.
  std::size_t max_pin_bytes() const { return settings_.max_region_bytes - settings_.page_bytes; }

  struct Statistics {
    std::uint64_t hits = 0, misses = 0, evictions = 0, redundant = 0, busy = 0;
    unsigned regions = 0;
    std::size_t bytes = 0;
  };
  Statistics statistics() const;
  /// Why the books do not balance, or null. For tests; slow.
  const char* inconsistency() const;

 private:
  using Page = std::uintptr_t;
  // The regions that cover a page, best first. Seldom more than two.
  using Covers = std::vector<Region*>;

  Page page_of(std::uintptr_t address) const { return address / settings_.page_bytes; }
  Region* best(Page page) const;
  static bool is_better(const Region& one, const Region& other);
  Region* hit(std::uintptr_t address, std::size_t bytes) const;
  void add_reference(Region& region);
  void cover(Region& region);
  void uncover(Region& region);
  void became_redundant(Region& region);
  void coalesce(Page* first, Page* last) const;
  bool make_room(std::size_t bytes, std::vector<Region>* unpin);
  void evict(Region& region, std::vector<Region>* unpin);
  Region& take_place(Page first, Page last);
  Pin pin_new(std::uintptr_t address, std::size_t bytes, Request* request, std::unique_lock<std::mutex> lock);
  void leave_line(Region& region, Request* request);
  void append_idle(Region& region);
  void prepend_idle(Region& region);
  void remove_idle(Region& region);
  void finish(Region& region, bool registered, std::unique_lock<std::mutex> lock);

  static constexpr unsigned kRedundantAtOnce = 4;

  Client& client_;
  Settings settings_;
  mutable std::mutex mutex_;
  std::unique_ptr<Region[]> places_;
  std::vector<Region*> free_;
  std::unordered_map<Page, Covers> pages_;
  std::unordered_map<Region*, Request*> waiting_;
  Region idle_;  // ring: after_ is the next victim, before_ the last released
  Statistics statistics_;
};

}  // namespace aqueduct::parts
