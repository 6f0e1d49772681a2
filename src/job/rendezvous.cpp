#include "job/rendezvous.hpp"

#include <algorithm>

#include "base/fatal.hpp"
#include "job/tree.hpp"

namespace aqueduct::job {

Rendezvous::Rendezvous(const JobKey& key, RankId participants)
    : visitors_(key, Greeting::Purpose::kRegister, participants),
      addresses_(participants),
      has_been_told_(participants) {}

bool Rendezvous::open(const NetAddress& where) {
  listener_ = listen_at(where);
  return static_cast<bool>(listener_);
}

void Rendezvous::add_to_poll(std::vector<pollfd>& polled) const {
  polled.push_back({listener_.get(), POLLIN, 0});
  visitors_.add_to_poll(polled);
}

void Rendezvous::serve() {
  visitors_.serve(listener_.get(), [this](const Greeting& greeting, Descriptor& connection) {
    return answer(greeting, peer_address(connection.get()));
  });
}

Answer Rendezvous::answer(const Greeting& greeting, const NetAddress& from) {
  NetAddress theirs = greeting.listens_at;
  if (!theirs) {
    theirs = from;
    theirs.port = greeting.listens_at.port;
  }
  Answer answer;
  answer.number = greeting.number;
  NetAddress& known = addresses_[greeting.number];
  if (known && known != theirs) {
    answer.verdict = Verdict::kTaken;
    answer.address = known;
    return answer;
  }
  if (!known) ++registered_;
  known = theirs;
  if (greeting.number != 0) {
    answer.address = addresses_[Tree::parent(greeting.number)];
    if (!answer.address) {
      answer.verdict = Verdict::kNotYet;
      return answer;
    }
  }
  if (!has_been_told_[greeting.number]) ++told_;
  has_been_told_[greeting.number] = true;
  return answer;
}

Registration::Registration(const NetAddress& rendezvous, const Greeting& greeting)
    : rendezvous_(rendezvous), greeting_(greeting) {}

bool Registration::advance() {
  constexpr auto kLongest = std::chrono::seconds(10);
  constexpr unsigned kMostTries = 12;
  if (is_known_) return true;
  if (!is_trying_) {
    if (Clock::now() < next_try_) return false;
    if (!answered_) answered_ = Clock::now();
    greeter_ = Greeter(rendezvous_, greeting_);
    is_trying_ = true;
  }
  switch (greeter_.advance()) {
    case Greeter::State::kUnderWay:
      return false;
    case Greeter::State::kClosed:
      if (++tries_ >= kMostTries && Clock::now() - *answered_ > std::chrono::seconds(1) &&
          (greeter_.is_reached() || Clock::now() - *answered_ > kLongest)) {
        fatal("start", "the rendezvous at %s does not take number %u in: %s%s", rendezvous_.text().c_str(),
              greeting_.number, greeter_.why().c_str(),
              greeter_.is_reached() ? "; its key may be that of another job" : "");
      }
      try_again();
      return false;
    case Greeter::State::kAnswered:
      break;
  }
  const Answer& answer = greeter_.answer();
  if (answer.version != kGreetingVersion)
    refuse_version(("the rendezvous at " + rendezvous_.text()), answer.version);
  switch (answer.verdict) {
    case Verdict::kWelcome:
      parent_ = answer.address;
      greeter_.take_connection().close();
      return is_known_ = true;
    case Verdict::kNotYet:
      tries_ = 0;
      answered_ = Clock::now();
      try_again();
      return false;
    case Verdict::kTaken:
      fatal("start", "two participants have the number %u: this one, and one at %s", greeting_.number,
            answer.address.text().c_str());
    case Verdict::kOtherSize:
      fatal("start", "number %u was told of a job of %u participants, and the rendezvous at %s of one of %u",
            greeting_.number, greeting_.participants, rendezvous_.text().c_str(), answer.number);
    case Verdict::kOtherVersion:
      break;
  }
  fatal("start", "the rendezvous at %s gives an answer that cannot be", rendezvous_.text().c_str());
}

void Registration::try_again() {
  constexpr std::chrono::milliseconds kLongestPause(100);
  is_trying_ = false;
  next_try_ = Clock::now() + pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
}

void Registration::add_to_poll(std::vector<pollfd>& polled) const {
  if (is_known_ || !is_trying_ || greeter_.fd() < 0) return;
  const short events = greeter_.wants_to_send() ? POLLIN | POLLOUT : POLLIN;
  polled.push_back({greeter_.fd(), events, 0});
}

int Registration::pause_ms() const {
  constexpr int kLong = 100;
  if (is_known_ || is_trying_) return kLong;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_try_ - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, kLong));
}

}  // namespace aqueduct::job
