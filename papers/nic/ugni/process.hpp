// The uGNI library of one process: everything behind the GNI functions.
//
// A live process has one; a simulation has one for each rank, and switches the current Process together with
// the fiber. The creator of a process gives it a device:
//
//   Process process{device};
//   Process::Current scope{&process};      // GNI functions now belong to it
//
// A live process gets its Process at GNI_CdmCreate from open_live() (live/live.cpp).
//
// One lock guards all of it (nic/locked_process.hpp). activity() changes with every event, datagram and
// message.
//
// Files: domains.cpp, endpoints.cpp, memory.cpp, queues.cpp (the objects), posts.cpp (checking and starting),
// requests.cpp (their events and ends), arrive.cpp (at the target), datagrams.cpp, smsg.cpp, msgq.cpp.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "papers/nic/current_process.hpp"
#include "papers/nic/locked_process.hpp"
#include "papers/nic/ugni/message_queue.hpp"
#include "papers/nic/ugni/objects.hpp"

namespace aqueduct::ugni {

class Process final : public nic::CurrentProcess<Process>,
                      public nic::LockedProcess<Device>,
                      private Library {
 public:
  /// The device outlives it.
  explicit Process(Device& device);
  ~Process();

  // --- Domains. Each function does what one of gni_pub.h says.
  gni_return_t create_domain(std::uint32_t inst_id, std::uint8_t ptag, std::uint32_t cookie,
                             std::uint32_t modes, gni_cdm_handle_t* cdm);
  gni_return_t attach(gni_cdm_handle_t cdm, std::uint32_t device_id, std::uint32_t* address,
                      gni_nic_handle_t* nic);
  gni_return_t destroy_domain(gni_cdm_handle_t cdm);
  gni_return_t address(std::uint32_t device_id, std::uint32_t* address, std::uint32_t* cpu_id);

  // --- Endpoints.
  gni_return_t create_endpoint(gni_nic_handle_t nic, gni_cq_handle_t source, gni_ep_handle_t* ep);
  gni_return_t set_event_data(gni_ep_handle_t ep, std::uint32_t local_event, std::uint32_t remote_event);
  gni_return_t bind(gni_ep_handle_t ep, std::uint32_t address, std::uint32_t remote_id);
  gni_return_t unbind(gni_ep_handle_t ep);
  gni_return_t is_idle(gni_ep_handle_t ep);
  gni_return_t destroy_endpoint(gni_ep_handle_t ep);

  // --- Datagrams. A null `id` means a datagram without an id.
  gni_return_t post_datagram(gni_ep_handle_t ep, const void* in, std::uint16_t in_bytes, void* out,
                             std::uint16_t out_bytes, const std::uint64_t* id);
  gni_return_t test_datagram(gni_ep_handle_t ep, const std::uint64_t* id, gni_post_state_t* state,
                             std::uint32_t* address, std::uint32_t* remote_id);
  gni_return_t cancel_datagram(gni_ep_handle_t ep, const std::uint64_t* id);
  gni_return_t probe_datagram(gni_nic_handle_t nic, std::uint32_t* address, std::uint32_t* remote_id,
                              std::uint64_t* id);

  // --- Memory.
  gni_return_t register_memory(gni_nic_handle_t nic, std::vector<gni_mem_segment_t> segments,
                               gni_cq_handle_t queue, std::uint32_t flags, gni_mem_handle_t* memory);
  gni_return_t deregister_memory(gni_nic_handle_t nic, const gni_mem_handle_t& memory);

  // --- Queues.
  gni_return_t create_queue(gni_nic_handle_t nic, std::uint32_t entries, gni_cq_mode_t mode,
                            gni_cq_handle_t* cq);
  gni_return_t destroy_queue(gni_cq_handle_t cq);
  gni_return_t take_event(gni_cq_handle_t cq, gni_cq_entry_t* entry);
  gni_return_t test_event(gni_cq_handle_t cq);
  bool is_blocking(gni_cq_handle_t cq);
  gni_return_t completed(gni_cq_handle_t cq, gni_cq_entry_t entry, gni_post_descriptor_t** descriptor);

  // --- Posts.
  gni_return_t post_rdma(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor);
  gni_return_t post_fma(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor);
  gni_return_t post_cq_write(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor);
  gni_return_t post_fma_chain(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor);
  gni_return_t post_cq_write_chain(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor);

  // --- Short messages.
  gni_return_t init_mailbox(gni_ep_handle_t ep, const gni_smsg_attr_t& local, const gni_smsg_attr_t& remote);
  gni_return_t set_message_delivery(gni_nic_handle_t nic, std::uint16_t mode);
  gni_return_t is_nic(gni_nic_handle_t nic);
  gni_return_t send_message(gni_ep_handle_t ep, std::span<const std::byte> header,
                            std::span<const std::byte> data, std::uint32_t id, std::uint8_t tag);
  gni_return_t next_message(gni_ep_handle_t ep, void** header, std::uint8_t* tag);
  gni_return_t release_message(gni_ep_handle_t ep);

  // --- Shared message queues.
  gni_return_t init_message_queue(gni_nic_handle_t nic, gni_msgq_rcv_cb_func* receive, void* data,
                                  gni_cq_handle_t queue, const gni_msgq_attr_t& attributes,
                                  gni_msgq_handle_t* msgq);
  gni_return_t release_message_queue(gni_msgq_handle_t msgq);
  gni_return_t is_message_queue_idle(gni_msgq_handle_t msgq);
  gni_return_t connection_attributes(gni_msgq_handle_t msgq, std::uint32_t address,
                                     gni_msgq_ep_attr_t* attributes);
  gni_return_t connect_message_queue(gni_msgq_handle_t msgq, std::uint32_t address,
                                     const gni_msgq_ep_attr_t& attributes);
  gni_return_t disconnect_message_queue(gni_msgq_handle_t msgq, std::uint32_t address);
  gni_return_t send_to_message_queue(gni_msgq_handle_t msgq, gni_ep_handle_t ep,
                                     std::span<const std::byte> header, std::span<const std::byte> message,
                                     std::uint32_t id, std::uint8_t tag);
  gni_return_t receive_from_message_queue(gni_msgq_handle_t msgq);

  /// For nic::CurrentProcess.
  static Process* open_live();

 private:
  // Finding.
  Domain* nic_of(gni_nic_handle_t nic);
  Endpoint* endpoint_of(gni_ep_handle_t ep) {
    return find_by_handle(endpoints_, HandleKind::kEndpoint, self_, ep);
  }
  Queue* queue_of(gni_cq_handle_t cq) { return find_by_handle(queues_, HandleKind::kQueue, self_, cq); }
  MessageQueue* message_queue_of(gni_msgq_handle_t msgq) {
    return find_by_handle(message_queues_, HandleKind::kMessageQueue, self_, msgq);
  }
  Registration* registration_of(const gni_mem_handle_t& memory);
  gni_mem_handle_t memory_handle(const Registration& registration) const;

  // Life of objects.
  void close_endpoint(Endpoint& endpoint);
  void close_registration(Registration& registration);
  void close_queue(Queue& queue);
  void close_message_queue(MessageQueue& queue);
  gni_return_t busy_code(const Endpoint& endpoint) const;
  bool is_lent(const Domain& domain);
  void close(Domain& domain);
  /// A transfer from or to the registration is over.
  void unpin(Registration& registration);

  // Events.
  bool push_event(Queue& queue, gni_cq_entry_t entry);

  // Posts (posts.cpp).
  gni_return_t check_local(const Endpoint& endpoint, const gni_post_descriptor_t& descriptor, bool writes,
                           Registration** found);
  gni_return_t check_fma(const Endpoint& endpoint, const gni_post_descriptor_t& descriptor);
  gni_return_t take_request(Endpoint& endpoint, Queue* queue, gni_post_descriptor_t& descriptor,
                            Request** request);
  Request* fresh_request(Endpoint& endpoint, Queue* queue);
  void fill_header(Request& request, MessageKind kind, const gni_post_descriptor_t& descriptor);
  /// Copies the bytes to the request's own buffer.
  void copy_payload(Request& request, std::span<const std::byte> bytes);
  void prepare_fma(Request& request, const gni_post_descriptor_t& descriptor);
  /// Fills in what all parts of a chain after the first have in common with it, and starts them.
  gni_return_t start_chain(Endpoint& endpoint, gni_post_descriptor_t& first,
                           const std::vector<gni_post_descriptor_t>& parts,
                           const std::vector<Endpoint*>& targets);
  /// Passes the request to the device, or fails it if the peer is gone.
  void launch(Request& request);
  void launch_behind_fence(Domain& domain);

  // Requests (requests.cpp).
  Request* request_of(std::uint64_t name);
  std::uint64_t name_of(const Request& request) const;
  void post_due(Request& request, std::uint8_t event);
  /// The request is answered, or never will be.
  void complete(Request& request, std::uint8_t status);
  void release_if_over(Request& request);
  void fail_unreported(NodeId peer, MessageKind kind, std::uint8_t status, std::uint32_t modes);

  // At the target (arrive.cpp).
  NicTransfer* arrived(const Incoming& incoming) override;
  void landed(NicTransfer& transfer, bool whole) override;
  void sent(NicTransfer& transfer) override;
  void undeliverable(NodeId target, std::span<const std::byte> header) override;
  void lost(NodeId node) override;
  Landing& keep(const WireHeader& header, NodeId source);
  std::uint8_t find_place(Landing& landing);
  std::uint8_t check_access(const WireHeader& header, std::uint64_t bytes, bool writes, Registration** found);
  void ready(Landing& landing);
  void finish(Landing& landing);
  void finish_put(Landing& landing);
  void finish_get(const Landing& landing);
  void finish_amo(const Landing& landing);
  void finish_cq_write(const Landing& landing);
  void finish_get_reply(const Landing& landing);
  void take_response(const WireHeader& header, NodeId source);
  bool post_remote(const Registration& memory, const WireHeader& header, std::uint64_t data);
  std::uint8_t store_result(const Request& request, std::uint64_t result);
  void respond(const Landing& landing, std::uint8_t status, std::uint64_t result = 0, bool overrun = false);
  void send_answer(Answer& answer, NodeId target, Engine engine);

  // Datagrams (datagrams.cpp).
  struct Unmatched {
    NodeId source;
    WireHeader header;
    std::array<std::byte, GNI_DATAGRAM_MAXSIZE> data;
  };
  void finish_datagram(const Landing& landing);
  void cancel_unmatched(const WireHeader& header, NodeId source);
  void match_datagram(Endpoint& endpoint);
  bool is_for(const Endpoint& endpoint, const WireHeader& header, NodeId source) const;
  void exchange(Endpoint& endpoint, const WireHeader& header, NodeId source, const std::byte* data);
  void send_datagram(const Endpoint& endpoint, NodeId target, std::uint32_t target_id, MessageKind kind);
  void fail_datagrams(NodeId peer);
  Datagram* datagram_of(gni_ep_handle_t ep, const std::uint64_t* id, gni_return_t* code);

  // Messages (smsg.cpp, msgq.cpp).
  gni_return_t return_mailbox_credit(Endpoint& endpoint);
  MessageQueue* message_queue_for(const WireHeader& header);
  void finish_queued_message(const Landing& landing);
  void take_queue_credit(const Landing& landing);
  void return_queue_credit(const MessageQueue& queue, const QueuedMessage& message);

  std::uint32_t fma_descriptors_ = 0, dedicated_mdds_ = 0, shared_mdds_ = 0;  ///< in use
  Table<Domain> domains_;
  Table<Endpoint> endpoints_;
  Table<Queue> queues_;
  Table<MessageQueue> message_queues_;
  RegistrationTable registrations_;
  RequestTable requests_;
  Pool<Landing> landings_;
  Pool<Answer> answers_;
  std::unordered_map<NodeId, std::deque<Landing*>>
      turns_;  ///< by source: in-order messages that are not over
  std::vector<Unmatched> unmatched_;
  std::uint32_t lent_answers_ = 0;
};

gni_cq_entry_t make_entry(std::uint64_t data, std::uint64_t type, std::uint64_t source, std::uint64_t status);
/// A text for a status of gni_entries.h.
const char* status_text(std::uint8_t status);

}  // namespace aqueduct::ugni
