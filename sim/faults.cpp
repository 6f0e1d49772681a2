#include "sim/faults.hpp"

#include <algorithm>
#include <charconv>

#include "sim/units.hpp"

namespace aqueduct::sim {
namespace {

constexpr std::uint32_t kMostHotPercent = 10'000;

constexpr FaultWord kWords[] = {
    {"drop", "drop=2000", "of a million tries 2000 lose a packet; a share of all, 0.002, as well"},
    {"corrupt", "corrupt=500", "of a million tries 500 have a bit flipped"},
    {"duplicate", "duplicate=100", "of a million messages 100 arrive twice"},
    {"delay", "delay=10000", "of a million messages 10000 are late; on an ordered network later ones wait"},
    {"delay-by", "delay-by=20us", "by up to so much"},
    {"reorder", "reorder=5000", "of a million messages 5000 may be overtaken; only on unordered networks"},
    {"event-queue-full", "event-queue-full=100", "of a million events 100 find their queue full"},
    {"event-failure", "event-failure=20", "of a million events 20 report a failure"},
    {"registration", "registration=50", "of a million registrations of memory 50 fail"},
    {"slow", "slow=3:400", "node 3 takes 400 percent of the time for everything"},
    {"freeze", "freeze=5:10us:2ms", "the processors of node 5 stop at 10 us for 2 ms"},
    {"crash", "crash=7:1ms", "node 7 is gone from 1 ms on"},
    {"cut", "cut=0-1:5us", "the cable between nodes 0 and 1, or r0-r1 between routers, is dead from 5 us on"},
    {"router", "router=3:5us", "router 3 is gone from 5 us on, with its cables and nodes"},
    {"slow-link", "slow-link=0-1:25",
     "the cable between nodes 0 and 1, or r0-r1 between routers, has 25 percent of its bandwidth; at most "
     "100"},
    {"hot-spot", "hot-spot=2:10us:1ms:300",
     "from 10 us on for 1 ms other traffic comes to node 2, 300 percent of what it can take; at most 10000"},
};

struct RateName {
  const char* name;
  std::uint32_t FaultPlan::*rate;
};

constexpr RateName kRates[] = {
    {"drop", &FaultPlan::drop},
    {"corrupt", &FaultPlan::corrupt},
    {"duplicate", &FaultPlan::duplicate},
    {"delay", &FaultPlan::delay},
    {"reorder", &FaultPlan::reorder},
    {"event-queue-full", &FaultPlan::event_queue_full},
    {"event-failure", &FaultPlan::event_failure},
    {"registration", &FaultPlan::registration},
};

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A rate in millionths: a whole number of them, or, with a point, the share of all: 0.001 is 1000.
std::optional<std::uint32_t> rate_of(std::string_view text) {
  constexpr std::uint32_t kAll = 1'000'000;
  if (text.find('.') == std::string_view::npos) {
    const std::optional<std::uint32_t> value = whole_number(text);
    return value && *value <= kAll ? value : std::nullopt;
  }
  double share = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), share, std::chars_format::fixed);
  if (error != std::errc() || rest != text.data() + text.size() || !(share >= 0 && share <= 1))
    return std::nullopt;
  const auto value = static_cast<std::uint32_t>(share * kAll + 0.5);
  // Too small to be told from none is a mistake.
  return value == 0 && share > 0 ? std::nullopt : std::optional(value);
}

std::optional<Time> time(std::string_view text) {
  const std::optional<Quantity> value = quantity(text);
  if (!value || value->dimension != Dimension::kTime) return std::nullopt;
  return value->value;
}

// Cuts the text before the first `mark` off; all of it if there is none.
std::string_view cut_at(std::string_view* rest, char mark) {
  const std::size_t end = rest->find(mark);
  const std::string_view first = rest->substr(0, end);
  *rest = end == std::string_view::npos ? std::string_view() : rest->substr(end + 1);
  return first;
}

