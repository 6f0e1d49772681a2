// mpi: a conduit over a real MPI. One plug-in for each that it was built with: mpi-openmpi, mpi-mpich.
//
// Its parts: the session, which is MPI itself; the endpoint, which all others share; active messages; puts
// and gets. A poll takes what has arrived from the stream and gives it to the part whose it is.
//
// Flow control: a rank may have so many requests, puts and gets outstanding at another one
// (parts/request_credits.hpp). Answers may always be sent: what they answer bounds them.
//
// Threads: any. The session is held while MPI and what is here are touched, not while a handler runs.
#pragma once
#include "conduit/mpi/messages.hpp"
#include "conduit/mpi/transfers.hpp"
#include "parts/pending_replies.hpp"

namespace aqueduct::conduit::mpi {

class MpiConduit final : public Conduit, private parts::PendingReplies {
 public:
  explicit MpiConduit(const Opening& opening);

  Limits limits() const override { return Endpoint::limits(); }
  Post inject(RankId target, const Message& request) override { return messages_.inject(target, request); }
  Post reply(const Origin& origin, const Message& reply) override { return messages_.reply(origin, reply); }
  unsigned poll(Scope scope) override { return poll(scope, true); }
  void segments_attached(std::span<const SegmentBounds> segments) override;
  bool serves_any_thread() const override { return session_.serves_any_thread(); }
  void finish_sending(std::uint64_t most_ns) override;
  std::vector<observe::Missing> awaits() override { return parts::missing_answers(*this); }
  void count_resources(observe::ResourceCounts& counts) override;
  Rma* rma() override { return &transfers_; }

 private:
  /// `may_deliver`: handlers may run.
  unsigned poll(Scope scope, bool may_deliver);
  void take(const Stream::Arrival& arrival, Scope scope, bool may_deliver);
  unsigned do_the_rest() {
    busy_polls_ = 0;
    endpoint_.stream.post_used();
    if (endpoint_.credits.due_peers() != 0) [[unlikely]]
      endpoint_.give_credits_back();
    return (endpoint_.bulk.is_idle() ? 0 : endpoint_.bulk.advance()) + transfers_.advance();
  }

  void list_unanswered(parts::ProbeList& peers) override;
  std::string missing_from(RankId peer) override;

  world::World& world_;
  const job::Membership& place_;
  Session session_;
  Endpoint endpoint_;
  Messages messages_;
  Transfers transfers_;
  unsigned busy_polls_ = 0;  // since the last time that the rest was done
};

}  // namespace aqueduct::conduit::mpi
