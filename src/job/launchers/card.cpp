#include "job/launchers/card.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>

namespace aqueduct::job::launchers {
namespace {

constexpr std::string_view kVersion = "aq2";
constexpr std::string_view kNoSalt = "-";
constexpr std::size_t kFields = 7;
constexpr std::size_t kMostHostName = 64;

/// FNV-1a.
std::uint64_t digest(std::string_view text) {
  std::uint64_t value = 0xcbf2'9ce4'8422'2325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
  return value;
}

std::string first_line_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string link_text(const char* path) {
  char text[128];
  const ssize_t length = ::readlink(path, text, sizeof text);
  return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : "";
}

std::string own_host_name() {
  char name[kMostHostName + 1] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// Letters, digits, dots and hyphens: nothing that means something in a card or a launcher's line.
std::string plain_name(std::string name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !is_plain(c); }, '-');
  return name.empty() ? "unknown" : name;
}

std::string hexadecimal(std::uint64_t value) {
  char text[16];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value, 16);
  return {text, end};
}

bool read_hexadecimal(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

std::string setting(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::uint64_t host_identity() {
  std::string boot = first_line_of("/proc/sys/kernel/random/boot_id");
  if (boot.empty()) boot = first_line_of("/etc/machine-id") + "/" + own_host_name();
  return digest(boot + "/" + link_text("/proc/self/ns/pid") + "/" + link_text("/proc/self/ns/net") + "/" +
                std::to_string(::geteuid()));
}

RankCard RankCard::mine(bool is_first) {
  RankCard card;
  card.host = host_identity();
  net::fill_randomly({reinterpret_cast<std::uint8_t*>(&card.meeting), sizeof card.meeting});
  card.settings = digest(setting("AQUEDUCT_LAYOUT") + "\n" + setting("GASNET_SUPERNODE_MAXSIZE") + "\n" +
                         setting("AQUEDUCT_ON_FAILURE"));
  card.has_layout = !setting("AQUEDUCT_LAYOUT").empty();
  card.host_name = plain_name(own_host_name());
  if (is_first) card.salt = net::JobKey::random();
  return card;
}

std::string RankCard::text() const {
  const WipedText salt_text = salt ? salt.text() : WipedText(kNoSalt);
  return std::string(kVersion) + ":" + hexadecimal(host) + ":" + hexadecimal(meeting) + ":" +
         hexadecimal(settings) + ":" + (has_layout ? "1" : "0") + ":" + host_name + ":" +
         std::string(std::string_view(salt_text));
}

std::optional<RankCard> RankCard::parse(const std::string& text) {
  std::vector<std::string_view> fields;
  std::string_view rest = text;
  for (std::size_t colon; (colon = rest.find(':')) != rest.npos; rest.remove_prefix(colon + 1))
    fields.push_back(rest.substr(0, colon));
  fields.push_back(rest);
  if (fields.size() != kFields || fields[0] != kVersion) return std::nullopt;
  RankCard card;
  if (!read_hexadecimal(fields[1], card.host) || !read_hexadecimal(fields[2], card.meeting) ||
      !read_hexadecimal(fields[3], card.settings))
    return std::nullopt;
  if (fields[4] != "0" && fields[4] != "1") return std::nullopt;
  card.has_layout = fields[4] == "1";
  if (fields[5].empty() || fields[5].size() > kMostHostName ||
      plain_name(std::string(fields[5])) != fields[5])
    return std::nullopt;
  card.host_name = fields[5];
  if (fields[6] == kNoSalt) return card;
  const std::optional<net::JobKey> salt = net::JobKey::parse(fields[6]);
  if (!salt) return std::nullopt;
  card.salt = *salt;
  return card;
}

Layout hosts_by(const std::vector<RankCard>& cards) {
  std::map<std::uint64_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> host_of;
  host_of.reserve(cards.size());
  for (const RankCard& card : cards)
    host_of.push_back(
        numbers.try_emplace(card.host, static_cast<std::uint32_t>(numbers.size())).first->second);
  return Layout::of(host_of);
}

}  // namespace aqueduct::job::launchers
