// How the participants of a job on several hosts find each other: a small server that whoever launches the
// job runs, and the client's side of it.
//
// A participant listens at a port of its own, tells the rendezvous its number and that port over a connection
// that ends with the answer, and is told the address of its parent in the tree (job/bootstrap/tree.hpp), or
// that the parent has not come yet: then it asks again after a moment. So the server holds no connection for
// longer than a greeting takes, however large the job is; it keeps 20 bytes for each participant.
//
// The key keeps others out (job/bootstrap/handshake.hpp). Two participants with the same number are told
// apart by their addresses: the second is refused. So is one that has been told of a job of another size, or
// speaks another version.
//
// The server is driven by its owner's loop:
//
//   Rendezvous rendezvous(key, hosts);
//   if (!rendezvous.open({})) ...;                       // errno
//   export_to_participants(rendezvous.port(), key.text());
//   for (;;) { rendezvous.add_to_poll(polled); poll(...); rendezvous.serve(); }
#pragma once
#include <vector>

#include "job/bootstrap/greeter.hpp"
#include "job/bootstrap/visitors.hpp"

namespace aqueduct::job {

class Rendezvous {
 public:
  Rendezvous(const net::JobKey& key, RankId participants);

  /// Listens; port 0: any. False with errno if that is not possible.
  bool open(const net::Address& where);
  std::uint16_t port() const { return net::local_address(listener_.get()).port; }

  void add_to_poll(std::vector<pollfd>& polled) const;
  /// Does what can be done now, and never blocks. One thread at a time. `refuse` hears of participants that
  /// are sent away because their job has another size.
  void serve(const Visitors::Refuse& refuse = {});

  /// How many have registered, and whether each has been told all it asks for.
  RankId registered() const { return registered_; }
  bool has_registered(RankId participant) const { return static_cast<bool>(addresses_[participant]); }
  bool is_over() const { return told_ == addresses_.size(); }
  std::uint64_t dropped() const { return visitors_.dropped(); }
  std::string describe_wrong_keys() const { return visitors_.describe_wrong_keys(); }

 private:
  Answer answer(const Greeting& greeting, const net::Address& from);

  net::Descriptor listener_;
  Visitors visitors_;
  std::vector<net::Address> addresses_;  // by number; without family: not here yet
  std::vector<bool> has_been_told_;
  RankId registered_ = 0;
  RankId told_ = 0;
};

/// The side of a participant.
class Registration {
 public:
  /// `greeting.number` registers at `rendezvous`, as soon as it advances.
  Registration(const net::Address& rendezvous, const Greeting& greeting, const net::JobKey& key,
               const Patience& patience = {})
      : number_(greeting.number),
        participants_(greeting.participants),
        advice_(patience.advice.empty() ? "" : "; " + patience.advice),
        greeter_(rendezvous, greeting, key, patience.longest) {}

  /// Goes on; never blocks. True when the parent is known. Ends the job with one line when the participant is
  /// refused, or when nobody answers.
  bool advance();
  /// Without family at the root, which has none.
  const net::Address& parent() const { return parent_; }

  void add_to_poll(std::vector<pollfd>& polled) const {
    if (!is_known_) greeter_.add_to_poll(polled);
  }
  /// How long it makes sense to sleep if nothing happens.
  int pause_ms() const { return greeter_.pause_ms(); }

 private:
  RankId number_;
  RankId participants_;
  std::string advice_;
  PersistentGreeter greeter_;
  bool is_known_ = false;
  net::Address parent_;
};

}  // namespace aqueduct::job
