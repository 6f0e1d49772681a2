#include "job/launchers/given_key.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "job/place/variables.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::job::launchers {
namespace {

constexpr char kFile[] = "AQUEDUCT_JOB_KEY_FILE";
constexpr std::string_view kNoKey = "none";

net::JobKey key_in_file(const char* path) {
  // O_NONBLOCK: the name of a pipe is an error instead of a hang.
  const net::Descriptor file(::open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat status = {};
  if (!file || ::fstat(file.get(), &status) != 0)
    fatal("environment", "%s=%s cannot be opened: %s", kFile, path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fatal("environment", "%s=%s is not a file", kFile, path);
  if (status.st_uid != ::geteuid())
    fatal("environment", "%s=%s belongs to another user; make a key of your own", kFile, path);
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    fatal("environment", "%s=%s is open to others; make a new key, in a file of mode 600", kFile, path);
  char text[2 * net::JobKey::kBytes + 16];
  const ssize_t length = ::read(file.get(), text, sizeof text);
  std::string_view digits(text, length > 0 ? static_cast<std::size_t>(length) : 0);
  while (!digits.empty() && std::strchr(" \t\r\n", digits.back()) != nullptr) digits.remove_suffix(1);
  const std::optional<net::JobKey> key = net::JobKey::parse(digits);
  wipe(text, sizeof text);
  if (!key)
    fatal("environment", "%s=%s does not hold %zu hexadecimal digits", kFile, path, 2 * net::JobKey::kBytes);
  return *key;
}

}  // namespace

std::optional<net::JobKey> given_key() {
  const WipedText text = take_secret_variable(place::kKey);
  const char* const path = env::text({kFile});
  if (!text.empty() && path != nullptr)
    fatal("environment", "%s and %s are both set; unset one of them", place::kKey, kFile);
  if (path != nullptr) return key_in_file(path);
  if (text.empty()) return std::nullopt;
  if (text == kNoKey) return net::JobKey();
  std::optional<net::JobKey> key = net::JobKey::parse(text);
  if (!key)
    fatal("environment", "%s is malformed; it is %zu hexadecimal digits, or %s", place::kKey,
          2 * net::JobKey::kBytes, kNoKey.data());
  return key;
}

}  // namespace aqueduct::job::launchers
