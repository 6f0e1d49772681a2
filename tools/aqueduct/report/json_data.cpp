#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "report/data.hpp"

namespace aqueduct::report {
namespace {

using ordered = nlohmann::ordered_json;

/// The version of the form; a reader refuses others.
constexpr int kForm = 1;
constexpr Role kRoles[] = {Role::kConduit, Role::kBare, Role::kMachine, Role::kPeer, Role::kCurve};

/// Six digits are more than any measurement has, and make the page half as long.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

// Each of these calls `visit` with the names and places of an object's members: to write it, and to read it.

template <class Visit>
void members(Visit& visit, Axis& of) {
  visit("label", of.label);
  visit("log", of.is_log);
  visit("bytes", of.is_bytes);
  visit("low", of.low);
  visit("high", of.high);
  visit.unless_empty("names", of.names);
}

template <class Visit>
void members(Visit& visit, Series& of) {
  visit("name", of.name);
  visit("role", of.role);
  visit("below", of.below);
  visit("what", of.what);
  visit("command", of.command);
  visit("samples", of.samples);
}

template <class Visit>
void members(Visit& visit, Stated& of) {
  visit("series", of.series);
  visit("x", of.x);
  visit("y", of.y);
  visit("text", of.text);
}

template <class Visit>
void members(Visit& visit, Band& of) {
  visit("samples", of.low_to_high);
  visit("text", of.text);
}

template <class Visit>
void members(Visit& visit, Guide& of) {
  visit("vertical", of.is_vertical);
  visit("at", of.at);
  visit("to", of.to);
  visit("text", of.text);
}

template <class Visit>
void members(Visit& visit, Plot& of) {
  visit("id", of.id);
  visit("section", of.section);
  visit("title", of.title);
  visit("text", of.text);
  visit("form", of.form);
  visit("x", of.x);
  visit("y", of.y);
  visit("higher_is_better", of.is_higher_better);
  visit("series", of.series);
  visit("stated", of.stated);
  visit("bands", of.bands);
  visit("guides", of.guides);
}

template <class Visit>
void members(Visit& visit, MeasuredMachine& of) {
  visit("host", of.host);
  visit("cpu", of.cpu);
  visit("system", of.system);
  visit("cores", of.cores);
  visit("memory_bytes", of.memory_bytes);
  visit("load", of.load);
}

template <class Visit>
void members(Visit& visit, Present& of) {
  visit("name", of.name);
  visit("summary", of.summary);
  visit("measured", of.is_measured);
  visit("reason", of.reason);
}

template <class Visit>
void members(Visit& visit, FailedRun& of) {
  visit("what", of.what);
  visit("why", of.why);
  visit("command", of.command);
}

template <class Visit>
void members(Visit& visit, Section& of) {
  visit("title", of.title);
  visit("text", of.text);
}

template <class Visit>
void members(Visit& visit, Report& of) {
  visit("version", of.version);
  visit("date", of.date);
  visit("command", of.command);
  visit("seconds", of.seconds);
  visit("quick", of.is_quick);
  visit("machine", of.machine);
  visit("conduits", of.conduits);
  visit("peers", of.peers);
  visit("sections", of.sections);
  visit("plots", of.plots);
  visit("failures", of.failures);
}

template <class T>
concept HasMembers = std::is_class_v<T> && !std::is_same_v<T, std::string> && !std::is_same_v<T, Sample> &&
                     !std::is_same_v<T, std::optional<double>>;

class ObjectWriter {
 public:
  template <class T>
  void operator()(const char* name, T& value) {
    out[name] = json_of(value);
  }
  template <class T>
  void unless_empty(const char* name, std::vector<T>& values) {
    if (!values.empty()) (*this)(name, values);
  }

  static ordered json_of(bool value) { return value; }
  static ordered json_of(unsigned value) { return value; }
  static ordered json_of(std::uint64_t value) { return value; }
  static ordered json_of(double value) { return rounded(value); }
  static ordered json_of(const std::string& value) { return value; }
  static ordered json_of(Role value) { return name_of(value); }
  static ordered json_of(PlotForm value) { return value == PlotForm::kDots ? "dots" : "lines"; }
  static ordered json_of(const std::optional<double>& value) {
    return value ? ordered(rounded(*value)) : ordered();
  }
  static ordered json_of(const Sample& value) {
    return {value.x, rounded(value.y.median), rounded(value.y.min), rounded(value.y.max)};
  }
  template <class T>
  static ordered json_of(std::vector<T>& values) {
    ordered list = ordered::array();
    for (T& value : values) list.push_back(json_of(value));
    return list;
  }
  template <HasMembers T>
  static ordered json_of(T& value) {
    ObjectWriter object;
    members(object, value);
    return std::move(object.out);
  }

