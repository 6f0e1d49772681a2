#include "job/bootstrap/visitors.hpp"

#include <cerrno>

namespace aqueduct::job {

void Visitors::serve(int listener, const Receive& receive, const Refuse& refuse) {
  accept_all(listener);
  std::erase_if(waiting_, [&](Visitor& visitor) {
    const Hearing hearing = hear(visitor, receive, refuse);
    if (hearing == Hearing::kDropped) ++dropped_;
    return hearing != Hearing::kGoesOn;
  });
}

void Visitors::add_to_poll(std::vector<pollfd>& polled) const {
  for (const Visitor& visitor : waiting_) polled.push_back({visitor.connection.get(), POLLIN, 0});
}

void Visitors::accept_all(int listener) {
  // Accepts few at a time, so that each visitor is read several times before it may be dropped.
  for (std::size_t accepted = 0; accepted < kMost / 8; ++accepted) {
    net::Descriptor connection = net::accept_from(listener);
    const bool is_full = !connection && (errno == EMFILE || errno == ENFILE);
    if (is_full || (connection && waiting_.size() >= kMost)) {
      if (waiting_.empty()) return;
      waiting_.pop_front();
      ++dropped_;
    }
    if (!connection) {
      if (is_full || errno == ECONNABORTED || errno == EINTR) continue;
      return;
    }
    waiting_.push_back({.connection = std::move(connection), .heard = {}});
  }
}

Visitors::Hearing Visitors::hear(Visitor& visitor, const Receive& receive, const Refuse& refuse) {
  // Larger than a greeting: a later version's may be longer, and too many bytes must be noticed.
  char buffer[512];
  const net::Transferred got = net::receive_some(visitor.connection.get(), buffer, sizeof buffer);
  visitor.heard.append(buffer, got.bytes);
  const Hearing hearing = visitor.challenge ? admit(visitor, receive, refuse) : challenge(visitor);
  return hearing == Hearing::kGoesOn && got.is_closed ? Hearing::kDropped : hearing;
}

Visitors::Hearing Visitors::challenge(Visitor& visitor) {
  const Examined examined = examine_greeting(visitor.heard, purpose_);
  Challenge challenge;
  switch (examined.state) {
    case Examined::State::kIncomplete:
      return Hearing::kGoesOn;
    case Examined::State::kStranger:
      return Hearing::kDropped;
    case Examined::State::kOtherVersion:
      challenge.verdict = GreetingVerdict::kOtherVersion;
      net::send_some(visitor.connection.get(), &challenge, sizeof challenge);
      return Hearing::kDropped;
    case Examined::State::kComplete:
      break;
  }
  challenge.nonce = random_nonce();
  visitor.greeting = examined.greeting;
  visitor.challenge = challenge;
  visitor.heard.clear();
  // This always fits into the send buffer of a new connection.
  net::send_some(visitor.connection.get(), &challenge, sizeof challenge);
  return Hearing::kGoesOn;
}

Visitors::Hearing Visitors::admit(Visitor& visitor, const Receive& receive, const Refuse& refuse) {
  const Greeting& greeting = visitor.greeting;
  if (visitor.heard.size() < sizeof(Proof)) return Hearing::kGoesOn;
  const std::span heard(reinterpret_cast<const std::uint8_t*>(visitor.heard.data()), visitor.heard.size());
  if (!is_same_secret(heard, prove(key_, greeting, *visitor.challenge))) {
    note_wrong_key(net::peer_address(visitor.connection.get()));
    return Hearing::kDropped;
  }
  const int fd = visitor.connection.get();
  GreetingAnswer answer;
  const bool is_of_other_size = greeting.participants != participants_;
  if (is_of_other_size) {
    answer.verdict = GreetingVerdict::kOtherSize;
    answer.number = participants_;
  } else if (greeting.number >= participants_) {
    return Hearing::kDropped;
  } else {
    answer = receive(greeting, visitor.connection);
  }
  answer.tag = tag_of(key_, greeting, *visitor.challenge, answer);
  net::send_some(fd, &answer, sizeof answer);
  if (is_of_other_size && refuse) refuse(greeting);
  return Hearing::kOver;
}

void Visitors::note_wrong_key(net::Address from) {
  from.port = 0;
  for (auto& [host, count] : wrong_keys_) {
    if (host == from) {
      ++count;
      return;
    }
  }
  if (wrong_keys_.size() == kMostNamed) {
    ++wrong_elsewhere_;
  } else {
    wrong_keys_.emplace_back(from, 1);
  }
}

std::string Visitors::describe_wrong_keys() const {
  if (wrong_keys_.empty()) return {};
  std::string text = "; connections with a wrong key were refused: ";
  for (const auto& [host, count] : wrong_keys_) {
    const std::string address = host.text();
    text += (&host == &wrong_keys_[0].first ? "" : ", ") + std::to_string(count) + " from " +
            address.substr(0, address.rfind(':'));
  }
  if (wrong_elsewhere_ != 0) text += ", " + std::to_string(wrong_elsewhere_) + " from elsewhere";
  return text;
}

}  // namespace aqueduct::job
