#include "job/bootstrap/rendezvous.hpp"

#include "base/fatal.hpp"
#include "job/bootstrap/tree.hpp"

namespace aqueduct::job {

Rendezvous::Rendezvous(const net::JobKey& key, RankId participants)
    : visitors_(key, Greeting::Purpose::kRegister, participants),
      addresses_(participants),
      has_been_told_(participants) {}

bool Rendezvous::open(const net::Address& where) {
  listener_ = net::listen_at(where);
  return static_cast<bool>(listener_);
}

void Rendezvous::add_to_poll(std::vector<pollfd>& polled) const {
  polled.push_back({listener_.get(), POLLIN, 0});
  visitors_.add_to_poll(polled);
}

void Rendezvous::serve(const Visitors::Refuse& refuse) {
  visitors_.serve(
      listener_.get(),
      [this](const Greeting& greeting, net::Descriptor& connection) {
        return answer(greeting, net::peer_address(connection.get()));
      },
      refuse);
}

GreetingAnswer Rendezvous::answer(const Greeting& greeting, const net::Address& from) {
  if (greeting.purpose == Greeting::Purpose::kFind) return {};
  net::Address theirs = greeting.listens_at;
  if (!theirs) {
    theirs = from;
    theirs.port = greeting.listens_at.port;
  }
  GreetingAnswer answer;
  answer.number = greeting.number;
  net::Address& known = addresses_[greeting.number];
  if (known && known != theirs) {
    answer.verdict = GreetingVerdict::kTaken;
    answer.address = known;
    return answer;
  }
  if (!known) ++registered_;
  known = theirs;
  if (greeting.number != 0) {
    answer.address = addresses_[Tree::parent(greeting.number)];
    if (!answer.address) {
      answer.verdict = GreetingVerdict::kNotYet;
      return answer;
    }
  }
  if (!has_been_told_[greeting.number]) ++told_;
  has_been_told_[greeting.number] = true;
  return answer;
}

bool RendezvousRegistration::advance() {
  if (is_known_) return true;
  const std::string rendezvous = "the rendezvous at " + greeter_.where().text();
  switch (greeter_.advance()) {
    case Greeter::State::kUnderWay:
      return false;
    case Greeter::State::kClosed:
      fatal("start", "%s does not take number %u in: %s%s%s", rendezvous.c_str(), number_,
            greeter_.why().c_str(), greeter_.is_reached() ? "; its key may be that of another job" : "",
            advice_.c_str());
    case Greeter::State::kAnswered:
      break;
  }
  const GreetingAnswer& answer = greeter_.answer();
  if (answer.version != kGreetingVersion) refuse_version(rendezvous, answer.version);
  switch (answer.verdict) {
    case GreetingVerdict::kWelcome:
      parent_ = answer.address;
      greeter_.take_connection().close();
      return is_known_ = true;
    case GreetingVerdict::kNotYet:
      greeter_.greet_again();
      return false;
    case GreetingVerdict::kTaken:
      fatal("start", "two participants have the number %u: this one, and one at %s%s", number_,
            answer.address.text().c_str(), advice_.c_str());
    case GreetingVerdict::kOtherSize:
      fatal("start", "number %u was told of a job of %u participants, and %s of one of %u%s", number_,
            participants_, rendezvous.c_str(), answer.number, advice_.c_str());
    case GreetingVerdict::kOtherVersion:
    case GreetingVerdict::kProve:
      break;
  }
  fatal("start", "%s gives an answer that cannot be", rendezvous.c_str());
}

}  // namespace aqueduct::job
