#include "base/env.hpp"

#include <strings.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>
#include <string>

#include "base/fatal.hpp"

namespace aqueduct::env {
namespace {

struct Setting {
  const char* name = nullptr;
  const char* value = nullptr;
};

Setting find(Names names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return {name, value};
  }
  return {};
}

/// Whether this is the first question for the name. The set outlives every thread that may still ask.
bool is_news(const char* name) {
  static std::mutex& lock = *new std::mutex;
  static std::set<std::string>& reported = *new std::set<std::string>;
  const std::lock_guard guard(lock);
  return reported.insert(name).second;
}

/// Reports what was found, or under the last name, which is the one that users know, what counts instead.
void report_found(Names names, const Setting& setting, const char* fallback) {
  if (!is_verbose()) return;
  if (setting.value != nullptr) {
    report(setting.name, setting.value, false);
  } else {
    report(*(names.end() - 1), fallback != nullptr ? fallback : "*not set*", true);
  }
}

[[noreturn]] void refuse(const Setting& setting, const char* accepted) {
  fatal("environment", "%s='%s' is not %s", setting.name, setting.value, accepted);
}

bool is_one_of(const char* value, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    if (strcasecmp(value, word) == 0) return true;
  }
  return false;
}

/// The factor that a suffix K, M, G or T (then perhaps B), or a bare B, stands for; moves past it.
double take_unit(const char*& rest) {
  static constexpr char kUnits[] = "KMGT";
  double factor = 1;
  const char upper = static_cast<char>(std::toupper(static_cast<unsigned char>(*rest)));
  if (const char* unit = upper != '\0' ? std::strchr(kUnits, upper) : nullptr) {
    factor = std::ldexp(1.0, 10 * static_cast<int>(unit - kUnits + 1));
    ++rest;
  }
  if (*rest == 'B' || *rest == 'b') ++rest;
  return factor;
}

struct Quantity {
  double number = 0;
  bool has_unit = false;
  bool has_point = false;
  double bytes = 0;
  const char* rest = nullptr;
};

/// Digits with an optional point, and a unit. No sign, no exponent, no hexadecimal: strtod alone would take
/// them all.
std::optional<Quantity> parse_quantity(const char* value) {
  const std::size_t length = std::strspn(value, "0123456789.");
  if (length == 0 || std::strspn(value, ".") == length) return std::nullopt;
  Quantity quantity;
  quantity.rest = value + length;
  // Unlike strtod, from_chars reads a point as a point in every locale.
  if (std::from_chars(value, quantity.rest, quantity.number).ptr != quantity.rest) return std::nullopt;
  quantity.has_point = std::memchr(value, '.', length) != nullptr;
  const char* unit = quantity.rest;
  quantity.bytes = std::floor(quantity.number * take_unit(quantity.rest));
  quantity.has_unit = unit != quantity.rest;
  if (quantity.bytes >= static_cast<double>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return quantity;
}

}  // namespace

bool is_verbose() {
  const char* value = std::getenv("GASNET_VERBOSEENV");
  if (value == nullptr || !is_one_of(value, {"1", "y", "yes", "on", "true"})) return false;
  // While a rank finds its place, this variable is there; what it reads then is no setting of the user's.
  return reporting_rank() <= 0 && std::getenv("AQUEDUCT_RANK") == nullptr;
}

void report(const char* name, const char* value, bool is_default) {
  if (!is_verbose() || !is_news(name)) return;
  dprintf(STDERR_FILENO, "ENV parameter: %s = %s%s\n", name, value, is_default ? "   (default)" : "");
}

const char* name_in_use(Names names) { return find(names).name; }

const char* text(Names names, const char* fallback) {
  const Setting setting = find(names);
  report_found(names, setting, fallback);
  return setting.value != nullptr ? setting.value : fallback;
}

bool flag(Names names, bool fallback) {
  const Setting setting = find(names);
  bool value = fallback;
  if (setting.value != nullptr) {
    value = is_one_of(setting.value, {"1", "y", "yes", "on", "true"});
    if (!value && !is_one_of(setting.value, {"0", "n", "no", "off", "false"}))
      refuse(setting, "yes (1, y, yes) or no (0, n, no)");
  }
  const char* const word = value ? "YES" : "NO";
  report_found(names, setting.value != nullptr ? Setting{setting.name, word} : setting, word);
  return value;
}

std::optional<std::int64_t> integer(Names names, std::int64_t least, std::int64_t most) {
  const Setting setting = find(names);
  report_found(names, setting, nullptr);
  if (setting.value == nullptr) return std::nullopt;
  char* end = nullptr;
  errno = 0;
  const std::int64_t number = std::strtoll(setting.value, &end, 10);
  const bool starts_well = std::strchr("+-0123456789", setting.value[0]) != nullptr;
  if (!starts_well || *end != '\0' || errno != 0 || number < least || number > most) {
    char accepted[96];
    std::snprintf(accepted, sizeof accepted, "a whole number from %" PRId64 " to %" PRId64, least, most);
    refuse(setting, accepted);
  }
  return number;
}

std::optional<std::size_t> bytes(Names names) {
  const Setting setting = find(names);
  report_found(names, setting, nullptr);
  if (setting.value == nullptr) return std::nullopt;
  const std::optional<Quantity> quantity = parse_quantity(setting.value);
  if (!quantity || *quantity->rest != '\0') refuse(setting, "a size such as 8388608, 512MB or 1.5G");
  return static_cast<std::size_t>(quantity->bytes);
}

std::optional<Amount> amount(Names names, const char* fallback) {
  static constexpr char kAccepted[] =
      "a size such as 512MB or a fraction of memory such as 0.85, with /P (for each process) or /H (for each "
      "host) "
      "after it or nothing";
  Setting setting = find(names);
  report_found(names, setting, fallback);
  if (setting.value == nullptr) setting = {*(names.end() - 1), fallback};
  if (setting.value == nullptr) return std::nullopt;
  const std::optional<Quantity> quantity = parse_quantity(setting.value);
  if (!quantity) refuse(setting, kAccepted);
  Amount amount;
  const bool is_fraction = quantity->has_point && !quantity->has_unit && quantity->number <= 1;
  if (is_fraction) {
    amount.fraction = quantity->number;
  } else {
    amount.bytes = static_cast<std::size_t>(quantity->bytes);
  }
  if (is_one_of(quantity->rest, {"/H"})) {
    amount.per_host = true;
  } else if (!is_one_of(quantity->rest, {"", "/P"})) {
    refuse(setting, kAccepted);
  }
  return amount;
}

std::size_t Amount::bytes_per_rank(std::size_t whole_bytes, std::size_t ranks_on_host) const {
  const double total =
      fraction > 0 ? fraction * static_cast<double>(whole_bytes) : static_cast<double>(bytes);
  const double share = per_host && ranks_on_host > 1 ? total / static_cast<double>(ranks_on_host) : total;
  return static_cast<std::size_t>(share);
}

}  // namespace aqueduct::env