  ordered out = ordered::object();
};

/// It keeps its path in the document for error lines.
class ObjectReader {
 public:
  ObjectReader(const ordered& in, std::string where) : in_(in), where_(std::move(where)) {
    if (!in_.is_object()) throw Malformed(where_ + " is no object");
  }

  template <class T>
  void operator()(const char* name, T& value) {
    const std::string place = where_ + "." + name;
    const auto found = in_.find(name);
    if (found == in_.end()) throw Malformed(place + " is missing");
    take(*found, value, place);
  }
  template <class T>
  void unless_empty(const char* name, std::vector<T>& values) {
    if (in_.contains(name)) (*this)(name, values);
  }

  static void take(const ordered& in, double& value, const std::string& place) {
    if (!in.is_number()) throw Malformed(place + " is no number");
    value = in.get<double>();
  }
  static void take(const ordered& in, std::string& value, const std::string& place) {
    if (!in.is_string()) throw Malformed(place + " is no text");
    value = in.get<std::string>();
  }
  static void take(const ordered& in, bool& value, const std::string& place) {
    if (!in.is_boolean()) throw Malformed(place + " is neither true nor false");
    value = in.get<bool>();
  }
  template <class Number>
  requires std::is_unsigned_v<Number>
  static void take(const ordered& in, Number& value, const std::string& place) {
    if (!in.is_number_unsigned()) throw Malformed(place + " is no whole number");
    value = in.get<Number>();
  }
  static void take(const ordered& in, Role& value, const std::string& place) {
    for (const Role role : kRoles) {
      value = role;
      if (in == name_of(role)) return;
    }
    throw Malformed(place + " is no known role");
  }
  static void take(const ordered& in, PlotForm& value, const std::string& place) {
    if (in != "dots" && in != "lines") throw Malformed(place + " is neither dots nor lines");
    value = in == "dots" ? PlotForm::kDots : PlotForm::kLines;
  }
  static void take(const ordered& in, std::optional<double>& value, const std::string& place) {
    if (in.is_null()) return;
    take(in, value.emplace(), place);
  }
  static void take(const ordered& in, Sample& value, const std::string& place) {
    if (!in.is_array() || in.size() != 4) throw Malformed(place + " is no list of four numbers");
    double* const parts[] = {&value.x, &value.y.median, &value.y.min, &value.y.max};
    for (std::size_t i = 0; i < 4; ++i) take(in[i], *parts[i], place);
  }
  template <class T>
  static void take(const ordered& in, std::vector<T>& values, const std::string& place) {
    if (!in.is_array()) throw Malformed(place + " is no list");
    for (const ordered& each : in) {
      take(each, values.emplace_back(), place + "[" + std::to_string(values.size() - 1) + "]");
    }
  }
  template <HasMembers T>
  static void take(const ordered& in, T& value, const std::string& place) {
    ObjectReader object(in, place);
    members(object, value);
  }

 private:
  const ordered& in_;
  std::string where_;
};

}  // namespace

const char* name_of(Role role) {
  switch (role) {
    case Role::kConduit:
      return "conduit";
    case Role::kBare:
      return "bare";
    case Role::kMachine:
      return "machine";
    case Role::kPeer:
      return "peer";
    case Role::kCurve:
      return "curve";
  }
  return "";
}

std::string to_json(const Report& report) {
  ordered out{{"report", kForm}};
  Report copy = report;
  out.update(ObjectWriter::json_of(copy));
  return out.dump(-1, ' ', false, ordered::error_handler_t::replace) + "\n";
}

Report from_json(const std::string& text) {
  const ordered in = ordered::parse(text, nullptr, false);
  if (in.is_discarded()) throw Malformed("it is not JSON");
  if (!in.is_object() || !in.contains("report"))
    throw Malformed("it is no report: aqueduct report --json makes one");
  if (in["report"] != kForm) throw Malformed("it is of another version: measure again");
  Report report;
  ObjectReader::take(in, report, "report");
  return report;
}

}  // namespace aqueduct::report
