// How participants of a job on several hosts make themselves known over TCP, the same to the rendezvous and
// to a node of the tree. Each side proves that it knows the job's key; the key itself is never sent.
//
//   greets                                             is greeted
//   Greeting   magic, version | its nonce, what for, who, of how many, where others reach it  ──▶
//          ◀──  Challenge  magic, version, verdict | its nonce
//   Proof      tag of both messages  ──▶
//          ◀──  Answer     magic, version, verdict | a number, an address, tag of all messages
//
// What stands before the bar stays as it is in all versions, so that two that differ can say so: the one that
// greets does, because the one that is greeted does not know yet whether it has to do with a participant. Who
// greets with the wrong magic or proves nothing is dropped without an answer: it is none of ours.
//
// Tags are HMAC-SHA-256 under the job's key. Nonces are random, so nothing that was said once is worth
// anything in another connection. What follows on the connection is neither authenticated nor encrypted: this
// keeps out who can connect, not who can change what others send.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/sha256.hpp"
#include "base/types.hpp"
#include "net/address.hpp"
#include "net/job_key.hpp"

namespace aqueduct::job {

inline constexpr std::uint32_t kGreetingVersion = 2;

using Nonce = std::array<std::uint8_t, 16>;
Nonce random_nonce();

struct Greeting {
  static constexpr std::uint64_t kMagic = 0x5442'4151'5545'4455;
  static constexpr std::size_t kCommonBytes = 16;
  enum class Purpose : std::uint32_t {
    kRegister = 1,
    kJoin = 2,
    kFind = 3,    ///< at a rendezvous: whether it can be reached, and no more
    kReport = 4,  ///< a host's warden, to that of the first host
  };

  std::uint64_t magic = kMagic;
  std::uint32_t version = kGreetingVersion;
  std::uint32_t spare = 0;
  Nonce nonce{};
  Purpose purpose = Purpose::kRegister;
  std::uint32_t number = 0;        ///< of the participant
  std::uint32_t participants = 0;  ///< in all
  net::Address listens_at;         ///< its port; with a host only if that differs from where it connects from
};
static_assert(sizeof(Greeting) == 64 && offsetof(Greeting, nonce) == Greeting::kCommonBytes);

enum class Verdict : std::uint32_t {
  kWelcome = 1,
  kNotYet = 2,        ///< the one you ask for has not come yet
  kTaken = 3,         ///< somebody else has this number: `address`
  kOtherVersion = 4,  ///< than `version`
  kOtherSize = 5,     ///< of the job, which has `number` participants
  kProve = 6,         ///< that you know the key
};

struct Challenge {
  static constexpr std::size_t kCommonBytes = 16;

  std::uint64_t magic = Greeting::kMagic;
  std::uint32_t version = kGreetingVersion;
  Verdict verdict = Verdict::kProve;
  Nonce nonce{};
};
static_assert(sizeof(Challenge) == 32 && offsetof(Challenge, nonce) == Challenge::kCommonBytes);

using Proof = Sha256::Digest;

struct Answer {
  std::uint64_t magic = Greeting::kMagic;
  std::uint32_t version = kGreetingVersion;
  Verdict verdict = Verdict::kWelcome;
  std::uint32_t number = 0;
  net::Address address;
  Sha256::Digest tag{};
};
static_assert(sizeof(Answer) == 72);

/// What the one who greets sends in return for a challenge.
Proof prove(const net::JobKey& key, const Greeting& greeting, const Challenge& challenge);
/// The tag of an answer.
Sha256::Digest tag_of(const net::JobKey& key, const Greeting& greeting, const Challenge& challenge,
                      const Answer& answer);

/// Ends the job with one line that names both versions: that of `who`, and ours.
[[noreturn]] void refuse_version(const std::string& who, std::uint32_t theirs);

/// What is to become of a connection whose first bytes are these.
struct Examined {
  enum class State : std::uint8_t {
    kIncomplete,    ///< wait for more
    kStranger,      ///< drop it
    kOtherVersion,  ///< say so, then drop it
    kComplete,      ///< but nothing is proved yet
  } state = State::kIncomplete;
  Greeting greeting;
};

/// `bytes` may be fewer than a greeting has.
Examined examine_greeting(std::string_view bytes, Greeting::Purpose purpose);

}  // namespace aqueduct::job
