// How the participants of a job on several hosts find each other: a small server, which the launcher of the
// job runs, and the participant's side.
//
// A participant listens at a port of its own and sends its number and that port to the rendezvous. The
// answer, which ends the connection, is the address of its parent in the tree (job/bootstrap/tree.hpp), or
// that the parent has not come yet: then the participant asks again after a moment. So the server holds a
// connection only for one handshake, and keeps 20 bytes for each participant.
//
// The key keeps strangers out (job/bootstrap/handshake.hpp). Of two participants with the same number, known
// by their addresses, the second is refused. So is a participant of a job of another size or of another
// version.
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

  /// Listens at `where`; port 0 means any port. False with errno if that is not possible.
  bool open(const net::Address& where);
  std::uint16_t port() const { return net::local_address(listener_.get()).port; }

  void add_to_poll(std::vector<pollfd>& polled) const;
  /// Serves what waits, and never blocks. One thread at a time. `refuse` is called for each participant that
  /// is sent away because its job has another size.
  void serve(const Visitors::Refuse& refuse = {});

  /// registered(): how many have registered. is_over(): every participant has its final answer.
  RankId registered() const { return registered_; }
  bool has_registered(RankId participant) const { return static_cast<bool>(addresses_[participant]); }
  bool is_over() const { return told_ == addresses_.size(); }
  std::uint64_t dropped() const { return visitors_.dropped(); }
  std::string describe_wrong_keys() const { return visitors_.describe_wrong_keys(); }

 private:
  GreetingAnswer answer(const Greeting& greeting, const net::Address& from);

  net::Descriptor listener_;
  Visitors visitors_;
  std::vector<net::Address> addresses_;  // by number; without family until the participant has registered
  std::vector<bool> has_been_told_;
  RankId registered_ = 0;
  RankId told_ = 0;
};

/// The side of a participant.
class RendezvousRegistration {
 public:
  /// Registers the participant of `greeting` at `rendezvous`, while it advances.
  RendezvousRegistration(const net::Address& rendezvous, const Greeting& greeting, const net::JobKey& key,
                         const Patience& patience = {})
      : number_(greeting.number),
        participants_(greeting.participants),
        advice_(patience.advice.empty() ? "" : "; " + patience.advice),
        greeter_(rendezvous, greeting, key, patience.longest) {}

  /// Does what is possible without waiting. True once the parent is known. Ends the job with one line if the
  /// participant is refused or nobody answers.
  bool advance();
  /// At the root, which has no parent, an address without family.
  const net::Address& parent() const { return parent_; }

  void add_to_poll(std::vector<pollfd>& polled) const {
    if (!is_known_) greeter_.add_to_poll(polled);
  }
  /// How long the caller may sleep if nothing happens.
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
