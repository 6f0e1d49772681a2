#include "trace/merge.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/env.hpp"
#include "trace/recorder.hpp"

namespace aqueduct::trace::timeline {
namespace {

/// A message: the records of its sending and of its handler.
struct Flow {
  std::size_t from_part, from_record;
  std::size_t to_part, to_record;
};

struct Ends {
  std::vector<std::pair<std::size_t, std::size_t>> sends, handlers;
};

void pair_ends(const Ends& ends, const std::vector<Part>& parts, std::vector<Flow>& flows) {
  const std::size_t count = std::min(ends.sends.size(), ends.handlers.size());
  if (count == 0) return;
  const bool from_last = parts[ends.sends[0].first].lost != 0 || parts[ends.handlers[0].first].lost != 0;
  const std::size_t skip_sends = from_last ? ends.sends.size() - count : 0;
  const std::size_t skip_handlers = from_last ? ends.handlers.size() - count : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [from_part, from_record] = ends.sends[skip_sends + i];
    const auto& [to_part, to_record] = ends.handlers[skip_handlers + i];
    flows.push_back({from_part, from_record, to_part, to_record});
  }
}

std::vector<Flow> find_flows(const std::vector<Part>& parts) {
  std::unordered_map<std::uint64_t, Ends> by_key;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t r = 0; r < parts[p].records.size(); ++r) {
      const Record& record = parts[p].records[r];
      if (record.kind == Kind::kSend) by_key[record.key].sends.emplace_back(p, r);
      if (record.kind == Kind::kHandler) by_key[record.key].handlers.emplace_back(p, r);
    }
  }
  std::vector<Flow> flows;
  for (const auto& [key, ends] : by_key) pair_ends(ends, parts, flows);
  return flows;
}

/// Times of records become nanoseconds, by the anchors of each host that lie farthest apart.
void convert_times(std::vector<Part>& parts) {
  std::map<std::uint64_t, std::pair<Anchor, Anchor>> anchors;
  for (const Part& part : parts) {
    const auto [at, is_new] = anchors.try_emplace(part.host, part.first, part.last);
    if (part.first.ns < at->second.first.ns) at->second.first = part.first;
    if (part.last.ns > at->second.second.ns) at->second.second = part.last;
  }
  for (Part& part : parts) {
    const Anchor first = anchors.at(part.host).first;
    const Anchor last = anchors.at(part.host).second;
    const double ns_each = last.time > first.time ? static_cast<double>(last.ns - first.ns) /
                                                        static_cast<double>(last.time - first.time)
                                                  : 1.0;
    const auto in_ns = [&](std::uint64_t time) {
      return static_cast<std::uint64_t>(std::llround(static_cast<double>(time) * ns_each));
    };
    const auto convert = [&](Record& record) {
      const bool is_later = record.begin >= first.time;
      record.begin = is_later ? first.ns + in_ns(record.begin - first.time)
                              : first.ns - in_ns(first.time - record.begin);
      record.duration = in_ns(record.duration);
    };
    std::ranges::for_each(part.records, convert);
    std::ranges::for_each(part.unfinished, convert);
  }
}

/// What is unfinished lasts until the last that is known of its host.
void end_unfinished(std::vector<Part>& parts) {
  std::map<std::uint64_t, std::uint64_t> ends;
  for (const Part& part : parts) {
    std::uint64_t& end = ends[part.host];
    end = std::max(end, part.last.ns);
    for (const Record& record : part.records) end = std::max(end, record.begin + record.duration);
  }
  for (Part& part : parts) {
    for (Record& record : part.unfinished)
      record.duration = std::max(ends.at(part.host), record.begin) - record.begin;
  }
}

/// Clocks of hosts, held against the one of the first part. Where no messages tell, all ranks have met at
/// their origins.
class Clocks {
 public:
  Clocks(const std::vector<Part>& parts, const std::vector<Flow>& flows) {
    for (const Part& part : parts) {
      if (is_known(part.host)) continue;
      offsets_[part.host] = static_cast<std::int64_t>(part.first.ns - parts.front().first.ns);
      if (part.host == parts.front().host) offsets_[part.host] = 0;
    }
    if (offsets_.size() < 2) return;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t> fastest;
    for (const Flow& flow : flows) {
      const Part& from = parts[flow.from_part];
      const Part& to = parts[flow.to_part];
      if (from.host == to.host) continue;
      const auto took =
          static_cast<std::int64_t>(to.records[flow.to_record].begin - from.records[flow.from_record].begin);
      const auto [at, is_new] = fastest.try_emplace({from.host, to.host}, took);
      if (!is_new) at->second = std::min(at->second, took);
    }
    spread(fastest, parts.front().host);
  }

