// Network files: what is read, and that every mistake is named with its line.
#include <algorithm>

#include "models.hpp"
#include "sim/units.hpp"

namespace aqueduct::sim {
namespace {

std::string complaint(std::string text, const std::string& from, const std::string& to,
                      std::vector<std::string> overrides = {}) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::string error;
  EXPECT_FALSE(NetworkModel::parse(text, "net.toml", overrides, &error).has_value());
  return error;
}

TEST(NetworkModel, NumbersComeWithTheirUnitsAndOrigins) {
  const NetworkModel model = make_model();
  EXPECT_EQ(model.link.fs_per_byte, 1'000'000u);
  EXPECT_EQ(model.hop, 100 * kNanosecond);
  EXPECT_EQ(model.injection.per_message, 200 * kNanosecond);
  EXPECT_EQ(model.retry_timeout, 20 * kMicrosecond);
  EXPECT_EQ(model.tries, 8u);
  EXPECT_EQ(model[model.cost("copy")].of(1000), 290 * kNanosecond);
  EXPECT_FALSE(model.find_cost("lunch").has_value());
  for (const Number& number : model.numbers()) {
    EXPECT_EQ(number.source, NumberSource::kGiven);
    EXPECT_EQ(number.according_to, "test");
  }
}

TEST(NetworkModel, AnOverrideReplacesANumberAndIsMarked) {
  std::string error;
  const std::vector<std::string> overrides = {"costs.trap=150ns", "link.bandwidth=2.5GB/s"};
  const auto model = NetworkModel::parse(model_text({}), "net.toml", overrides, &error);
  ASSERT_TRUE(model.has_value()) << error;
  EXPECT_EQ((*model)[model->cost("trap")].fixed, 150 * kNanosecond);
  EXPECT_EQ(model->link.fs_per_byte, 400'000u);
  unsigned overridden = 0;
  for (const Number& number : model->numbers()) overridden += number.source == NumberSource::kOverridden;
  EXPECT_EQ(overridden, 2u);
}

TEST(NetworkModel, AnOverrideOfEachReplacesTheVariablePartOfACost) {
  std::string error;
  const std::vector<std::string> overrides = {"costs.copy.each=0.5ns"};
  const auto model = NetworkModel::parse(model_text({}), "net.toml", overrides, &error);
  ASSERT_TRUE(model.has_value()) << error;
  const NetworkModel usual = make_model();
  const Cost& before = usual[usual.cost("copy")];
  const Cost& after = (*model)[model->cost("copy")];
  EXPECT_EQ(after.fixed, before.fixed);
  EXPECT_EQ(after.of(1000) - after.of(0), 500 * kNanosecond);
  const std::string text = model_text({});
  EXPECT_NE(complaint(text, "ns", "ns", {"tries.each=1ns"}).find("does not name a number"),
            std::string::npos);
  EXPECT_NE(complaint(text, "ns", "ns", {"costs.copy.each=3B"}).find("must be a time"), std::string::npos);
  EXPECT_NE(complaint(text, "ns", "ns", {"reliability.tries.each=3"}).find("only costs"), std::string::npos);
}

TEST(NetworkModel, ANumberMayBeAssumed) {
  std::string text = model_text({}), error;
  text.replace(text.find("given = \"test\""), 14, "assumed = \"why\"");
  const auto model = NetworkModel::parse(text, "net.toml", {}, &error);
  ASSERT_TRUE(model.has_value()) << error;
  EXPECT_EQ(std::ranges::count(model->numbers(), NumberSource::kAssumed, &Number::source), 1);
}

TEST(NetworkModel, TheFilesCrcTellsFilesApartAndIgnoresOverrides) {
  std::string error;
  const std::vector<std::string> overrides = {"costs.trap=150ns"};
  const std::string text = model_text({});
  const auto crc = [&](const std::string& of, const std::vector<std::string>& changes) {
    return NetworkModel::parse(of, "net.toml", changes, &error)->file_crc32;
  };
  EXPECT_EQ(crc(text, {}), crc(text, overrides));
  EXPECT_NE(crc(text, {}), crc(text + "# more", {}));
}

TEST(NetworkModel, EveryMistakeIsNamedWithItsPlace) {
  const std::string text = model_text({});
  const auto expect = [](const std::string& error, const char* place, const char* words) {
    EXPECT_NE(error.find(place), std::string::npos) << error;
    EXPECT_NE(error.find(words), std::string::npos) << error;
  };
  expect(complaint(text, "topology = \"crossbar\"", "topology = \"star\""), "net.toml:3:", "'star'");
  expect(complaint(text, "ordered = true", "ordered = 3"), "net.toml:", "ordered");
  expect(complaint(text, "hop = {", "hops = {"), "net.toml:9:", "link.hops");
  expect(complaint(text, "unit = \"GB/s\"", "unit = \"furlong\""), "net.toml:", "furlong");
  expect(complaint(text, "given = \"test\"", "given = \"\""), "net.toml:5:", "inline_bytes");
  expect(complaint(text, "given = \"test\"", "guessed = \"test\""), "net.toml:5:", "guessed");
  expect(complaint(text, "{ value = 100, unit = \"ns\", given = \"test\" }", "100"),
         "net.toml:9:", "link.hop");
  expect(complaint(text, "value = 100, unit = \"ns\"", "value = 100, unit = \"B\""), "net.toml:9:", "a time");
  expect(complaint(text, "tries = { value = 8", "tries = { value = 0"), "net.toml:", "at least 1");
  expect(complaint(text, "[reliability]", "[reliability"), "net.toml:", "");
  expect(complaint(text, "trap", "trap", {"costs.lunch=1ns"}), "costs.lunch", "net.toml");
  expect(complaint(text, "trap", "trap", {"costs.trap=5B"}), "costs.trap", "a time");
}

TEST(NetworkModel, BundledNetworksAreSound) {
  for (const char* name : {"crossbar", "torus"}) {
    std::string error;
    const auto model = NetworkModel::load(std::string(AQUEDUCT_NETWORKS "/") + name + ".toml", {}, &error);
    ASSERT_TRUE(model.has_value()) << error;
    EXPECT_EQ(model->name, name);
  }
}

TEST(Units, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(quantity("2.5us")->value, 2'500'000u);
  EXPECT_EQ(quantity("75 ns")->value, 75'000u);
  EXPECT_EQ(quantity("4 KiB")->value, 4096u);
  EXPECT_EQ(quantity("1108 MB/s")->value, 902'527u);
  EXPECT_EQ(quantity("12")->dimension, Dimension::kCount);
  EXPECT_FALSE(quantity("12 parsecs").has_value());
  EXPECT_FALSE(quantity("-3ns").has_value());
  EXPECT_FALSE(quantity("0 GB/s").has_value());
  EXPECT_FALSE(quantity("").has_value());
  EXPECT_STREQ(show(1'234'567).text, "1.235 us");
}

TEST(NetworkModel, TopologiesHaveTheirOwnNumbersAndRoutings) {
  const std::string dragonfly = model_text({.topology = "dragonfly", .buffer = 3, .routing = "adaptive"});
  std::string error;
  const auto model = NetworkModel::parse(dragonfly, "net.toml", {}, &error);
  ASSERT_TRUE(model.has_value()) << error;
  EXPECT_EQ(model->shape.columns, 3u);
  EXPECT_EQ(model->shape.global_links, 2u);
  EXPECT_EQ(model->routing, Routing::kAdaptive);
  EXPECT_EQ(model->buffer, 3u);
  EXPECT_EQ(model->room, 4096u);
  EXPECT_EQ(model->global_line.hop, model->hop) << "as other links, unless the file says something else";
  const auto expect = [](const std::string& complaint, const char* what) {
    EXPECT_NE(complaint.find(what), std::string::npos) << complaint;
  };
  expect(complaint(dragonfly, "columns", "pillars"),
         "'dragonfly.pillars' is not something that a network has");
  expect(complaint(dragonfly, "\"adaptive\"", "\"dimension-order\""),
         "a dragonfly has no routing 'dimension-order'; use minimal, hashed or adaptive");
  expect(complaint(dragonfly, "\"dragonfly\"", "\"torus\""), "'dragonfly.columns' is not of this topology");
  expect(complaint(dragonfly, "room = ", "per_byte = "), "is not something that a network has");
  expect(complaint(model_text({.buffer = 2}), "value = 2,", "value = 0,"), "link.buffer must be at least 1");
  expect(complaint(model_text({.topology = "tree"}), "value = 2, unit = \"1\"", "value = 1, unit = \"1\""),
         "tree.arity must be at least 2");
}

TEST(NetworkModel, BuffersNeedRoomForPayloadThatNobodyAccepts) {
  std::string text = model_text({.buffer = 2, .room = 77});
  const std::size_t at = text.find("room");
  text.erase(at, text.find('\n', at) - at);
  std::string error;
  EXPECT_FALSE(NetworkModel::parse(text, "net.toml", {}, &error).has_value());
  EXPECT_NE(error.find("'ejection.room' is missing"), std::string::npos) << error;
}

TEST(NetworkModelDeathTest, TooFewChannelsAreRefused) {
  const NetworkModel model = make_model({.topology = "torus", .buffer = 2, .channels = 1});
  EXPECT_DEATH(Simulation({.model = &model, .nodes = 8}), "1 virtual channels; its routing needs 2");
}

}  // namespace
}  // namespace aqueduct::sim
