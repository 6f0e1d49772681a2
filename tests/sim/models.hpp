// Networks for tests, as text: one-liners that differ in what the test is about.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/simulation.hpp"

namespace aqueduct::sim {

constexpr Time ns(std::uint64_t count) { return count * kNanosecond; }

struct TestModel {
  const char* topology = "crossbar";
  bool ordered = true;
  unsigned inline_bytes = 64;
  unsigned tries = 8;
  unsigned buffer = 0;    // packets; 0: as many as come
  unsigned room = 4096;   // counts where there are buffers
  unsigned channels = 0;  // 0: as many as needed
  const char* routing = nullptr;
  const char* more = "";    // lines at the end of [link]
  unsigned reroute_us = 0;  // 0: not in the file
};

/// The shape of a dragonfly or tree, in a few routers: groups of 3 x 2, two nodes each; switches of two.
inline std::string shape_text(const TestModel& model, const std::string& mark) {
  const auto count = [&](const char* name, unsigned value) {
    return std::string(name) + " = { value = " + std::to_string(value) + ", unit = \"1\"" + mark;
  };
  const std::string topology = model.topology;
  if (topology == "dragonfly") {
    return "[dragonfly]\n" + count("columns", 3) + count("rows", 2) + count("nodes_per_router", 2) +
           count("global_links", 2);
  }
  return topology == "tree" ? "[tree]\n" + count("arity", 2) : "";
}

/// 1 GB/s everywhere (a nanosecond per byte), 100 ns per hop, 200 ns before a message leaves.
inline std::string model_text(const TestModel& model) {
  const std::string mark = ", given = \"test\" }\n";
  const auto number = [&](const char* name, const std::string& value, const char* unit) {
    return std::string(name) + " = { value = " + value + ", unit = \"" + unit + "\"" + mark;
  };
  const std::string gate = number("bandwidth", "1", "GB/s") + number("per_packet", "0", "ns");
  return "name = \"test\"\nsummary = \"test\"\ntopology = \"" + std::string(model.topology) +
         "\"\nordered = " + (model.ordered ? "true" : "false") + "\n" +
         (model.routing != nullptr ? "routing = \"" + std::string(model.routing) + "\"\n" : "") +
         number("inline_bytes", std::to_string(model.inline_bytes), "B") +
         number("packet_bytes", "256", "B") + "[link]\n" + number("bandwidth", "1", "GB/s") +
         number("hop", "100", "ns") +
         (model.buffer != 0 ? number("buffer", std::to_string(model.buffer), "1") : "") +
         (model.channels != 0 ? number("channels", std::to_string(model.channels), "1") : "") + model.more +
         "[injection]\n" + gate + number("per_message", "200", "ns") +  //
         "[ejection]\n" + gate + number("per_message", "0", "ns") +
         (model.buffer != 0 ? number("room", std::to_string(model.room), "B") : "") + "[reliability]\n" +
         number("timeout", "20", "us") + number("tries", std::to_string(model.tries), "1") +
         (model.reroute_us != 0 ? number("reroute", std::to_string(model.reroute_us), "us") : "") +
         shape_text(model, mark) + "[costs]\n" + number("trap", "75", "ns") + number("interrupt", "2", "us") +
         "copy = { value = 40, unit = \"ns\", per_byte = 0.25" + mark;
}

/// `settings`: as --set takes them.
inline NetworkModel make_model(const TestModel& test = {}, const std::vector<std::string>& settings = {}) {
  std::string error;
  std::optional<NetworkModel> model = NetworkModel::parse(model_text(test), "test.toml", settings, &error);
  EXPECT_TRUE(model.has_value()) << error;
  return *model;
}

}  // namespace aqueduct::sim