  /// What to take from a time of that host.
  std::int64_t ahead(std::uint64_t host) const { return offsets_.at(host); }

 private:
  bool is_known(std::uint64_t host) const { return offsets_.contains(host); }

  void spread(const std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t>& fastest,
              std::uint64_t first) {
    std::vector<std::uint64_t> settled{first};
    for (std::size_t i = 0; i < settled.size(); ++i) {
      for (auto& [host, offset] : offsets_) {
        const auto there = fastest.find({settled[i], host});
        const auto back = fastest.find({host, settled[i]});
        if (there == fastest.end() || back == fastest.end() ||
            std::ranges::find(settled, host) != settled.end())
          continue;
        offset = offsets_[settled[i]] + (there->second - back->second) / 2;
        settled.push_back(host);
      }
    }
  }

  std::map<std::uint64_t, std::int64_t> offsets_;
};

/// The JSON text, event by event. Names are those of functions and handlers; what JSON does not take in them
/// is left out.
class Writer {
 public:
  explicit Writer(std::FILE* file) : file_(file) {
    std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file_);
  }

  void finish(std::uint32_t ranks, int exit_code) {
    std::fprintf(file_, "\n],\"otherData\":{\"aqueductTimeline\":%d,\"ranks\":%u", kForm, ranks);
    if (exit_code != kUnknownExit) std::fprintf(file_, ",\"exit\":%d", exit_code);
    std::fputs("}}\n", file_);
  }

  void describe(const Part& part) {
    next();
    std::fprintf(file_,
                 "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"rank %u%s%s\"}}",
                 part.rank, part.rank, part.is_virtual ? "" : " on ",
                 part.is_virtual ? "" : clean(part.host_name).c_str());
    next();
    std::fprintf(file_,
                 "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"args\":{\"sort_index\":%u}}",
                 part.rank, part.rank);
    if (part.lost == 0) return;
    next();
    std::fprintf(file_,
                 "{\"ph\":\"i\",\"s\":\"p\",\"cat\":\"lost\",\"name\":\"%llu earlier events were "
                 "overwritten\",\"pid\":%u,\"tid\":0,\"ts\":0}",
                 static_cast<unsigned long long>(part.lost), part.rank);
  }

  /// `message` numbers a message from 1 on.
  void slice(const Part& part, const Record& record, std::int64_t at_ns, std::uint64_t message = 0,
             bool is_unfinished = false) {
    static constexpr const char* kCategories[] = {"", "operation", "wait", "barrier", "send", "handler",
                                                  "", "",          "",     "",        "wait"};
    next();
    std::fprintf(
        file_,
        "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"dur\":%s,\"args\":{",
        kCategories[static_cast<unsigned>(record.kind)], clean(part.names[record.name]).c_str(), part.rank,
        record.thread, micros(at_ns).c_str(), micros(static_cast<std::int64_t>(record.duration)).c_str());
    const char* separator = "";
    const auto argument = [&](const char* name, std::uint64_t value) {
      std::fprintf(file_, "%s\"%s\":%llu", separator, name, static_cast<unsigned long long>(value));
      separator = ",";
    };
    if (record.peer != kNoPeer) argument("peer", record.peer);
    if (record.bytes != 0) argument("bytes", record.bytes);
    if (record.kind == Kind::kBarrier) {
      argument("team", record.key);
      argument("number", record.detail);
    }
    if (record.kind == Kind::kHandler || record.kind == Kind::kSend) {
      argument("handler", record.detail);
      if (record.extra != 0) argument("arguments", record.extra);
      if (message != 0) argument("message", message);
    }
    if (record.kind == Kind::kOperation && record.local == kNotStarted) {
      argument("refused", 1);
    } else if (record.local != 0 && (record.kind == Kind::kOperation || record.kind == Kind::kSend)) {
      argument("local", record.local);
    }
    if (record.kind == Kind::kOperation && record.detail != 0) {
      argument("opcode", record.detail);
      argument("type", record.extra);
    } else if (record.kind == Kind::kOperation && record.extra != 0) {
      argument("collective", record.extra);
      if (record.key != 0) argument("team", record.key);
    }
    if (record.kind == Kind::kWait && (record.local & kLooked) != 0)
      argument("looked", (record.local & kIsLoop) != 0 ? 2 : 1);
    if (record.kind == Kind::kWait && (record.local & kTrueAtOnce) != 0) argument("true at once", 1);
    if (record.kind == Kind::kWait && (record.local & kImplicit) != 0) {
      argument("implicit", record.detail);
    } else if (record.kind == Kind::kWait && record.detail != 0) {
      argument("went on after", record.detail);
    }
    if (record.depth != 0) argument("depth", record.depth);
    if (is_unfinished) std::fprintf(file_, "%s\"unfinished\":true", separator);
    std::fputs("}}", file_);
  }

  void flow(std::uint64_t id, bool is_end, const Part& part, const Record& record, std::int64_t at_ns) {
    next();
    std::fprintf(file_,
                 "{\"ph\":\"%s\",\"cat\":\"message\",\"name\":\"message\",\"id\":%llu,\"pid\":%u,\"tid\":%u,"
                 "\"ts\":%s%s}",
                 is_end ? "f" : "s", static_cast<unsigned long long>(id), part.rank, record.thread,
                 micros(at_ns).c_str(), is_end ? ",\"bp\":\"e\"" : "");
  }

  /// `phase`: b, e, or n for what happens in between.
  void span(std::uint64_t id, char phase, const Part& part, const Record& record, const std::string& name,
            std::int64_t at_ns) {
    next();
    std::fprintf(file_,
                 "{\"ph\":\"%c\",\"cat\":\"in "
                 "flight\",\"name\":\"%s\",\"id\":\"%u.%llu\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"args\":{"
                 "\"depth\":%u}}",
                 phase, clean(name).c_str(), part.rank, static_cast<unsigned long long>(id), part.rank,
                 record.thread, micros(at_ns).c_str(), record.depth);
  }

  void team(const Part& part, const Record& record, std::int64_t at_ns) {
    next();
    std::fprintf(file_,
                 "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"team\",\"name\":\"team %llu, rank %u of "
                 "%llu\",\"pid\":%u,\"tid\":%u,\"ts\":%s,\"args\":{\"team\":%llu,\"rank\":%u,\"size\":%llu,"
                 "\"depth\":%u}}",
                 static_cast<unsigned long long>(record.key), record.peer,
                 static_cast<unsigned long long>(record.bytes), part.rank, record.thread,
                 micros(at_ns).c_str(), static_cast<unsigned long long>(record.key), record.peer,
                 static_cast<unsigned long long>(record.bytes), record.depth);
  }

  void counter(const Part& part, std::uint64_t in_flight, std::int64_t at_ns) {
    next();
    std::fprintf(file_,
                 "{\"ph\":\"C\",\"name\":\"operations in "
                 "flight\",\"pid\":%u,\"ts\":%s,\"args\":{\"operations\":%llu}}",
                 part.rank, micros(at_ns).c_str(), static_cast<unsigned long long>(in_flight));
  }

 private:
  void next() {
    std::fputs(is_first_ ? "\n" : ",\n", file_);
    is_first_ = false;
  }
  static std::string micros(std::int64_t ns) {
    char text[32];
    const std::uint64_t size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    std::snprintf(text, sizeof text, "%s%llu.%03llu", ns < 0 ? "-" : "",
                  static_cast<unsigned long long>(size / 1000), static_cast<unsigned long long>(size % 1000));
    return text;
  }
  static std::string clean(const std::string& name) {
    std::string text;
    for (const char letter : name) {
      if (letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\') text += letter;
    }
    return text;
  }

  std::FILE* const file_;
  bool is_first_ = true;
};

