// Bytes that strangers can send to the listeners of the bootstrap, and texts that ranks find in their
// environment.
#include <algorithm>
#include <string>
#include <vector>

#include "job/bootstrap/handshake.hpp"
#include "job/bootstrap/tree_node.hpp"
#include "job/launchers/card.hpp"
#include "job/launchers/pmi_text.hpp"
#include "job/place/layout.hpp"
#include "target.hpp"

namespace aqueduct::fuzz {

void greeting(Input input) {
  using namespace job;
  constexpr auto kPurpose = Greeting::Purpose::kRegister;
  // However the bytes come in, the verdict is the same, and what was dropped stays dropped.
  Examined last;
  for (std::size_t bytes = 0; bytes <= input.size(); ++bytes) {
    const Examined now = examine_greeting(text_of(input.first(bytes)), kPurpose);
    if (last.state == Examined::State::kStranger) expect(now.state == Examined::State::kStranger);
    if (now.state == Examined::State::kComplete)
      expect(bytes == sizeof(Greeting) && now.greeting.version == kGreetingVersion);
    last = now;
  }
  if (input.size() < sizeof(Greeting)) return;
  // Nothing that is made up proves anything.
  Greeting greeting;
  std::memcpy(static_cast<void*>(&greeting), input.data(), sizeof greeting);
  static const net::JobKey key = net::JobKey::random();
  Challenge challenge;
  challenge.nonce = random_nonce();
  expect(!is_same_secret(input.subspan(sizeof greeting), prove(key, greeting, challenge)));
  expect(greeting.listens_at.text().size() < 64);
}

/// A job of up to 64 nodes; then pieces: a link, how many bytes, the bytes.
void tree_node(Input input) {
  using namespace job;
  Reader reader(input);
  const RankId size = 1 + reader.take<std::uint8_t>() % 64;
  const RankId number = reader.take<std::uint8_t>() % size;
  const Bootstrap::Call call{static_cast<Bootstrap::Kind>(1 + reader.take<std::uint8_t>() % 3),
                             reader.take<std::uint8_t>() % size};
  TreeNode node(number, size, [](RankId peer) { return "rank " + std::to_string(peer); });
  const bool contributes =
      call.kind != Bootstrap::Kind::kBarrier && (call.root == number || reader.take<std::uint8_t>() % 2);
  const std::byte mine[3] = {};
  node.begin(0, call, contributes, mine);
  while (!reader.is_at_end()) {
    const TreeNode::Link link = reader.take<std::uint8_t>() % TreeNode::kLinks;
    const Input piece = reader.take_bytes(reader.take<std::uint16_t>());
    if (!node.has(link)) continue;
    node.receive(link, std::as_bytes(piece));
    for (TreeNode::Link to = 0; to < TreeNode::kLinks; ++to) {
      if (!node.has(to)) continue;
      const std::size_t bytes = node.to_send(to).size();
      if (bytes != 0) node.sent(to, std::max<std::size_t>(bytes / 2, 1));
    }
    if (!node.is_over()) continue;
    const Gathered all = node.result();
    std::size_t sum = 0;
    for (RankId rank = 0; rank < all.size(); ++rank) {
      for (const std::byte byte : all[rank]) sum += static_cast<std::size_t>(byte);
    }
    volatile std::size_t seen = sum;
    (void)seen;
    return;
  }
}

void net_address(Input input) {
  const auto address = net::Address::parse(text_of(input));
  if (address) expect(net::Address::parse(address->text()) == *address);
  const auto key = net::JobKey::parse(text_of(input));
  if (key) expect(key->text() == text_of(input));
}

void layout(Input input) {
  using namespace job;
  Reader reader(input);
  const RankId size = 1 + reader.take<std::uint16_t>() % 2000;
  std::string why;
  const auto layout = Layout::parse(std::string(text_of(reader.take_bytes(input.size()))), size, &why);
  expect(layout ? layout->size() == size : !why.empty());
  if (!layout) return;
  RankId counted = 0;
  for (HostId host = 0; host < layout->hosts(); ++host) {
    expect(layout->local_size(host) > 0);
    counted += layout->local_size(host);
  }
  expect(counted == size);
  for (RankId rank = 0; rank < size; ++rank) {
    const RankPlace place = layout->place(rank);
    expect(place.host < layout->hosts() && layout->rank_at(place.host, place.local) == rank);
  }
}

void pmi_text(Input input) {
  using namespace job::launchers;
  // Lines are the same however their bytes arrive.
  PmiLines at_once, one_by_one;
  at_once.append(text_of(input));
  std::vector<std::string> lines;
  for (const std::uint8_t byte : input) {
    one_by_one.append(text_of({&byte, 1}));
    while (auto line = one_by_one.next()) lines.push_back(*line);
  }
  for (const std::string& line : lines) expect(at_once.next() == line);
  expect(!at_once.next());
  for (const std::string& line : lines) {
    std::string why;
    const auto parsed = PmiLine::parse(line, &why);
    expect(parsed ? parsed->command().size() < line.size() : !why.empty());
    expect(printable(line).find('\n') == std::string::npos);
    if (!parsed) continue;
    for (const char* const name : {"cmd", "rc", "value", "key", "size"}) {
      const auto number = parsed->number(name);
      if (number) expect(parsed->value(name) != nullptr);
    }
  }
}

void card(Input input) {
  using job::launchers::RankCard;
  const auto card = RankCard::parse(std::string(text_of(input)));
  if (card) expect(RankCard::parse(card->text())->text() == card->text());
}

}  // namespace aqueduct::fuzz
