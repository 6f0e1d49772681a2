// The handshake of participants of a job on several hosts, over TCP; the rendezvous, nodes of the tree and
// wardens all use it. Each side proves that it knows the job's key; the key itself is never sent.
//
//   greets                                             is greeted
//   Greeting   magic, version | its nonce, what for, who, of how many, where others reach it  ──▶
//          ◀──  Challenge  magic, version, verdict | its nonce
//   Proof      tag of both messages  ──▶
//          ◀──  GreetingAnswer  magic, version, verdict | a number, an address, tag of all messages
//
// The fields before the bar are the same in all versions, so that two sides of different versions can report
// it: the greeting side does, because the other side does not know yet whether its visitor is a participant.
// A visitor that sends the wrong magic or a wrong proof is dropped without an answer.
//
// Tags are HMAC-SHA-256 under the job's key. Nonces are random, so recorded messages are useless in another
// connection. What follows on the connection is neither authenticated nor encrypted: the handshake keeps
// strangers from joining; it does not stop somebody who can change the bytes of others.
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
    kFind = 3,    ///< at a rendezvous: only tests that it can be reached
    kReport = 4,  ///< a host's warden connects to the first host's warden
  };

  std::uint64_t magic = kMagic;
  std::uint32_t version = kGreetingVersion;
  std::uint32_t spare = 0;
  Nonce nonce{};
  Purpose purpose = Purpose::kRegister;
  std::uint32_t number = 0;        ///< of the participant
  std::uint32_t participants = 0;  ///< in all
  net::Address listens_at;  ///< its port; has a host only if that differs from the address it connects from
};
static_assert(sizeof(Greeting) == 64 && offsetof(Greeting, nonce) == Greeting::kCommonBytes);

enum class GreetingVerdict : std::uint32_t {
  kWelcome = 1,
  kNotYet = 2,        ///< the parent has not registered yet
  kTaken = 3,         ///< the participant at `address` has this number
  kOtherVersion = 4,  ///< our version is `version`
  kOtherSize = 5,     ///< the job has `number` participants
  kProve = 6,         ///< prove that you know the key
};

struct Challenge {
  static constexpr std::size_t kCommonBytes = 16;

  std::uint64_t magic = Greeting::kMagic;
  std::uint32_t version = kGreetingVersion;
  GreetingVerdict verdict = GreetingVerdict::kProve;
  Nonce nonce{};
};
static_assert(sizeof(Challenge) == 32 && offsetof(Challenge, nonce) == Challenge::kCommonBytes);

using Proof = Sha256::Digest;

struct GreetingAnswer {
  std::uint64_t magic = Greeting::kMagic;
  std::uint32_t version = kGreetingVersion;
  GreetingVerdict verdict = GreetingVerdict::kWelcome;
  std::uint32_t number = 0;
  net::Address address;
  Sha256::Digest tag{};
};
static_assert(sizeof(GreetingAnswer) == 72);

/// The greeting side's reply to a challenge.
Proof prove(const net::JobKey& key, const Greeting& greeting, const Challenge& challenge);
/// The tag of an answer.
Sha256::Digest tag_of(const net::JobKey& key, const Greeting& greeting, const Challenge& challenge,
                      const GreetingAnswer& answer);

/// Ends the job with one line that names the version of `who` and ours.
[[noreturn]] void refuse_version(const std::string& who, std::uint32_t theirs);

/// What to do with a connection, by its first bytes.
struct Examined {
  enum class State : std::uint8_t {
    kIncomplete,    ///< wait for more
    kStranger,      ///< drop it
    kOtherVersion,  ///< say so, then drop it
    kComplete,      ///< a greeting, whose sender has proved nothing yet
  } state = State::kIncomplete;
  Greeting greeting;
};

/// `bytes` may be fewer than a greeting has.
Examined examine_greeting(std::string_view bytes, Greeting::Purpose purpose);

}  // namespace aqueduct::job