/// The operations of one rank that go on after their calls.
class Spans {
 public:
  Spans(Writer& writer, const Part& part) : writer_(writer), part_(part) {}

  void add(const Record& record, std::int64_t at_ns) {
    if (record.kind == Kind::kStarted) {
      const std::string& name = part_.names[record.name];
      open_[record.key] = {++count_, name};
      writer_.span(count_, 'b', part_, record, name, at_ns);
      writer_.counter(part_, open_.size(), at_ns);
      return;
    }
    const auto found = open_.find(record.key);
    if (found == open_.end()) return;
    const bool is_end = record.kind == Kind::kCompleted;
    writer_.span(found->second.first, is_end ? 'e' : 'n', part_, record, found->second.second, at_ns);
    if (!is_end) return;
    open_.erase(found);
    writer_.counter(part_, open_.size(), at_ns);
  }

 private:
  Writer& writer_;
  const Part& part_;
  std::unordered_map<std::uint64_t, std::pair<std::uint64_t, std::string>> open_;  // by event: number, name
  std::uint64_t count_ = 0;
};

bool is_slice(const Record& record) { return record.kind < Kind::kStarted || record.kind == Kind::kLook; }

void write_all(Writer& writer, const std::vector<Part>& parts) {
  const std::vector<Flow> flows = find_flows(parts);
  const Clocks clocks(parts, flows);
  std::vector<std::vector<std::uint64_t>> messages(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) messages[p].resize(parts[p].records.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    messages[flows[i].from_part][flows[i].from_record] = i + 1;
    messages[flows[i].to_part][flows[i].to_record] = i + 1;
  }
  std::vector<std::vector<std::int64_t>> times(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::int64_t ahead = clocks.ahead(parts[p].host);
    const std::uint64_t origin = parts.front().first.ns;
    Spans spans(writer, parts[p]);
    writer.describe(parts[p]);
    for (std::size_t r = 0; r < parts[p].records.size(); ++r) {
      const Record& record = parts[p].records[r];
      const std::int64_t at_ns = static_cast<std::int64_t>(record.begin - origin) - ahead;
      times[p].push_back(at_ns);
      if (is_slice(record)) {
        writer.slice(parts[p], record, at_ns, messages[p][r]);
      } else if (record.kind == Kind::kTeam) {
        writer.team(parts[p], record, at_ns);
      } else {
        spans.add(record, at_ns);
      }
    }
    for (const Record& record : parts[p].unfinished)
      writer.slice(parts[p], record, static_cast<std::int64_t>(record.begin - origin) - ahead, 0, true);
  }
  std::uint64_t id = 0;
  for (const Flow& flow : flows) {
    ++id;
    writer.flow(id, false, parts[flow.from_part], parts[flow.from_part].records[flow.from_record],
                times[flow.from_part][flow.from_record]);
    writer.flow(id, true, parts[flow.to_part], parts[flow.to_part].records[flow.to_record],
                times[flow.to_part][flow.to_record]);
  }
}