// "0-1", or "r0-r1", up to a colon.
std::optional<FaultPlan::Cable> cable(std::string_view* rest) {
  FaultPlan::Cable cable;
  cable.of_routers = rest->starts_with('r');
  const auto end = [&](char mark) {
    std::string_view number = cut_at(rest, mark);
    if (cable.of_routers) number = number.starts_with('r') ? number.substr(1) : std::string_view();
    return whole_number(number);
  };
  const auto a = end('-'), b = end(':');
  if (!a || !b) return std::nullopt;
  cable.a = *a;
  cable.b = *b;
  return cable;
}

std::string show(const FaultPlan::Cable& cable) {
  const char* const mark = cable.of_routers ? "r" : "";
  return mark + std::to_string(cable.a) + "-" + mark + std::to_string(cable.b);
}

std::string exact(Time value) { return std::to_string(value) + "ps"; }

}  // namespace

std::span<const FaultWord> fault_words() { return kWords; }

bool FaultPlan::any() const { return !text().empty(); }

bool FaultPlan::add(std::string_view words, std::string* error) {
  while (!words.empty()) {
    const std::string_view word = cut_at(&words, ' ');
    if (word.empty()) continue;
    std::string_view rest = word;
    const std::string_view name = cut_at(&rest, '=');
    const auto wrong = [&] {
      const auto* const known = std::ranges::find(kWords, name, &FaultWord::name);
      *error =
          "'" + std::string(word) + "': it should look like " + known->example + " (" + known->meaning + ")";
      return false;
    };
    bool known = false;
    for (const RateName& rate : kRates) {
      if (name != rate.name) continue;
      known = true;
      const std::optional<std::uint32_t> value = rate_of(rest);
      if (!value) return wrong();
      this->*rate.rate = *value;
    }
    if (known) continue;
    if (name == "delay-by") {
      const std::optional<Time> by = time(rest);
      if (!by || *by == 0) return wrong();
      delay_by = *by;
    } else if (name == "slow") {
      const auto node = whole_number(cut_at(&rest, ':'));
      const auto percent = whole_number(rest);
      if (!node || !percent || *percent == 0) return wrong();
      slow.push_back({*node, *percent});
    } else if (name == "freeze") {
      const auto node = whole_number(cut_at(&rest, ':'));
      const auto from = time(cut_at(&rest, ':'));
      const auto duration = time(rest);
      if (!node || !from || !duration) return wrong();
      freezes.push_back({*node, *from, *duration});
    } else if (name == "crash") {
      const auto node = whole_number(cut_at(&rest, ':'));
      const auto when = time(rest);
      if (!node || !when) return wrong();
      crashes.push_back({*node, *when});
    } else if (name == "cut") {
      const auto which = cable(&rest);
      const auto when = time(rest);
      if (!which || !when) return wrong();
      cuts.push_back({*which, *when});
    } else if (name == "router") {
      const auto router = whole_number(cut_at(&rest, ':'));
      const auto when = time(rest);
      if (!router || !when) return wrong();
      dead_routers.push_back({*router, *when});
    } else if (name == "slow-link") {
      const auto which = cable(&rest);
      const auto percent = whole_number(rest);
      if (!which || !percent || *percent == 0 || *percent > 100) return wrong();
      slow_links.push_back({*which, *percent});
    } else if (name == "hot-spot") {
      const auto node = whole_number(cut_at(&rest, ':'));
      const auto from = time(cut_at(&rest, ':'));
      const auto duration = time(cut_at(&rest, ':'));
      const auto percent = whole_number(rest);
      if (!node || !from || !duration || !percent || *percent == 0 || *percent > kMostHotPercent)
        return wrong();
      hot_spots.push_back({*node, *from, *duration, *percent});
    } else {
      *error = "there is no fault '" + std::string(name) + "'; there are:";
      for (const FaultWord& one : kWords) *error += " " + std::string(one.name);
      return false;
    }
  }
  return true;
}

