// The conduit's uGNI objects: a domain, an endpoint for each peer that is posted to, a queue for posts and
// one for arrivals, and the descriptors of posts.
//
// Posting returns kRetry if uGNI asks to take events first. Other failures end the job with one line that
// names the peer and the operation; if the peer may be gone only after a while, because the supervisor
// usually knows better why and ends the job first.
//
// Threads: one at a time; the owner has a lock.
#pragma once
#include <vector>

#include "base/clock.hpp"
#include "base/peer_map.hpp"
#include "conduit/conduit.hpp"
#include "papers/conduit/aries/settings.hpp"
#include "papers/nic/ugni/client.hpp"
#include "papers/parts/memory/local_memory.hpp"

namespace aqueduct::conduit::aries {

inline constexpr char kName[] = "aries";
inline constexpr std::uintptr_t kWord = 4;  ///< gets move whole words

inline void check(gni_return_t code, const char* what) { ugni::check(kName, code, what); }

using LocalMemory = parts::LocalMemory<gni_mem_handle_t>;

/// The purpose of a post.
enum class PostUse : std::uint8_t { kMessage, kControl, kLongPayload, kTransfer, kProbe };

struct PostDescriptor;

/// Receives the events of its posts.
class PostHandler {
 public:
  explicit PostHandler(PostUse what) : use(what) {}

  /// An event (GNI_CQMODE_...) of a post has come; `descriptor.events` are those still to come. Also called
  /// for a probe that has failed.
  virtual void completed(PostDescriptor& descriptor, std::uint16_t event) = 0;

  const PostUse use;

 protected:
  ~PostHandler() = default;
};

/// A post under way, and the resources that it holds until its last event.
struct PostDescriptor {
  gni_post_descriptor_t post{};
  PostHandler* handler = nullptr;
  RankId peer = 0;
  std::uint16_t events = 0;  ///< still to come
  void* owner = nullptr;     ///< the handler's object that the post belongs to
  bool tells_of_landing = false;
  bool is_taken = false;
  bool is_lost = false;     ///< of a probe: its peer cannot be reached
  std::uint32_t probe = 0;  ///< its name
  // Local memory.
  std::byte* immediate = nullptr;  ///< kImmediateBytes of its own
  LocalMemory::Held held;
  // Of a get through a buffer.
  void* copy_to = nullptr;
  const std::byte* copy_from = nullptr;
  std::size_t copy_bytes = 0;
};

class Nic final : public LocalMemory::Registrar {
 public:
  /// `most_arrivals`: the events that others may send before this rank takes them.
  Nic(RankId self, std::uint32_t most_arrivals, const AriesSettings& settings, Clock& clock);
  Nic(const Nic&) = delete;

  gni_nic_handle_t handle() const { return nic_; }
  std::uint32_t address() const { return address_; }
  /// The queue with which memory must be registered so that writes of others cause events here.
  gni_cq_handle_t arrivals() const { return arrivals_; }
  void set_addresses(std::vector<std::uint32_t> addresses) { addresses_ = std::move(addresses); }
  void set_immediate(std::byte* buffers);

  /// Null if all are in use.
  PostDescriptor* take(PostHandler& handler, RankId peer);
  void give_back(PostDescriptor& descriptor) {
    descriptor.is_taken = false;
    free_.push_back(&descriptor);
  }
  /// Visits the descriptors of posts under way and of exposed memory.
  template <class Visit>
  void for_each_taken(Visit&& visit) const {
    for (const PostDescriptor& descriptor : descriptors_) {
      if (descriptor.is_taken) visit(descriptor);
    }
  }
  std::size_t in_use() const { return descriptors_.size() - free_.size(); }

  Post post_fma(PostDescriptor& descriptor, const char* what);
  Post post_rdma(PostDescriptor& descriptor, const char* what);
  Post post_cq_write(PostDescriptor& descriptor);
  /// The same, but the event at the target carries `data` instead of this rank.
  Post post_telling(PostDescriptor& descriptor, bool by_fma, std::uint32_t data);

  /// Takes at most `limit` events of posts, passes them to their handlers, and returns how many.
  unsigned take_completions(unsigned limit);
  /// The 48 bits of the next arrival; false: there is none.
  bool next_arrival(std::uint64_t* data);

  /// Registers whole words, because a target that reads the memory fetches whole words.
  bool register_memory(std::uintptr_t address, std::size_t bytes, gni_mem_handle_t* handle) override;
  void deregister_memory(gni_mem_handle_t& handle) override;

 private:
  PostDescriptor* next_completion(std::uint16_t* event);
  gni_return_t attach(std::uint32_t modes);
  gni_ep_handle_t endpoint(RankId peer);
  Post answer(gni_return_t code, const PostDescriptor& descriptor, const char* what);
  void failed(const PostDescriptor& descriptor, gni_cq_entry_t entry);
  [[noreturn]] void end_for_lost_peer() const;

  const RankId self_;
  Clock& clock_;
  gni_cdm_handle_t domain_ = nullptr;
  gni_nic_handle_t nic_ = nullptr;
  std::uint32_t address_ = 0;
  gni_cq_handle_t completions_ = nullptr;
  gni_cq_handle_t arrivals_ = nullptr;
  std::vector<std::uint32_t> addresses_;
  PeerMap<gni_ep_handle_t> endpoints_;  // of those that this rank has ever posted to
  std::vector<PostDescriptor> descriptors_;
  std::vector<PostDescriptor*> free_;
  std::uint64_t lost_since_ns_ = 0;
  RankId lost_peer_ = kNoRank;
};

}  // namespace aqueduct::conduit::aries
