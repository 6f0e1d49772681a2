// The conduit's hold of uGNI: a domain, an endpoint for each peer that is posted to, a queue for what we post
// and one for what arrives, and the descriptors of posts.
//
// Posting answers kRetry where uGNI asks to take events first. What fails otherwise ends the job with one
// line that names the peer and the operation; where the peer may be gone only after a while, because whoever
// has started it mostly knows better why and ends the job before.
//
// Threads: one at a time; the owner has a lock.
#pragma once
#include <vector>

#include "base/clock.hpp"
#include "conduit/conduit.hpp"
#include "papers/conduit/aries/settings.hpp"
#include "papers/nic/ugni/client.hpp"
#include "parts/local_memory.hpp"

namespace aqueduct::conduit::aries {

inline constexpr char kName[] = "aries";
inline constexpr std::uintptr_t kWord = 4;  ///< gets are of whole ones

inline void check(gni_return_t code, const char* what) { ugni::check(kName, code, what); }

using LocalMemory = parts::LocalMemory<gni_mem_handle_t>;

/// What a post is for.
enum class Use : std::uint8_t { kMessage, kControl, kLongPayload, kTransfer, kProbe };

struct Descriptor;

/// Hears of the events of its posts.
class PostHandler {
 public:
  explicit PostHandler(Use what) : use(what) {}

  /// An event (GNI_CQMODE_...) of a post has come; `descriptor.events` are those that are still to come. Also
  /// a probe that has failed.
  virtual void completed(Descriptor& descriptor, std::uint16_t event) = 0;

  const Use use;

 protected:
  ~PostHandler() = default;
};

/// A post under way, and what it holds here until its last event.
struct Descriptor {
  gni_post_descriptor_t post{};
  PostHandler* handler = nullptr;
  RankId peer = 0;
  std::uint16_t events = 0;  ///< still to come
  void* owner = nullptr;     ///< the handler's: what the post is part of
  bool tells_of_landing = false;
  bool is_taken = false;
  bool is_lost = false;     ///< of a probe: its peer cannot be reached
  std::uint32_t probe = 0;  ///< its name
  // Local memory.
  std::byte* immediate = nullptr;  ///< kImmediateBytes of its own
  LocalMemory::Held held;
  // Of a get that comes by way of a buffer.
  void* copy_to = nullptr;
  const std::byte* copy_from = nullptr;
  std::size_t copy_bytes = 0;
};

class Nic final : public LocalMemory::Registrar {
 public:
  /// `most_arrivals`: events that others may send us before we look.
  Nic(RankId self, RankId ranks, std::uint32_t most_arrivals, const Settings& settings, Clock& clock);
  Nic(const Nic&) = delete;

  gni_nic_handle_t handle() const { return nic_; }
  std::uint32_t address() const { return address_; }
  /// What memory that others write to must be registered with, for them to tell us.
  gni_cq_handle_t arrivals() const { return arrivals_; }
  void set_addresses(std::vector<std::uint32_t> addresses) { addresses_ = std::move(addresses); }
  void set_immediate(std::byte* buffers);

  /// Null if all are in use.
  Descriptor* take(PostHandler& handler, RankId peer);
  void give_back(Descriptor& descriptor) {
    descriptor.is_taken = false;
    free_.push_back(&descriptor);
  }
  /// Of posts that are under way, and of memory that is lent.
  template <class Visit>
  void for_each_taken(Visit&& visit) const {
    for (const Descriptor& descriptor : descriptors_) {
      if (descriptor.is_taken) visit(descriptor);
    }
  }
  std::size_t in_use() const { return descriptors_.size() - free_.size(); }

  Post post_fma(Descriptor& descriptor, const char* what);
  Post post_rdma(Descriptor& descriptor, const char* what);
  Post post_cq_write(Descriptor& descriptor);
  /// The same; events at the target carry `data` instead of our rank.
  Post post_telling(Descriptor& descriptor, bool by_fma, std::uint32_t data);

  /// Takes so many events of posts, tells their handlers, and answers how many there were.
  unsigned take_completions(unsigned limit);
  /// 48 bits of what has arrived; false: nothing.
  bool next_arrival(std::uint64_t* data);

  /// In whole words, which a target that reads it fetches.
  bool register_memory(std::uintptr_t address, std::size_t bytes, gni_mem_handle_t* handle) override;
  void deregister_memory(gni_mem_handle_t& handle) override;

 private:
  Descriptor* next_completion(std::uint16_t* event);
  gni_return_t attach(std::uint32_t modes);
  gni_ep_handle_t endpoint(RankId peer);
  Post answer(gni_return_t code, const Descriptor& descriptor, const char* what);
  void failed(const Descriptor& descriptor, gni_cq_entry_t entry);
  [[noreturn]] void end_for_lost_peer() const;

  const RankId self_;
  Clock& clock_;
  gni_cdm_handle_t domain_ = nullptr;
  gni_nic_handle_t nic_ = nullptr;
  std::uint32_t address_ = 0;
  gni_cq_handle_t completions_ = nullptr;
  gni_cq_handle_t arrivals_ = nullptr;
  std::vector<std::uint32_t> addresses_;
  std::vector<gni_ep_handle_t> endpoints_;
  std::vector<Descriptor> descriptors_;
  std::vector<Descriptor*> free_;
  std::uint64_t lost_since_ns_ = 0;
  RankId lost_peer_ = kNoRank;
};

}  // namespace aqueduct::conduit::aries
