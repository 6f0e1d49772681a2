#include "net/job_key.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fatal.hpp"
#include "base/sha256.hpp"

namespace aqueduct::net {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

int hex_value(char digit) {
  const char* const at = digit == '\0' ? nullptr : std::strchr(kHexDigits, digit);
  return at ? static_cast<int>(at - kHexDigits) : -1;
}

}  // namespace

void fill_randomly(std::span<std::uint8_t> bytes) {
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    fatal("start", "the system gives no random numbers: %s", std::strerror(errno));
}

JobKey JobKey::filled_by(const std::function<void(std::span<std::uint8_t, kBytes>)>& fill) {
  const std::shared_ptr<Secret> secret(new Secret);
  fill(secret->bytes);
  JobKey key;
  key.secret_ = secret;
  return key;
}

JobKey JobKey::random() {
  return filled_by([](std::span<std::uint8_t> bytes) { fill_randomly(bytes); });
}

std::optional<JobKey> JobKey::parse(std::string_view text) {
  const auto is_digit = [](char digit) { return hex_value(digit) >= 0; };
  if (text.size() != 2 * kBytes || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  return filled_by([&](std::span<std::uint8_t> bytes) {
    for (std::size_t i = 0; i < kBytes; ++i)
      bytes[i] = static_cast<std::uint8_t>(hex_value(text[2 * i]) << 4 | hex_value(text[2 * i + 1]));
  });
}

JobKey JobKey::derive(std::span<const std::uint8_t> salt) const {
  return filled_by([&](std::span<std::uint8_t> bytes) {
    constexpr std::string_view kPurpose = "aqueduct, key of a job";
    HmacSha256 code(JobKey::bytes());
    code.add({reinterpret_cast<const std::uint8_t*>(kPurpose.data()), kPurpose.size()}).add(salt);
    Sha256::Digest digest = code.finish();
    static_assert(sizeof digest == kBytes);
    std::copy(digest.begin(), digest.end(), bytes.begin());
    wipe(std::span(digest));
  });
}

WipedText JobKey::text() const {
  WipedText text;
  text.reserve(2 * kBytes);
  for (const std::uint8_t byte : bytes()) {
    text += kHexDigits[byte >> 4];
    text += kHexDigits[byte & 15];
  }
  return text;
}

bool JobKey::operator==(const JobKey& other) const { return is_same_secret(bytes(), other.bytes()); }

}  // namespace aqueduct::net
