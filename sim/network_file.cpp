// Reads networks/*.toml; the form is described in network_model.hpp.
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "sim/crc32.hpp"
#include "sim/network_model.hpp"
#include "sim/units.hpp"

namespace aqueduct::sim {
namespace {

struct Malformed {
  std::string text;
};

[[noreturn]] void complain(const std::string& path, const toml::source_region& where,
                           const std::string& text) {
  throw Malformed{path + ":" + std::to_string(where.begin.line) + ": " + text};
}

// A number that the network itself reads.
struct Wanted {
  const char* name;
  Dimension dimension;
  std::uint64_t least;
  std::uint64_t most = UINT64_MAX;
};

constexpr std::uint64_t kMostNodes = 1 << 20;
constexpr std::uint64_t kLeastTurn = 10 * kNanosecond;  // ranks that wait take turns for ever

constexpr Wanted kWanted[] = {
    {"inline_bytes", Dimension::kBytes, 0},
    {"packet_bytes", Dimension::kBytes, 1},
    {"header_bytes", Dimension::kBytes, 1, 4096},
    {"axes", Dimension::kCount, 1, 3},
    {"link.bandwidth", Dimension::kBandwidth, 0},
    {"link.hop", Dimension::kTime, 0},
    {"link.channels", Dimension::kCount, 1, 64},
    {"link.buffer", Dimension::kCount, 1, 65536},
    {"link.flit_bytes", Dimension::kBytes, 1},
    {"link.packet_overhead", Dimension::kBytes, 0},
    {"column.bandwidth", Dimension::kBandwidth, 0},
    {"column.hop", Dimension::kTime, 0},
    {"global.bandwidth", Dimension::kBandwidth, 0},
    {"global.hop", Dimension::kTime, 0},
    {"injection.bandwidth", Dimension::kBandwidth, 0},
    {"injection.per_message", Dimension::kTime, 0},
    {"injection.per_packet", Dimension::kTime, 0},
    {"injection.messages", Dimension::kCount, 1, UINT32_MAX},
    {"ejection.bandwidth", Dimension::kBandwidth, 0},
    {"ejection.per_message", Dimension::kTime, 0},
    {"ejection.per_packet", Dimension::kTime, 0},
    {"ejection.room", Dimension::kBytes, 0},
    {"reliability.timeout", Dimension::kTime, 1},
    {"reliability.tries", Dimension::kCount, 1},
    {"reliability.reroute", Dimension::kTime, 0},
    {"dragonfly.columns", Dimension::kCount, 1, kMostNodes},
    {"dragonfly.rows", Dimension::kCount, 1, kMostNodes},
    {"dragonfly.nodes_per_router", Dimension::kCount, 1, kMostNodes},
    {"dragonfly.global_links", Dimension::kCount, 0, kMostNodes},
    {"tree.arity", Dimension::kCount, 2, kMostNodes},
    {"host.cores", Dimension::kCount, 1, kMostNodes},
    {"host.nodes", Dimension::kCount, 1, kMostNodes},
    {"host.turn", Dimension::kTime, kLeastTurn},
    {"host.turn_more", Dimension::kTime, 0},
    {"host.patience", Dimension::kTime, 0},
};

const char* const kTables[] = {"link",   "injection", "ejection",  "reliability", "costs", "nic",
                               "column", "global",    "dragonfly", "tree",        "host"};
const char* const kTexts[] = {"name", "summary", "topology", "routing", "ordered"};

/// The default of messages of one port under way.
constexpr std::uint64_t kUsualUnderWay = 1024;

constexpr const char* kSources = "'given' (which paper), 'calibrated' (against what) and 'assumed' (why)";

std::optional<NumberSource> source_called(std::string_view word) {
  if (word == "given") return NumberSource::kGiven;
  if (word == "calibrated") return NumberSource::kCalibrated;
  if (word == "assumed") return NumberSource::kAssumed;
  return std::nullopt;
}

/// In an override, follows the name of a cost and means its variable part.
constexpr const char* kEach = ".each";
constexpr std::uint64_t kFemtosecondsPerPicosecond = 1000;

bool one_of(std::span<const char* const> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

class ModelReader {
 public:
  ModelReader(NetworkModel& model, const std::string& path) : model_(model), path_(path) {
    model_.path_ = path;
  }

  void read(const toml::table& file) {
    for (const auto& [key, node] : file) {
      const std::string name(key.str());
      if (one_of(kTexts, name)) continue;
      const toml::table* table = node.as_table();
      if (table && one_of(kTables, name)) {
        for (const auto& [inner, number] : *table) read_number(name + "." + std::string(inner.str()), number);
      } else {
        read_number(name, node);
      }
    }
    model_.name = text(file, "name");
    model_.summary = text(file, "summary");
    read_topology(file);
    const auto* ordered = file.get_as<bool>("ordered");
    if (!ordered) complain(path_, file.source(), "'ordered' must say true or false");
    model_.ordered = ordered->get();
  }

  // "costs.trap=150ns", "costs.copy.each=0.5ns"
  void override_number(const std::string& text) {
    const std::size_t equals = text.find('=');
    std::string name = text.substr(0, equals);
    const bool is_each = name.ends_with(kEach);
    if (is_each) name.resize(name.size() - std::string_view(kEach).size());
    Number* number = find(name);
    if (equals == std::string::npos || !number) {
      throw Malformed{"'" + text + "' does not name a number of " + path_ +
                      "; it should look like link.hop=60ns"};
    }
    const std::optional<Quantity> value = quantity(std::string_view(text).substr(equals + 1));
    if (!value || value->dimension != number->dimension) {
      throw Malformed{"'" + text + "': " + name + " must be " + name_of(number->dimension)};
    }
    number->source = NumberSource::kOverridden;
    if (!is_each) {
      number->value = value->value;
    } else if (number->dimension == Dimension::kTime) {
      number->fs_per_byte = value->value * kFemtosecondsPerPicosecond;
    } else {
      throw Malformed{"'" + text + "': only costs have a part for each byte, page or entry"};
    }
  }

  void finish() {
    model_.inline_bytes = take("inline_bytes");
    model_.packet_bytes = take("packet_bytes");
    model_.header_bytes = take("header_bytes", 0);
    model_.link.fs_per_byte = take("link.bandwidth");
    model_.hop = take("link.hop");
    model_.column_line = {{take("column.bandwidth", model_.link.fs_per_byte)},
                          take("column.hop", model_.hop)};
    model_.global_line = {{take("global.bandwidth", model_.link.fs_per_byte)},
                          take("global.hop", model_.hop)};
    model_.channels = static_cast<std::uint32_t>(take("link.channels", 0));
    model_.buffer = static_cast<std::uint32_t>(take("link.buffer", 0));
    model_.flit_bytes = take("link.flit_bytes", 1);
    model_.packet_overhead = take("link.packet_overhead", 0);
    model_.injection = gate("injection");
    model_.ejection = gate("ejection");
    model_.most_under_way = static_cast<std::uint32_t>(take("injection.messages", kUsualUnderWay));
    model_.room = model_.buffer != 0 ? take("ejection.room") : take("ejection.room", 0);
    model_.cores = static_cast<std::uint32_t>(take("host.cores", 0));
    if (model_.cores != 0) {
      model_.nodes_of_machine = static_cast<std::uint32_t>(take("host.nodes", 1));
      model_.turn = take("host.turn");
      model_.turn_more = take("host.turn_more", 0);
      model_.patience = take("host.patience");
    }
    model_.retry_timeout = take("reliability.timeout");
    model_.tries = static_cast<std::uint32_t>(take("reliability.tries"));
    const bool notices = model_.routing == Routing::kAdaptive;
    model_.reroute = take("reliability.reroute", notices ? model_.retry_timeout : kNever);
    finish_shape();
    for (const Number& number : model_.numbers_) {
      if (number.name.rfind("costs.", 0) == 0) {
        model_.costs_.push_back({number.name.substr(6), number.value, {number.fs_per_byte}});
      }
    }
  }

 private:
  std::string text(const toml::table& file, const char* key) {
    const auto* value = file.get_as<std::string>(key);
    if (!value || value->get().empty()) {
      complain(path_, file.source(), std::string("'") + key + "' is missing; it must be a text");
    }
    return value->get();
  }

  void read_topology(const toml::table& file) {
    struct Kind {
      const char* name;
      TopologyKind kind;
    };
    static constexpr Kind kKinds[] = {{"torus", TopologyKind::kTorus},
                                      {"mesh", TopologyKind::kMesh},
                                      {"crossbar", TopologyKind::kCrossbar},
                                      {"dragonfly", TopologyKind::kDragonfly},
                                      {"tree", TopologyKind::kTree}};
    const std::string name = text(file, "topology");
    const auto* const found =
        std::ranges::find(kKinds, name, [](const Kind& kind) { return std::string(kind.name); });
    if (found == std::end(kKinds)) {
      complain(path_, file.get("topology")->source(),
               "there is no topology '" + name + "'; use torus, mesh, crossbar, dragonfly or tree");
    }
    model_.topology = model_.shape.kind = found->kind;
    if (!file.contains("routing")) return;
    const std::string routing = text(file, "routing");
    const bool is_box = found->kind == TopologyKind::kTorus || found->kind == TopologyKind::kMesh;
    if (routing == (is_box ? "dimension-order" : "minimal")) {
      model_.routing = Routing::kFixed;
    } else if (routing == "hashed") {
      model_.routing = Routing::kHashed;
    } else if (routing == "adaptive") {
      model_.routing = Routing::kAdaptive;
    } else {
      complain(path_, file.get("routing")->source(),
               "a " + name + " has no routing '" + routing + "'; use " +
                   (is_box ? "dimension-order" : "minimal") + ", hashed or adaptive");
    }
  }

  // Reads the numbers of this topology, and refuses those of others.
  void finish_shape() {
    Shape& shape = model_.shape;
    const auto count = [this](const char* name) { return static_cast<std::uint32_t>(take(name)); };
    const bool is_box = shape.kind == TopologyKind::kTorus || shape.kind == TopologyKind::kMesh;
    if (is_box) shape.axes = static_cast<unsigned>(take("axes", 3));
    if (shape.kind == TopologyKind::kDragonfly) {
      shape.columns = count("dragonfly.columns");
      shape.rows = count("dragonfly.rows");
      shape.nodes_per_router = count("dragonfly.nodes_per_router");
      shape.global_links = count("dragonfly.global_links");
    }
    if (shape.kind == TopologyKind::kTree) shape.arity = count("tree.arity");
    const auto belongs = [&](std::string_view name) {
      if (name == "axes") return is_box;
      if (name.starts_with("tree.")) return shape.kind == TopologyKind::kTree;
      if (name.starts_with("dragonfly.") || name.starts_with("column.") || name.starts_with("global."))
        return shape.kind == TopologyKind::kDragonfly;
      return true;
    };
    for (const Number& number : model_.numbers_) {
      if (!belongs(number.name)) throw Malformed{path_ + ": '" + number.name + "' is not of this topology"};
    }
  }

  Gate gate(const std::string& table) {
    return {{take(table + ".bandwidth")}, take(table + ".per_message"), take(table + ".per_packet")};
  }

  void read_number(const std::string& name, const toml::node& node) {
    const bool free_name = name.rfind("costs.", 0) == 0 || name.rfind("nic.", 0) == 0;
    if (!free_name && std::none_of(std::begin(kWanted), std::end(kWanted),
                                   [&](const Wanted& wanted) { return name == wanted.name; })) {
      complain(path_, node.source(), "'" + name + "' is not something that a network has");
    }
    const toml::table* table = node.as_table();
    if (!table) {
      complain(path_, node.source(),
               "'" + name + "' must say where it comes from: { value = 75, unit = \"ns\", given = \"...\" }");
    }
    Number number;
    number.name = name;
    std::optional<double> value, per_byte;
    std::string unit;
    bool sourced = false;
    for (const auto& [key, part] : *table) {
      const std::string_view what = key.str();
      if (what == "value" || what == "per_byte" || what == "each") {
        if (!part.is_number())
          complain(path_, part.source(), name + ": '" + std::string(what) + "' must be a number");
        (what == "value" ? value : per_byte) = part.value<double>();
      } else if (what == "unit") {
        unit = part.value_or(std::string());
      } else if (const std::optional<NumberSource> source = source_called(what)) {
        number.source = *source;
        number.according_to = part.value_or(std::string());
        if (sourced || number.according_to.empty()) {
          complain(path_, part.source(), name + ": exactly one of " + kSources + ", with a text");
        }
        sourced = true;
      } else {
        complain(path_, part.source(), name + ": there is no '" + std::string(what) + "' here");
      }
    }
    if (!sourced || !value) {
      complain(path_, node.source(), name + ": 'value' and one of " + kSources + " are needed");
    }
    const std::optional<Quantity> read = quantity(*value, unit);
    if (!read)
      complain(path_, node.source(), name + ": " + std::to_string(*value) + " '" + unit + "' is no quantity");
    number.value = read->value;
    number.dimension = read->dimension;
    if (per_byte) {
      // A thousandth of the base unit, a femtosecond, for each byte.
      const std::optional<Quantity> rate = quantity(*per_byte * 1000, unit);
      if (!rate || rate->dimension != Dimension::kTime) {
        complain(path_, node.source(), name + ": 'per_byte' and 'each' need a unit of time");
      }
      number.fs_per_byte = rate->value;
    }
    lines_.push_back(node.source().begin.line);
    model_.numbers_.push_back(std::move(number));
  }

  Number* find(std::string_view name) {
    for (Number& number : model_.numbers_) {
      if (number.name == name) return &number;
    }
    return nullptr;
  }

  std::uint64_t take(const std::string& name) {
    const Number* number = find(name);
    if (!number) throw Malformed{path_ + ": '" + name + "' is missing"};
    const auto* const wanted =
        std::ranges::find(kWanted, name, [](const Wanted& one) { return std::string(one.name); });
    const auto index = static_cast<std::size_t>(number - model_.numbers_.data());
    const std::string where = path_ + ":" + std::to_string(lines_[index]) + ": " + name;
    if (number->dimension != wanted->dimension)
      throw Malformed{where + " must be " + name_of(wanted->dimension)};
    if (number->value < wanted->least)
      throw Malformed{where + " must be at least " + std::to_string(wanted->least)};
    if (number->value > wanted->most)
      throw Malformed{where + " must be at most " + std::to_string(wanted->most)};
    return number->value;
  }
  std::uint64_t take(const std::string& name, std::uint64_t absent) {
    return find(name) ? take(name) : absent;
  }

  NetworkModel& model_;
  const std::string& path_;
  std::vector<std::uint32_t> lines_;  // of each number
};

std::optional<NetworkModel> NetworkModel::parse(std::string_view text, const std::string& path,
                                                std::span<const std::string> overrides, std::string* error) {
  try {
    const toml::table file = toml::parse(text, path);
    NetworkModel model;
    model.file_crc32 = crc32(text.data(), text.size());
    ModelReader reader(model, path);
    reader.read(file);
    for (const std::string& one : overrides) reader.override_number(one);
    reader.finish();
    return model;
  } catch (const toml::parse_error& failure) {
    *error =
        path + ":" + std::to_string(failure.source().begin.line) + ": " + std::string(failure.description());
  } catch (const Malformed& failure) {
    *error = failure.text;
  }
  return std::nullopt;
}

std::optional<NetworkModel> NetworkModel::load(const std::string& path,
                                               std::span<const std::string> overrides, std::string* error) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    *error = "cannot read the network file " + path;
    return std::nullopt;
  }
  return parse(text.str(), path, overrides, error);
}

}  // namespace aqueduct::sim
