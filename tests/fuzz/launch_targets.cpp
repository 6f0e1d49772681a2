// What launchers read from agents and from people: frames, lists of hosts, commands.
#include "hosts/agent_messages.hpp"
#include "hosts/host_list.hpp"
#include "hosts/remote_shell.hpp"
#include "target.hpp"

namespace aqueduct::fuzz {

void agent_messages(Input input) {
  using namespace job::agent;
  using Messages = job::Codec<Message>;
  // Messages are the same however their bytes arrive, and what is one is written as it was read.
  job::FrameReader at_once, one_by_one;
  at_once.feed(text_of(input));
  for (const std::uint8_t byte : input) {
    one_by_one.feed(text_of({&byte, 1}));
    while (const auto message = Messages::next(one_by_one)) {
      expect(Messages::next(at_once) == message);
      job::FrameReader again;
      again.feed(Messages::encode(*message));
      expect(Messages::next(again) == message);
    }
  }
  expect(!Messages::next(at_once));
  expect(at_once.is_broken() == one_by_one.is_broken());
  const auto version = version_in(text_of(input));
  if (version) expect(version->version.size() < input.size());
}

void host_list(Input input) {
  using namespace job;
  Reader reader(input);
  const RankId ranks = reader.take<std::uint16_t>() % 3000;
  const bool may_oversubscribe = reader.take<std::uint8_t>() % 2 == 1;
  const std::string text(text_of(reader.take_bytes(input.size())));
  for (const HostList& list : {parse_hosts(text, "--hosts"), parse_hostfile(text, "F")}) {
    expect(list.hosts.empty() == !list.error.empty());
    expect(list.error.find('\n') == std::string::npos || text.find('\n') != std::string::npos);
    std::uint64_t slots = 0;
    for (const ListedHost& host : list.hosts) {
      expect(!host.name.empty() && host.name[0] != '-');
      slots += host.slots;
    }
    if (list.hosts.empty() || slots > 100'000) continue;
    const Placement placement = place_ranks(list.hosts, ranks, may_oversubscribe);
    if (!placement.error.empty()) continue;
    RankId next = 0;
    for (const Placement::Host& host : placement.hosts) {
      expect(!host.ranks.empty());
      for (const RankId rank : host.ranks) expect(rank == next++);
    }
    expect(ranks == 0 || next == ranks);
    expect(placement.layout.hosts() == placement.hosts.size());
  }
  if (const auto words = words_of(text)) {
    std::string quoted;
    for (const std::string& word : *words) quoted += quoted_for_shell(word) + " ";
    expect(words_of(quoted) == words);
  }
}

}  // namespace aqueduct::fuzz
