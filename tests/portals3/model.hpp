// What Portals should do, said once more and as plainly as possible: lists in vectors, everything copied,
// nothing shared with the library. Entries, descriptors and queues are known by numbers that are never used
// again. Where the data is does not matter here, only which bytes of which descriptor are meant.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "portals3.h"

namespace aqueduct::test {

struct ModelDescription {
  std::uint64_t bytes = 0;
  int threshold = PTL_MD_THRESH_INF;
  std::uint64_t max_size = 0;
  unsigned options = 0;
  int queue = -1;
};

struct ModelEvent {
  ptl_event_kind_t type;
  int descriptor;
  ptl_process_id_t initiator;
  ptl_pt_index_t pt_index;
  ptl_match_bits_t match_bits;
  std::uint64_t rlength, mlength, offset;
  ptl_hdr_data_t hdr_data;
  ptl_ni_fail_t fail = PTL_NI_OK;
  int threshold = 0;
  std::uint64_t link = 0, sequence = 0;
};

/// A request as it arrives.
struct ModelRequest {
  enum Kind { kPut, kGet, kGetPut } kind;
  ptl_process_id_t source;
  ptl_uid_t uid;
  ptl_jid_t jid;
  ptl_pt_index_t pt_index;
  ptl_ac_index_t ac_index;
  ptl_match_bits_t match_bits;
  std::uint64_t bytes, remote_offset;
  ptl_hdr_data_t hdr_data;
  bool ack_wanted;
};

/// An operation of our own, as its answer names it.
struct ModelOperation {
  ModelRequest::Kind kind;
  int answer_to;  ///< the descriptor that the acknowledgement or reply is for
  ptl_process_id_t target;
  ptl_pt_index_t pt_index;
  ptl_match_bits_t match_bits;
  std::uint64_t bytes, local_offset;
  ptl_hdr_data_t hdr_data;
  bool ack_wanted;
};

/// Something between send() or parse() and finalize().
struct ModelFlight {
  enum Phase { kSend, kRequest, kDeposit, kReturn, kReply } phase;
  int descriptor;
  ModelEvent event;  ///< that it ends with, but for its kind and failure
  ptl_event_kind_t end;
  bool has_end_event;      ///< a get's request has none
  ModelOperation failing;  ///< kRequest: whose reply fails with it
  bool acknowledge;        ///< kDeposit
  bool settled = false;    ///< kRequest: the answer has come, or was given up, before
};

class Model {
 public:
  ptl_process_id_t self{};
  ptl_ni_limits_t limits{};

  struct Entry {
    ptl_process_id_t match_id;
    ptl_match_bits_t match_bits, ignore_bits;
    bool unlinks;
    ptl_pt_index_t pt_index;
    int descriptor = -1;
    bool alive = true;
  };
  struct Descriptor {
    ModelDescription md;
    bool active, unlinks;
    int entry;  ///< -1: free-floating
    std::uint64_t local_offset = 0;
    unsigned pending = 0;
    bool alive = true;
  };
  struct Queue {
    std::uint64_t capacity;
    std::deque<ModelEvent> events;
    std::uint64_t next_sequence = 1;
    bool dropped = false;
  };
  struct Access {
    ptl_process_id_t match_id;
    ptl_uid_t uid;
    ptl_jid_t jid;
    ptl_pt_index_t pt_index;
  };
  std::vector<Entry> entries;
  std::vector<Descriptor> descriptors;
  std::vector<Queue> queues;
  std::vector<Access> access;
  std::vector<std::vector<int>> portals;  ///< lists of entries
  std::uint64_t drops = 0, denied = 0, late = 0, events_lost = 0, failures = 0;

  // Calls; each returns its code. New objects are the last of their vector.
  int attach(ptl_pt_index_t pt_index, Entry entry, bool at_head);
  int attach_any(Entry entry, ptl_pt_index_t& pt_index);
  int insert(int base, Entry entry, bool before);
  int unlink_entry(int entry);
  int create(int entry, const ModelDescription& md, bool unlinks);  ///< entry -1: bind
  int unlink_descriptor(int descriptor);
  int update(int descriptor, const ModelDescription& md, int tested_queue);
  int get_event(int queue, ModelEvent& event);
  int put(int descriptor, std::uint64_t offset, std::uint64_t bytes, ModelOperation operation,
          ModelFlight& flight);
  int get(int descriptor, std::uint64_t offset, std::uint64_t bytes, ModelOperation& operation,
          ModelFlight& flight);
  int getput(int get_descriptor, int put_descriptor, ModelOperation& operation, ModelFlight& flight);

  // Arrivals.
  std::optional<ModelFlight> request(const ModelRequest& request);
  void acknowledged(const ModelOperation& operation, std::uint64_t matched, ptl_ni_fail_t fail);
  std::optional<ModelFlight> replied(const ModelOperation& operation, std::uint64_t matched);
  void reply_failed(const ModelOperation& operation, ptl_ni_fail_t fail);
  void undeliverable(const ModelOperation& operation);
  /// Returns whether an acknowledgement is sent.
  bool finalize(const ModelFlight& flight, ptl_ni_fail_t fail);

 private:
  int live_entries() const;
  int live_descriptors() const;
  int check_operation(int descriptor, std::uint64_t offset, std::uint64_t bytes,
                      const ModelOperation& operation) const;
  bool takes_answer(const ModelOperation& operation);
  void consume(Descriptor& descriptor);
  std::uint64_t post(int descriptor, ModelEvent event, ptl_event_kind_t kind);
  /// Gives the event a START event if the descriptor wants one.
  void start(int descriptor, ModelEvent& event, ptl_event_kind_t kind);
  std::uint64_t end(int descriptor, const ModelEvent& event, ptl_event_kind_t kind);
  void unlink_if_over(int descriptor, const ModelEvent& last, std::uint64_t cause);
  void remove(int descriptor);
};

}  // namespace aqueduct::test