std::string FaultPlan::text() const {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  for (const RateName& rate : kRates) {
    if (this->*rate.rate != 0) add(rate.name + ("=" + std::to_string(this->*rate.rate)));
  }
  if (delay != 0 || reorder != 0) add("delay-by=" + exact(delay_by));
  for (const Slow& it : slow) add("slow=" + std::to_string(it.node) + ":" + std::to_string(it.percent));
  for (const Freeze& it : freezes) {
    add("freeze=" + std::to_string(it.node) + ":" + exact(it.from) + ":" + exact(it.duration));
  }
  for (const Crash& it : crashes) add("crash=" + std::to_string(it.node) + ":" + exact(it.when));
  for (const Cut& it : cuts) {
    add("cut=" + show(it.cable) + ":" + exact(it.when));
  }
  for (const DeadRouter& it : dead_routers) {
    add("router=" + std::to_string(it.router) + ":" + exact(it.when));
  }
  for (const SlowLink& it : slow_links) {
    add("slow-link=" + show(it.cable) + ":" + std::to_string(it.percent));
  }
  for (const HotSpot& it : hot_spots) {
    add("hot-spot=" + std::to_string(it.node) + ":" + exact(it.from) + ":" + exact(it.duration) + ":" +
        std::to_string(it.percent));
  }
  return text;
}

const char* name_of(FaultProbe probe) {
  static constexpr const char* kNames[] = {
      "header dropped",   "payload dropped",
      "header corrupted", "payload corrupted",
      "duplicate",        "delayed",
      "reordered",        "held for order",
      "retried",          "undeliverable",
      "half arrived",     "event queue full",
      "event failed",     "registration failed",
      "slowed",           "frozen",
      "crashed",          "link cut",
      "lost at a cut",    "detour",
      "router died",      "slow link",
      "hot spot",
  };
  static_assert(std::size(kNames) == static_cast<std::size_t>(FaultProbe::kCount));
  return kNames[static_cast<unsigned>(probe)];
}

Faults::Faults(FaultPlan plan, std::uint64_t seed, fabric::NodeId nodes) : plan_(std::move(plan)) {
  constexpr std::uint64_t kWire = 1, kAsked = 2;  // names of streams
  random_faults_ = plan_.drop || plan_.corrupt || plan_.duplicate || plan_.delay || plan_.reorder;
  if (random_faults_) {
    wire_.reserve(nodes);
    for (fabric::NodeId node = 0; node < nodes; ++node) wire_.emplace_back(seed, kWire, node);
  }
  if (plan_.event_queue_full || plan_.event_failure || plan_.registration) {
    asked_.reserve(nodes);
    for (fabric::NodeId node = 0; node < nodes; ++node) asked_.emplace_back(seed, kAsked, node);
  }
}

bool Faults::event_queue_full(fabric::NodeId node) {
  if (plan_.event_queue_full == 0 || !asked_[node].chance(plan_.event_queue_full)) return false;
  reached(FaultProbe::kEventQueueFull);
  return true;
}

bool Faults::event_fails(fabric::NodeId node) {
  if (plan_.event_failure == 0 || !asked_[node].chance(plan_.event_failure)) return false;
  reached(FaultProbe::kEventFailed);
  return true;
}

bool Faults::registration_fails(fabric::NodeId node) {
  if (plan_.registration == 0 || !asked_[node].chance(plan_.registration)) return false;
  reached(FaultProbe::kRegistrationFailed);
  return true;
}

Faults::Draw Faults::draw_slowly(fabric::NodeId node) {
  Random& random = wire_[node];
  Draw draw;
  draw.where = random.next();
  if (random.chance(plan_.drop)) {
    draw.fate = Fate::kDropped;
  } else if (random.chance(plan_.corrupt)) {
    draw.fate = Fate::kCorrupted;
  } else if (random.chance(plan_.duplicate)) {
    draw.fate = Fate::kDuplicated;
  }
  if (random.chance(plan_.delay)) {
    draw.delay = 1 + random.below(plan_.delay_by);
  } else if (random.chance(plan_.reorder)) {
    draw.delay = 1 + random.below(plan_.delay_by);
    draw.may_overtake = true;
  }
  return draw;
}

}  // namespace aqueduct::sim
