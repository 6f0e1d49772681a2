#include "memory_scan.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace aqueduct::test {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

struct Mapping {
  std::uintptr_t begin = 0, end = 0;
  std::string name;
  bool is_readable = false;
  bool is_left_out = false;
};

std::vector<Mapping> mappings_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/smaps");
  std::vector<Mapping> mappings;
  for (std::string line; std::getline(file, line);) {
    Mapping mapping;
    char rights[5] = "";
    int name_at = 0;
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %*x %*s %*u %n", &begin, &end, rights, &name_at) == 3) {
      mapping.begin = begin;
      mapping.end = end;
      mapping.name = line.substr(static_cast<std::size_t>(name_at));
      mapping.is_readable = rights[0] == 'r';
      mappings.push_back(mapping);
    } else if (line.rfind("VmFlags:", 0) == 0 && !mappings.empty()) {
      mappings.back().is_left_out = (line + " ").find(" dd ") != line.npos;
    }
  }
  return mappings;
}

/// How half of a key may be written; `complement` is that of what stands in memory then.
struct Form {
  std::string name;
  std::vector<std::uint8_t> complement;

  bool stands_at(const std::uint8_t* memory) const {
    for (std::size_t i = 0; i < complement.size(); ++i) {
      if (memory[i] != static_cast<std::uint8_t>(~complement[i])) return false;
    }
    return true;
  }
};

std::vector<Form> forms_of(const MaskedKey& key) {
  constexpr std::size_t kHalf = MaskedKey::kBytes / 2;
  std::vector<Form> forms;
  for (std::size_t half = 0; half < MaskedKey::kBytes; half += kHalf) {
    const std::uint8_t* const masked = &key.complement()[half];
    const auto add = [&](const char* name, std::uint8_t mixed_with, bool is_swapped) {
      Form form{"half of the key stands " + std::string(name), {}};
      for (std::size_t i = 0; i < kHalf; ++i)
        form.complement.push_back(static_cast<std::uint8_t>(masked[is_swapped ? i ^ 3 : i] ^ mixed_with));
      forms.push_back(form);
    };
    add("as it is", 0, false);
    add("in swapped words", 0, true);
    add("as HMAC's inner key", 0x36, false);
    add("as HMAC's inner key in words", 0x36, true);
    add("as HMAC's outer key", 0x5c, false);
    add("as HMAC's outer key in words", 0x5c, true);
    Form digits{"half of the key stands in digits", {}};
    for (std::size_t i = 0; i < 2 * kHalf; ++i) {
      const int nibble = (i % 2 == 0 ? masked[i / 2] >> 4 : masked[i / 2]) & 15;
      digits.complement.push_back(static_cast<std::uint8_t>(~kDigits[nibble ^ 15]));
    }
    forms.push_back(digits);
  }
  return forms;
}

}  // namespace

MaskedKey::MaskedKey(std::span<const std::uint8_t, kBytes> key) {
  for (std::size_t i = 0; i < kBytes; ++i) complement_[i] = static_cast<std::uint8_t>(~key[i]);
}

std::optional<MaskedKey> MaskedKey::parse(std::string_view digits, bool is_masked) {
  MaskedKey key;
  if (digits.size() != 2 * kBytes) return std::nullopt;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const char* const at = std::strchr(kDigits, digits[i]);
    if (at == nullptr || *at == '\0') return std::nullopt;
    const auto value = static_cast<std::uint8_t>(at - kDigits);
    key.complement_[i / 2] |=
        static_cast<std::uint8_t>((is_masked ? value : value ^ 15) << (i % 2 == 0 ? 4 : 0));
  }
  return key;
}

std::string MaskedKey::text() const {
  std::string text;
  for (const std::uint8_t byte : complement_) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::vector<std::string> find_in_core(pid_t process, const MaskedKey& key) {
  constexpr std::size_t kChunk = std::size_t{1} << 20, kOverlap = 64;
  const int memory = ::open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (memory < 0) {
    std::perror("the memory of a process cannot be read");
    std::exit(1);
  }
  const std::vector<Form> forms = forms_of(key);
  bool begins_one[256] = {};
  for (const Form& form : forms) begins_one[static_cast<std::uint8_t>(~form.complement[0])] = true;
  std::vector<std::string> found;
  std::vector<std::uint8_t> chunk(kChunk + kOverlap);
  for (const Mapping& mapping : mappings_of(process)) {
    if (mapping.is_left_out || !mapping.is_readable) continue;
    for (std::uintptr_t at = mapping.begin; at < mapping.end; at += kChunk) {
      std::fill(chunk.begin(), chunk.end(), 0);
      const ssize_t length =
          ::pread(memory, chunk.data(), std::min(chunk.size(), mapping.end - at), static_cast<off_t>(at));
      for (std::size_t i = 0; length > 0 && i < std::min<std::size_t>(length, kChunk); ++i) {
        if (!begins_one[chunk[i]]) continue;
        for (const Form& form : forms) {
          if (!form.stands_at(&chunk[i])) continue;
          char place[32];
          std::snprintf(place, sizeof place, "%lx", static_cast<unsigned long>(at + i));
          found.push_back(form.name + " at " + place + " of process " + std::to_string(process) + ", in " +
                          (mapping.name.empty() ? "unnamed memory" : mapping.name));
        }
      }
    }
  }
  ::close(memory);
  return found;
}

bool is_left_out(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (const Mapping& mapping : mappings_of(::getpid())) {
    if (mapping.begin <= place && place < mapping.end) return mapping.is_left_out;
  }
  return false;
}

}  // namespace aqueduct::test
