// Active messages, puts and gets between ranks by the messages of an MPI.
//
// An active message is one message of the stream (stream.hpp): a head, the arguments, the payload
// (parts/am_codec.hpp). A small put or get is as well (transfer_head.hpp); the bytes of a large one go
// between the two memories (bulk.hpp); or both go by one-sided calls, where those are faster (window.hpp).
//
// Flow control: a rank may have so many requests, puts and gets outstanding at another one as that keeps
// receives posted for it (parts/request_credits.hpp). Answers have room because of that.
//
// Replies get through: everything that arrives is taken, in order. What may not be delivered now, requests
// while a handler waits to reply, is parked in parcels, whose number credits bound.
//
// Threads: any. The session is held while MPI and what is here are touched, not while a handler runs.
#pragma once
#include <deque>

#include "conduit/mpi/bulk.hpp"
#include "conduit/mpi/stream.hpp"
#include "conduit/mpi/transfer_head.hpp"
#include "conduit/mpi/window.hpp"
#include "parts/am_codec.hpp"
#include "parts/operation_names.hpp"
#include "parts/parcels.hpp"
#include "parts/pending_replies.hpp"
#include "parts/request_credits.hpp"

namespace aqueduct::conduit::mpi {

class Engine final : public Rma, public parts::PendingReplies {
 public:
  /// Up to so many bytes a put or get is copied; what is larger is not.
  static constexpr std::size_t kMostCopied = std::size_t{8} << 10;

  Engine(Session& session, RankId rank, RankId size, Receiver& receiver);

  static Limits limits() { return {.max_medium = am::kMostMedium, .max_long = am::kMostMedium}; }
  Post inject(RankId target, const Message& request);
  Post reply(const Origin& origin, const Message& reply);
  unsigned poll(Scope scope);
  /// Long payloads, puts and gets reach segments and nothing else. On all ranks; `hosts`: who talks through
  /// MPI.
  void set_segments(std::span<const SegmentBounds> segments, const job::Layout& hosts);

  Post put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
           void* operation) override;
  Post get(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* operation) override;

  void list_unanswered(parts::ProbeList& peers) override;
  std::string missing_from(RankId peer) override;

 private:
  /// A put or get of ours.
  struct Operation {
    Done done = nullptr;
    void* argument = nullptr;
    void* to = nullptr;  // of a get
    std::size_t bytes = 0;
    RankId target = 0;
    bool is_put = false;
    bool is_sent = false;      // the source of a put may change
    bool is_answered = false;  // before that
  };
  /// What must be said as soon as there is room.
  struct Answer {
    RankId peer;
    TransferHead head;
  };
  using Finished = Window::Finished;
  enum class What : std::uint8_t { kNothing, kHandled, kParcel, kArrival };
  /// One thing that was found: what is left to do without the lock.
  struct Found {
    What what = What::kNothing;
    parts::Parcel* parcel = nullptr;
    Stream::Arrival arrival;
    parts::DecodedMessage decoded;
    Finished finished{};
  };

  // With the session held.
  Post send(RankId target, parts::AmKind kind, const Message& message);
  bool send_head(RankId peer, TransferHead head, const void* payload);
  void answer(RankId peer, const TransferHead& head);
  Found find_one(Scope scope, bool may_deliver);
  Finished handle(const Stream::Arrival& arrival);
  void serve(RankId peer, const TransferHead& head, std::span<const std::byte> bytes);
  Finished finish(RankId peer, const TransferHead& head, std::span<const std::byte> bytes);
  void bulk_is_over(const Bulk::Name& name);
  Finished retire(std::uint32_t name);
  void give_credits_back();
  [[noreturn]] static void say_that_it_is_over(RankId target);
  [[noreturn]] static void malformed(RankId source, const char* why);

  void deliver(Found& found);
  void wait_until_sent(std::uint32_t name);

  Session& session_;
  RankId rank_;
  Receiver& receiver_;
  SegmentBounds segment_;
  parts::RequestCredits credits_;
  Stream stream_;
  Bulk bulk_;
  Window window_;
  parts::OperationNames<Operation> operations_;
  std::deque<Answer> answers_;
  std::vector<Finished> finished_;  // to be told without the lock
  parts::ParcelPool parcels_;
  std::deque<parts::Parcel*> parked_requests_;
  std::deque<parts::Parcel*> parked_replies_;
};

}  // namespace aqueduct::conduit::mpi