/// The records of a thread lie in the order of their ends: each before the slice that it lies in. Answers
/// them in the order of their beginnings, each slice before what lies in it, also where all times are the
/// same.
std::vector<Record> by_beginning(const std::vector<Record>& by_end) {
  struct Tree {
    Record top;
    std::vector<Record> inside;
  };
  std::vector<Tree> trees;
  for (const Record& record : by_end) {
    Tree tree{record, {}};
    auto first = trees.end();
    while (is_slice(record) && first != trees.begin() && (first - 1)->top.depth > record.depth &&
           (first - 1)->top.begin >= record.begin)
      --first;
    for (auto child = first; child != trees.end(); ++child) {
      tree.inside.push_back(child->top);
      tree.inside.insert(tree.inside.end(), child->inside.begin(), child->inside.end());
    }
    trees.erase(first, trees.end());
    trees.push_back(std::move(tree));
  }
  std::vector<Record> records;
  for (const Tree& tree : trees) {
    records.push_back(tree.top);
    records.insert(records.end(), tree.inside.begin(), tree.inside.end());
  }
  return records;
}

/// Nothing if there is no such file.
std::optional<Part> read_part_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct stat status = {};
  fstat(fd, &status);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const memory = bytes == 0 ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) return Part{};
  Part part = read_part(memory, bytes);
  munmap(memory, bytes);
  return part;
}

}  // namespace

