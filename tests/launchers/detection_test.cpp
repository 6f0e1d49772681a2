// Which launcher is found in an environment, and what ranks tell each other of their hosts.
#include "job/launchers/detection.hpp"

#include <gtest/gtest.h>

#include <map>

#include "job/launchers/card.hpp"
#include "job/launchers/reachable.hpp"

namespace aqueduct::job::launchers {
namespace {

using Variables = std::map<std::string, std::string>;

Launcher found(const Variables& variables) {
  return detect([&](const char* name) -> const char* {
           const auto it = variables.find(name);
           return it == variables.end() ? nullptr : it->second.c_str();
         })
      .launcher;
}

TEST(Detection, APlainEnvironmentHasNoLauncher) { EXPECT_EQ(found({}), Launcher::kNone); }

TEST(Detection, EachLauncherIsKnownByItsVariables) {
  EXPECT_EQ(found({{"AQUEDUCT_RANK", "0"}}), Launcher::kEnvironment);
  EXPECT_EQ(found({{"PMIX_NAMESPACE", "1"}, {"PMIX_RANK", "0"}}), Launcher::kPmix);
  EXPECT_EQ(found({{"PMI_FD", "6"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), Launcher::kPmi1);
  EXPECT_EQ(found({{"PMI_PORT", "a:4000"}, {"PMI_ID", "0"}}), Launcher::kPmi1);
  const Variables step = {{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}};
  Variables with_pmi = step;
  with_pmi.merge(Variables{{"PMI_FD", "6"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
  EXPECT_EQ(found(with_pmi), Launcher::kPmi2);
  Variables without = step;
  without["SLURM_STEP_NUM_TASKS"] = "4";
  EXPECT_EQ(found(without), Launcher::kPmi1);
  EXPECT_EQ(found(step), Launcher::kNone);
}

TEST(Detection, WhatTheUserSaysOfEachRankComesFirst) {
  EXPECT_EQ(found({{"AQUEDUCT_RANK", "0"}, {"PMIX_NAMESPACE", "1"}, {"PMIX_RANK", "0"}}),
            Launcher::kEnvironment);
}

TEST(Detection, AScriptOfSlurmIsNoRank) {
  EXPECT_EQ(found({{"SLURM_JOB_ID", "7"},
                   {"SLURM_STEP_ID", "4294967291"},
                   {"SLURM_PROCID", "0"},
                   {"SLURM_STEP_NUM_TASKS", "4"}}),
            Launcher::kNone);
}

TEST(Detection, ALauncherOfOneProcessIsNone) {
  EXPECT_EQ(found({{"PMI_FD", "6"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}), Launcher::kNone);
}

TEST(Detection, AnMpiThatIsAloneUnderALauncherIsNone) {
  Variables place = {
      {"PMI_FD", "6"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"PMIX_NAMESPACE", "1"}, {"PMIX_RANK", "0"}};
  EXPECT_EQ(found(place), Launcher::kPmi1);
  place["OMPI_COMM_WORLD_SIZE"] = "2";
  EXPECT_EQ(found(place), Launcher::kPmix);
}

TEST(Detection, TheUserMayNameOne) {
  const Variables place = {{"PMIX_NAMESPACE", "1"}, {"PMIX_RANK", "0"}, {"AQUEDUCT_LAUNCHER", "none"}};
  EXPECT_EQ(found(place), Launcher::kNone);
  EXPECT_EQ(found({{"AQUEDUCT_LAUNCHER", "pmi2"}}), Launcher::kPmi2);
  EXPECT_DEATH(found({{"AQUEDUCT_LAUNCHER", "pmi3"}}),
               "AQUEDUCT_LAUNCHER='pmi3' is no launcher; use pmix, pmi2");
}

TEST(Cards, SayWhatARankIs) {
  const RankCard mine = RankCard::mine(true);
  const auto read = RankCard::parse(mine.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->host, host_identity());
  EXPECT_EQ(read->meeting, mine.meeting);
  EXPECT_EQ(read->host_name, mine.host_name);
  EXPECT_EQ(read->salt, mine.salt);
  EXPECT_LE(mine.text().size(), 300u);
  EXPECT_EQ(mine.text().find_first_of(" =\n"), std::string::npos);
}

TEST(Cards, OfOtherVersionsAreNone) {
  const std::string good = RankCard::mine(true).text();
  EXPECT_FALSE(RankCard::parse(""));
  EXPECT_FALSE(RankCard::parse("aq1" + good.substr(3)));
  EXPECT_FALSE(RankCard::parse(good + ":more"));
  EXPECT_FALSE(RankCard::parse(good.substr(0, good.size() - 1)));
  EXPECT_FALSE(RankCard::parse("aq2:x" + good.substr(4)));
}

TEST(Cards, TellWhichRanksShareAHost) {
  std::vector<RankCard> cards(5);
  for (std::size_t rank = 0; rank < cards.size(); ++rank) cards[rank].host = rank % 2 == 0 ? 77 : 11;
  EXPECT_EQ(hosts_by(cards).text(), "0,2,4/1,3");
}

InterfaceAddress own(const char* text, unsigned bits) { return {*net::Address::parse(text), bits}; }

TEST(Addresses, OfACommonNetworkAreTaken) {
  const std::vector<net::Address> theirs = {*net::Address::parse("192.0.2.1:5"),
                                            *net::Address::parse("10.1.2.3:5")};
  EXPECT_EQ(choose_address(theirs, {own("10.1.2.9:0", 24)})->text(), "10.1.2.3:5");
  EXPECT_EQ(choose_address(theirs, {own("10.1.3.9:0", 24)})->text(), "192.0.2.1:5");
  EXPECT_EQ(choose_address(theirs, {own("[2001:db8::1]:0", 64)}), std::nullopt);
  EXPECT_EQ(choose_address(theirs, {}), std::nullopt);
}

}  // namespace
}  // namespace aqueduct::job::launchers
