#include "job/bootstrap/host_bootstrap.hpp"

#include <vector>

#include "base/fatal.hpp"

namespace aqueduct::job {

std::string describe_host(const Layout& layout, HostId host) {
  constexpr RankId kListed = 8;
  const RankId ranks = layout.local_size(host);
  std::string text = "host " + std::to_string(host) + (ranks == 1 ? " (rank " : " (ranks ");
  for (RankId local = 0; local < std::min(ranks, kListed); ++local) {
    const bool is_last = local + 1 == ranks;
    text += (local == 0 ? "" : is_last ? " and " : ", ") + std::to_string(layout.rank_at(host, local));
  }
  if (ranks > kListed) text += " and " + std::to_string(ranks - kListed) + " more";
  return text + ")";
}

HostBootstrap::HostBootstrap(std::unique_ptr<SharedRoom> room, const Layout& layout, RankId rank,
                             std::unique_ptr<Bootstrap> leaders)
    : Bootstrap(rank, layout.size()),
      layout_(layout),
      here_(layout.place(rank)),
      room_(std::move(room)),
      meeting_(*room_, 0, rank, layout.local_size(here_.host)),
      contributions_{{*room_, 1 * SharedTable::kRoomBytes, layout.local_size(here_.host)},
                     {*room_, 2 * SharedTable::kRoomBytes, layout.local_size(here_.host)}},
      results_{{*room_, 3 * SharedTable::kRoomBytes, layout.size()},
               {*room_, 4 * SharedTable::kRoomBytes, layout.size()}},
      leaders_(std::move(leaders)) {
  if ((here_.local == 0) != (leaders_ != nullptr) ||
      (leaders_ && (leaders_->size() != layout.hosts() || leaders_->rank() != here_.host)))
    fatal("start", "rank %u has not the bootstrap of leaders that its place (%u on host %u) asks for", rank,
          here_.local, here_.host);
}

void HostBootstrap::start(const Call& call, Bytes mine) {
  meeting_.compare(operation(), call);
  const bool contributes =
      call.kind == Kind::kAllGather || (call.kind == Kind::kBroadcast && call.root == rank());
  if (contributes) contributions_[side()].write(here_.local, mine);
  phase_ = Phase::kGathering;
  if (!meeting_.arrive(operation()) || leaders_) return;
  meeting_.ring();
  wake_others();
}

bool HostBootstrap::step() {
  if (leaders_) lead();
  if (!meeting_.is_published(operation())) return false;
  set_result(call().kind == Kind::kBarrier ? Gathered() : results_[side()].view());
  return true;
}

void HostBootstrap::lead() {
  if (phase_ == Phase::kGathering) {
    if (!meeting_.have_all_arrived(operation())) return;
    begin_exchange();
    phase_ = Phase::kExchanging;
  }
  if (phase_ == Phase::kExchanging && leaders_->advance()) {
    write_result();
    contributions_[1 - side()].clear();
    results_[1 - side()].clear();
    meeting_.publish(operation());
    phase_ = Phase::kPublished;
    wake_others();
  }
}

// A host sends the lengths of its ranks' contributions, then the contributions, in the order of local ranks.
void HostBootstrap::begin_exchange() {
  if (call().kind == Kind::kBarrier) return leaders_->begin_barrier();
  const RankId ranks = layout_.local_size(here_.host);
  const Gathered rows = contributions_[side()].view();
  const auto checked = [&](RankId local) { return rows.at(local, layout_.rank_at(here_.host, local)); };
  if (call().kind == Kind::kBroadcast) {
    const RankPlace root = layout_.place(call().root);
    return leaders_->begin_broadcast(root.host, root.host == here_.host ? checked(root.local) : Bytes());
  }
  std::vector<std::byte> packed(ranks * sizeof(std::uint64_t));
  for (RankId local = 0; local < ranks; ++local) {
    const Bytes row = checked(local);
    const std::uint64_t bytes = row.size();
    std::memcpy(packed.data() + local * sizeof bytes, &bytes, sizeof bytes);
    packed.insert(packed.end(), row.begin(), row.end());
  }
  leaders_->begin_all_gather(packed);
}

void HostBootstrap::write_result() {
  if (call().kind == Kind::kBarrier) return;
  const Gathered& of_hosts = leaders_->gathered();
  if (call().kind == Kind::kBroadcast)
    return results_[side()].write(call().root, of_hosts[layout_.place(call().root).host]);
  for (HostId host = 0; host < layout_.hosts(); ++host) unpack(host, of_hosts[host]);
}

void HostBootstrap::unpack(HostId host, Bytes packed) {
  const RankId ranks = layout_.local_size(host);
  const std::size_t lengths = ranks * sizeof(std::uint64_t);
  std::size_t at = lengths;
  for (RankId local = 0; local < ranks && packed.size() >= lengths; ++local) {
    std::uint64_t bytes;
    std::memcpy(&bytes, packed.data() + local * sizeof bytes, sizeof bytes);
    if (bytes > packed.size() - at) break;
    results_[side()].write(layout_.rank_at(host, local), packed.subspan(at, bytes));
    at += bytes;
    if (local + 1 == ranks && at == packed.size()) return;
  }
  fatal("bootstrap", "%s sends contributions that do not fit its ranks; all hosts must have the same layout",
        describe_host(layout_, host).c_str());
}

void HostBootstrap::sleep() {
  if (leaders_ && phase_ == Phase::kExchanging) return leaders_->sleep();
  meeting_.sleep([this] { return advance() || (leaders_ && phase_ == Phase::kExchanging); });
}

}  // namespace aqueduct::job