Part read_part(const void* memory, std::size_t bytes) {
  Part part;
  const auto* const header = static_cast<const PartHeader*>(memory);
  if (bytes < sizeof(PartHeader) || std::memcmp(header->magic, kPartMagic, sizeof kPartMagic) != 0 ||
      header->capacity == 0 || header->capacity > (bytes - sizeof(PartHeader)) / sizeof(Record) ||
      header->rank >= header->ranks)
    return part;
  part.rank = header->rank;
  part.ranks = header->ranks;
  part.first = header->first;
  part.last = header->last;
  part.host = header->host;
  part.host_name.assign(header->host_name, strnlen(header->host_name, sizeof header->host_name));
  part.is_virtual = header->is_virtual != 0;
  for (const auto& name : header->names) part.names.emplace_back(name, strnlen(name, sizeof name));
  const std::uint64_t written = header->written.load(std::memory_order_acquire);
  const std::uint64_t kept = std::min(written, header->capacity);
  part.lost = written - kept;
  const auto is_whole = [](const Record& record) {
    return record.kind > Kind::kNone && record.kind <= Kind::kLook && record.name < kNames;
  };
  const auto* const records = reinterpret_cast<const Record*>(header + 1);
  std::map<std::uint8_t, std::vector<Record>> threads;
  for (std::uint64_t i = part.lost; i < written; ++i) {
    const Record& record = records[i % header->capacity];
    if (is_whole(record)) threads[record.thread].push_back(record);
  }
  for (const auto& [thread, by_end] : threads) {
    const std::vector<Record> ordered = by_beginning(by_end);
    part.records.insert(part.records.end(), ordered.begin(), ordered.end());
  }
  std::ranges::stable_sort(part.records, {}, &Record::begin);
  for (const Record& record : header->open) {
    if (is_slice(record) && is_whole(record)) part.unfinished.push_back(record);
  }
  return part;
}

Merged write(const std::string& file, std::vector<Part> parts, int exit_code) {
  std::ranges::sort(parts, {}, &Part::rank);
  convert_times(parts);
  end_unfinished(parts);
  std::FILE* const out = std::fopen(file.c_str(), "w");
  if (out == nullptr) return {"cannot write '" + file + "': " + std::strerror(errno), ""};
  Writer writer(out);
  write_all(writer, parts);
  writer.finish(parts.empty() ? 0 : parts.front().ranks, exit_code);
  const bool is_bad = std::ferror(out) != 0;
  const int error = errno;
  if (std::fclose(out) != 0 || is_bad)
    return {"cannot write '" + file + "': " + std::strerror(is_bad ? error : errno), ""};
  return {};
}

Merged merge(const std::string& file, int exit_code) {
  std::vector<Part> parts;
  std::vector<std::string> paths;
  std::string missing;
  std::uint32_t ranks = 1;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::string path = part_name(file, rank);
    const std::optional<Part> part = read_part_file(path);
    if (part && part->names.empty()) return {"'" + path + "' is not what a rank has left for a trace", ""};
    if (!part) {
      missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
      if (parts.empty() && rank < 64)
        ranks = std::max(ranks, rank + 2);  // another one says how many there are
      continue;
    }
    ranks = part->ranks;
    paths.push_back(path);
    parts.push_back(*part);
  }
  if (parts.empty())
    return {"no rank has left a part beside '" + file + "': has the program called gex_Client_Init?", "",
            true};
  Merged merged = write(file, std::move(parts), exit_code);
  if (!merged.error.empty()) return merged;
  if (missing.empty()) {
    for (const std::string& path : paths) unlink(path.c_str());
  } else {
    merged.warning = "'" + file + "' lacks ranks " + missing +
                     ", which have left no part here; if they ran elsewhere, copy " + part_name(file, 0) +
                     " and the like to this directory, and run: aqueduct trace merge " + file;
  }
  return merged;
}

int finish_job(int exit_code) {
  const std::string file = env::text({"AQUEDUCT_TRACE"}, "");
  if (file.empty()) return exit_code;
  const Merged merged = merge(file, exit_code);
  if (!merged.warning.empty()) std::fprintf(stderr, "aqueduct: %s\n", merged.warning.c_str());
  if (merged.error.empty() || (merged.is_empty && exit_code != 0)) return exit_code;
  std::fprintf(stderr, "aqueduct: %s\n", merged.error.c_str());
  return exit_code != 0 ? exit_code : 1;
}

}  // namespace aqueduct::trace::timeline
