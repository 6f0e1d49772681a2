#include "job/bootstrap/greeter.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace aqueduct::job {

Greeter::Greeter(const net::Address& where, const Greeting& greeting, const net::JobKey& key)
    : greeting_(greeting), key_(key), socket_(net::connect_to(where)) {
  greeting_.nonce = random_nonce();
  if (!socket_) error_ = errno;
}

Greeter::State Greeter::close(int error) {
  socket_.close();
  error_ = error;
  return State::kClosed;
}

template <class Message>
bool Greeter::send_all(const Message& message) {
  const auto* const bytes = reinterpret_cast<const char*>(&message);
  while (moved_ < sizeof message) {
    const net::Transferred sent = net::send_some(socket_.get(), bytes + moved_, sizeof message - moved_);
    is_closed_ = sent.is_closed;
    error_ = sent.error;
    if (sent.bytes == 0) return false;
    moved_ += sent.bytes;
  }
  moved_ = 0;
  return true;
}

template <class Message>
bool Greeter::receive_all(Message& message) {
  auto* const bytes = reinterpret_cast<char*>(&message);
  while (moved_ < sizeof message) {
    const net::Transferred got = net::receive_some(socket_.get(), bytes + moved_, sizeof message - moved_);
    is_closed_ = got.is_closed;
    error_ = got.error;
    if (got.bytes == 0) return false;
    moved_ += got.bytes;
  }
  moved_ = 0;
  return true;
}

Greeter::State Greeter::advance() {
  if (!socket_) return State::kClosed;
  const auto unfinished = [&] { return is_closed_ ? close(error_) : State::kUnderWay; };
  switch (step_) {
    case Step::kGreets:
      if (!send_all(greeting_)) return unfinished();
      step_ = Step::kIsChallenged;
      [[fallthrough]];
    case Step::kIsChallenged:
      if (!receive_all(challenge_)) {
        const bool has_version = moved_ >= Challenge::kCommonBytes && challenge_.magic == Greeting::kMagic &&
                                 challenge_.version != kGreetingVersion;
        if (!has_version) return unfinished();
      }
      if (challenge_.magic != Greeting::kMagic) return close(EPROTO);
      if (challenge_.version != kGreetingVersion) {
        answer_.version = challenge_.version;
        answer_.verdict = GreetingVerdict::kOtherVersion;
        return State::kAnswered;
      }
      if (challenge_.verdict != GreetingVerdict::kProve) return close(EPROTO);
      proof_ = prove(key_, greeting_, challenge_);
      step_ = Step::kProves;
      [[fallthrough]];
    case Step::kProves:
      if (!send_all(proof_)) return unfinished();
      step_ = Step::kIsAnswered;
      [[fallthrough]];
    case Step::kIsAnswered:
      if (!receive_all(answer_)) return unfinished();
  }
  const bool is_theirs = answer_.magic == Greeting::kMagic && answer_.version == kGreetingVersion &&
                         is_same_secret(answer_.tag, tag_of(key_, greeting_, challenge_, answer_));
  return is_theirs ? State::kAnswered : close(EPROTO);
}

std::string Greeter::why() const {
  return error_ == 0 ? "the connection was closed without an answer" : std::strerror(error_);
}

PersistentGreeter::PersistentGreeter(const net::Address& where, const Greeting& greeting,
                                     const net::JobKey& key, std::chrono::milliseconds patience)
    : where_(where), greeting_(greeting), key_(key), patience_(patience) {}

Greeter::State PersistentGreeter::advance() {
  using enum Greeter::State;
  constexpr auto kLongestReached = std::chrono::seconds(1);
  constexpr unsigned kMostTries = 12;
  if (!is_trying_) {
    if (Clock::now() < next_try_) return kUnderWay;
    if (!answered_) answered_ = Clock::now();
    greeter_ = Greeter(where_, greeting_, key_);
    is_trying_ = true;
  }
  const Greeter::State state = greeter_.advance();
  const auto since = Clock::now() - *answered_;
  if (state == kUnderWay) return since > patience_ ? kClosed : kUnderWay;
  if (state == kAnswered) return state;
  is_trying_ = false;
  if (++tries_ >= kMostTries && since > (greeter_.is_reached() ? kLongestReached : patience_)) return kClosed;
  pause();
  return kUnderWay;
}

void PersistentGreeter::greet_again() {
  tries_ = 0;
  answered_ = Clock::now();
  patience_ = std::min(patience_, Patience().longest);
  pause();
}

void PersistentGreeter::pause() {
  constexpr std::chrono::milliseconds kLongestPause(100);
  is_trying_ = false;
  next_try_ = Clock::now() + pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
}

void PersistentGreeter::add_to_poll(std::vector<pollfd>& polled) const {
  if (!is_trying_ || greeter_.fd() < 0) return;
  const short events = greeter_.wants_to_send() ? POLLIN | POLLOUT : POLLIN;
  polled.push_back({greeter_.fd(), events, 0});
}

int PersistentGreeter::pause_ms() const {
  constexpr int kLong = 100;
  if (is_trying_) return kLong;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_try_ - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, kLong));
}

}  // namespace aqueduct::job
