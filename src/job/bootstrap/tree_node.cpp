#include "job/bootstrap/tree_node.hpp"

#include "base/fatal.hpp"

namespace aqueduct::job {
namespace {

constexpr std::uint32_t kTreeMagic = 0x41715472;
constexpr std::uint64_t kMostTreeData = std::uint64_t{1} << 40;

void append(std::vector<std::byte>& to, const void* from, std::size_t bytes) {
  const auto* begin = static_cast<const std::byte*>(from);
  to.insert(to.end(), begin, begin + bytes);
}

}  // namespace

TreeNode::TreeNode(RankId node, RankId size, Name name) : node_(node), tree_{size}, name_(std::move(name)) {}

void TreeNode::begin(std::uint64_t operation, const Bootstrap::Call& call, bool contributes, Bytes mine) {
  operation_ = operation;
  call_ = call;
  contributes_ = contributes;
  mine_.assign(mine.begin(), mine.end());
  is_over_ = has_result_ = has_up_message_ = false;
  up_.clear();
  in_[kParent] = {};
  for (std::size_t& sent : sent_) sent = 0;
  go_on();
}

RankId TreeNode::entries_of(RankId top) const {
  switch (call_.kind) {
    case Bootstrap::Kind::kAllGather:
      return tree_.count_below(top);
    case Bootstrap::Kind::kBroadcast:
      return Tree::is_below(call_.root, top) ? 1 : 0;
    case Bootstrap::Kind::kBarrier:
      break;
  }
  return 0;
}

void TreeNode::receive(Link link, Bytes bytes) {
  // The parent cannot send for the next operation yet: the result is a view of its message, which must stay.
  if (link == kParent && (is_over_ || has_result_))
    refuse(link, "speaks of an operation that this one has not begun");
  append(in_[link].bytes, bytes.data(), bytes.size());
  go_on();
}

Bytes TreeNode::to_send(Link link) const {
  if (is_over_ || !has_up_message_) return {};
  if (link == kParent) return Bytes(up_).subspan(sent_[link]);
  if (node_ != 0 && !in_[kParent].is_known) return {};
  return down().subspan(sent_[link]);
}

void TreeNode::sent(Link link, std::size_t bytes) {
  sent_[link] += bytes;
  go_on();
}

bool TreeNode::expects(Link link) const {
  if (is_over_) return false;
  return link == kParent ? !has_result_ : !has_up_message_ && !has_all(link);
}

void TreeNode::go_on() {
  if (is_over_) return;
  const Link links = 1 + tree_.children(node_);
  if (!has_up_message_) {
    bool is_complete = true;
    for (Link link = 1; link < links; ++link) {
      look_at(link);
      is_complete = is_complete && has_all(link);
    }
    if (!is_complete) return;
    make_up_message();
  }
  if (!has_result_) {
    if (node_ != 0) {
      look_at(kParent);
      if (!has_all(kParent)) return;
      if (in_[kParent].bytes.size() > in_[kParent].expected) refuse(kParent, "says more than was asked");
    }
    take_result();
  }
  is_over_ = node_ == 0 || sent_[kParent] == up_.size();
  for (Link link = 1; link < links; ++link) is_over_ = is_over_ && sent_[link] == down().size();
}

// Calls visit(entry) for each entry of a message that has passed check() and has all of its entries.
template <class Visit>
void TreeNode::read_entries(Link link, Bytes message, RankId top, Visit&& visit) const {
  Header header;
  std::memcpy(&header, message.data(), sizeof header);
  std::uint64_t left = header.data_bytes;
  std::vector<bool> is_seen(header.entries > 1 ? tree_.size : 0);
  for (std::uint32_t i = 0; i < header.entries; ++i) {
    Entry entry;
    std::memcpy(&entry, message.data() + sizeof header + i * sizeof entry, sizeof entry);
    const bool is_possible = entry.node < tree_.size && Tree::is_below(entry.node, top) &&
                             entry.bytes <= left &&
                             (call_.kind != Bootstrap::Kind::kBroadcast || entry.node == call_.root);
    if (!is_possible || (!is_seen.empty() && is_seen[entry.node]))
      refuse(link, "sends a contribution that cannot be: number " + std::to_string(entry.node) + ", of " +
                       std::to_string(entry.bytes) + " bytes");
    if (!is_seen.empty()) is_seen[entry.node] = true;
    left -= entry.bytes;
    visit(entry);
  }
  if (left != 0) refuse(link, "sends contributions whose lengths do not add up");
}

void TreeNode::look_at(Link link) {
  Incoming& in = in_[link];
  if (!in.is_known && in.bytes.size() >= sizeof(Header)) {
    Header header;
    std::memcpy(&header, in.bytes.data(), sizeof header);
    check(link, header);
    in.expected = sizeof(Header) + header.entries * sizeof(Entry) + header.data_bytes;
    in.is_known = true;
  }
  // Checks lengths first, so that nobody waits for data that never come.
  const RankId top = link == kParent ? 0 : peer(link);
  if (in.is_known && !in.is_checked && in.bytes.size() >= sizeof(Header) + entries_of(top) * sizeof(Entry)) {
    read_entries(link, in.bytes, top, [](const Entry&) {});
    in.is_checked = true;
  }
}

void TreeNode::check(Link link, const Header& header) const {
  if (header.magic != kTreeMagic || header.root >= tree_.size)
    refuse(link, "sends what is no message of a bootstrap");
  const Bootstrap::Call theirs{static_cast<Bootstrap::Kind>(header.kind), header.root};
  if (header.operation != operation_ || theirs != call_) {
    refuse(link, "makes " + describe(theirs, name_(theirs.root)) + " as its operation number " +
                     std::to_string(header.operation) + ", and " + name_(node_) + " makes " +
                     describe(call_, name_(call_.root)) + " as number " + std::to_string(operation_));
  }
  const RankId entries = link == kParent ? entries_of(0) : entries_of(peer(link));
  if (header.entries != entries || header.data_bytes > kMostTreeData) {
    refuse(link, "sends " + std::to_string(header.entries) + " contributions of " +
                     std::to_string(header.data_bytes) + " bytes where there are " + std::to_string(entries));
  }
}

void TreeNode::make_up_message() {
  const RankId children = tree_.children(node_);
  Header header{kTreeMagic, static_cast<std::uint32_t>(call_.kind), call_.root, entries_of(node_), operation_,
                0};
  std::size_t total = sizeof header + sizeof(Entry) + mine_.size();
  for (Link link = 1; link <= children; ++link) total += in_[link].expected;
  up_.reserve(total);
  up_.resize(sizeof header);
  if (contributes_) {
    const Entry entry{node_, 0, mine_.size()};
    append(up_, &entry, sizeof entry);
    header.data_bytes = mine_.size();
  }
  for (Link link = 1; link <= children; ++link) {
    read_entries(link, Bytes(in_[link].bytes).first(in_[link].expected), peer(link), [&](const Entry& entry) {
      append(up_, &entry, sizeof entry);
      header.data_bytes += entry.bytes;
    });
  }
  std::memcpy(up_.data(), &header, sizeof header);
  append(up_, mine_.data(), mine_.size());
  for (Link link = 1; link <= children; ++link) {
    Incoming& in = in_[link];
    const std::size_t data_at = sizeof(Header) + entries_of(peer(link)) * sizeof(Entry);
    append(up_, in.bytes.data() + data_at, in.expected - data_at);
    std::vector<std::byte> next(in.bytes.begin() + static_cast<std::ptrdiff_t>(in.expected), in.bytes.end());
    in = {};
    in.bytes = std::move(next);
  }
  has_up_message_ = true;
}

void TreeNode::take_result() {
  rows_.clear();
  if (call_.kind == Bootstrap::Kind::kAllGather) rows_.resize(tree_.size);
  std::uint64_t offset = 0;
  read_entries(kParent, down(), 0, [&](const Entry& entry) {
    const Gathered::Row row{offset, entry.bytes};
    offset += entry.bytes;
    if (call_.kind == Bootstrap::Kind::kAllGather) {
      rows_[entry.node] = row;
    } else {
      rows_.push_back(row);
    }
  });
  data_ = down().subspan(sizeof(Header) + entries_of(0) * sizeof(Entry));
  has_result_ = true;
}

Gathered TreeNode::result() const {
  switch (call_.kind) {
    case Bootstrap::Kind::kAllGather:
      return {rows_.data(), tree_.size, data_};
    case Bootstrap::Kind::kBroadcast:
      return Gathered::of_root(call_.root, rows_.data(), tree_.size, data_);
    case Bootstrap::Kind::kBarrier:
      break;
  }
  return {};
}

std::string TreeNode::behind(Link link) const {
  const RankId others = link == kParent ? 0 : tree_.count_below(peer(link)) - 1;
  return name_(peer(link)) + (others == 0 ? "" : ", with " + std::to_string(others) + " more behind it");
}

void TreeNode::refuse(Link link, const std::string& why) const {
  fatal("bootstrap", "%s %s", node_ == 0 && link == kParent ? "the root" : name_(peer(link)).c_str(),
        why.c_str());
}

}  // namespace aqueduct::job
