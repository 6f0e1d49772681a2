#include "papers/conduit/extoll/nic.hpp"

#include <algorithm>
#include <cstring>

#include "base/fatal.hpp"
#include "base/silence.hpp"

namespace aqueduct::conduit::extoll {
namespace {

constexpr std::uint64_t kPatienceNs = 10'000'000'000;

unsigned bucket_of(std::uint64_t peer, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t hash = (address ^ peer << 40 ^ bytes << 17) * 0x9E3779B97F4A7C15u;
  return static_cast<unsigned>(hash >> 56);
}

bool are_quadwords(std::uint64_t local, std::uint64_t remote, std::uint64_t bytes) {
  return ((local | remote | bytes) & 7) == 0;
}

}  // namespace

Nic::Nic(RankId ranks, unsigned commands, world::World& world)
    : ranks_(ranks), world_(world), commands_(commands) {
  check(velo2_open(&velo_), "velo2_open");
  check(rma2_open(&rma_), "rma2_open");
  for (auto command = commands_.rbegin(); command != commands_.rend(); ++command) free_.push_back(&*command);
}

std::uint32_t Nic::address() const {
  return std::uint32_t{velo2_get_vpid(&velo_)} << 16 | rma2_get_vpid(rma_);
}

void Nic::set_addresses(std::vector<std::uint32_t> addresses) {
  const bool are_equal =
      std::ranges::all_of(addresses, [&](std::uint32_t each) { return each == address(); });
  if (!are_equal) addresses_ = std::move(addresses);
}

void Nic::connect(PeerLine& line, RankId peer) {
  const std::uint32_t address = addresses_.empty() ? this->address() : addresses_[peer];
  const auto node = static_cast<std::uint16_t>(peer);
  check(velo2_connect(&velo_, &line.velo, node, static_cast<velo2_vpid_t>(address >> 16)), "velo2_connect");
  check(rma2_connect(rma_, node, static_cast<RMA2_VPID>(address & 0xffff), RMA2_CONN_DEFAULT, &line.rma),
        "rma2_connect");
  line.is_connected = true;
}

// VELO.

bool Nic::send(PeerLine& line, RankId peer, PacketType type, const void* data, std::size_t bytes) {
  if (!line.is_connected) connect(line, peer);
  const velo2_ret_t code = velo2_send(&line.velo, data, static_cast<unsigned>(bytes), line.next_tag,
                                      static_cast<std::uint8_t>(type));
  if (code == VELO2_RET_SUCCESS) {
    ++line.next_tag;
    return true;
  }
  if (code == VELO2_RET_ERROR || code == VELO2_RET_INVALID_MBOX) {
    lose(peer);
  } else if (code != VELO2_RET_TRY_AGAIN) {
    check(code, "velo2_send");
  }
  return false;
}

bool Nic::receive(Packet* packet) {
  std::uint32_t source;
  std::uint8_t type;
  const velo2_ret_t code = velo2_probe_recv(&velo_, packet->data, sizeof packet->data, &packet->bytes,
                                            &source, &packet->tag, &type);
  if (code == VELO2_RET_NO_MSG) return false;
  check(code, "velo2_probe_recv");
  packet->source = VELO2_ADDR_NODE(source);
  packet->type = static_cast<PacketType>(type);
  return true;
}

void Nic::lose(RankId peer) {
  if (lost_since_ns_ != 0) return;
  lost_since_ns_ = world_.clock().now_ns();
  lost_peer_ = peer;
  world_.wake_at(lost_since_ns_ + kPatienceNs + 1);
}

void Nic::check_lost() {
  const std::uint64_t lost_ns = world_.clock().now_ns() - lost_since_ns_;
  if (lost_ns <= kPatienceNs) return;
  Silence silence = world_.silence(lost_peer_);
  if (silence.ns == 0) silence.ns = lost_ns;
  fatal_silence(kName, lost_peer_, silence);
}

// RMA.

bool Nic::register_memory(std::uintptr_t address, std::size_t bytes, Registered* registered) {
  const RMA2_ERROR code = rma2_register(rma_, reinterpret_cast<void*>(address), bytes, &registered->region);
  if (code == RMA2_ERR_NO_MEM) return false;
  check(code, "rma2_register");
  registered->start = address;
  check(rma2_get_nla(registered->region, 0, &registered->nla), "rma2_get_nla");
  return true;
}

Registered Nic::register_or_end(std::uintptr_t address, std::size_t bytes, const char* what) {
  Registered registered;
  if (!register_memory(address, bytes, &registered))
    fatal(kName, "%s: %s", what, rma2_strerror(RMA2_ERR_NO_MEM));
  return registered;
}

void Nic::deregister_memory(Registered& registered) {
  check(rma2_unregister(rma_, registered.region), "rma2_unregister");
}

RmaCommand* Nic::take(CommandHandler& handler, RankId peer) {
  if (free_.empty()) return nullptr;
  RmaCommand& command = *free_.back();
  free_.pop_back();
  command.handler = &handler;
  command.peer = peer;
  command.owner = nullptr;
  command.copy_to = nullptr;
  return &command;
}

Post Nic::put(PeerLine& line, RmaCommand& command, RMA2_NLA local, std::size_t bytes, RMA2_NLA remote,
              bool tells_here, const std::uint64_t* place) {
  if (!line.is_connected) connect(line, command.peer);
  const auto size = static_cast<std::uint32_t>(bytes);
  const RMA2_Notification_Spec told = tells_here ? RMA2_REQCOMPL_NOTIFICATION : RMA2_COMPLETER_NOTIFICATION;
  const auto post = are_quadwords(local, remote, bytes) ? rma2_post_put_qw_direct : rma2_post_put_bt_direct;
  const Post posted =
      answer(post(rma_, line.rma, local, size, remote, told, RMA2_CMD_DEFAULT), command, "rma2_post_put");
  if (posted == Post::kDone) await(command, false, local, bytes, tells_here, place);
  return posted;
}

Post Nic::put_immediate(PeerLine& line, RmaCommand& command, const void* from, std::size_t bytes,
                        RMA2_NLA remote, std::uint64_t place) {
  if (!line.is_connected) connect(line, command.peer);
  std::uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  const Post posted = answer(rma2_post_immediate_put(rma_, line.rma, static_cast<std::uint32_t>(bytes), value,
                                                     remote, RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT),
                             command, "rma2_post_immediate_put");
  if (posted == Post::kDone) await(command, false, 0, bytes, false, &place);
  return posted;
}

Post Nic::get(PeerLine& line, RmaCommand& command, RMA2_NLA local, std::size_t bytes, RMA2_NLA remote) {
  if (!line.is_connected) connect(line, command.peer);
  const auto post = are_quadwords(local, remote, bytes) ? rma2_post_get_qw_direct : rma2_post_get_bt_direct;
  const Post posted = answer(post(rma_, line.rma, local, static_cast<std::uint32_t>(bytes), remote,
                                  RMA2_COMPLETER_NOTIFICATION, RMA2_CMD_DEFAULT),
                             command, "rma2_post_get");
  if (posted == Post::kDone) await(command, true, local, bytes, true, nullptr);
  return posted;
}

Post Nic::answer(RMA2_ERROR code, const RmaCommand& command, const char* what) {
  if (code == RMA2_ERR_NO_ROUTE) lose(command.peer);
  if (code == RMA2_ERR_NO_DESC_MEM || code == RMA2_ERR_NO_ROUTE) return Post::kRetry;
  check(code, what);
  return Post::kDone;
}

void Nic::await(RmaCommand& command, bool is_get, RMA2_NLA local, std::size_t bytes, bool tells_here,
                const std::uint64_t* place) {
  command.is_get = is_get;
  command.local = local;
  command.bytes = static_cast<std::uint32_t>(bytes);
  command.awaits_notification = tells_here;
  command.awaits_landing = place != nullptr;
  if (tells_here) {
    RmaCommand*& bucket = notified_[bucket_of(command.peer, local, bytes)];
    command.next_notified = bucket;
    bucket = &command;
  }
  if (place) {
    command.place = *place;
    RmaCommand*& bucket = landed_[bucket_of(command.peer, *place, 0)];
    command.next_landed = bucket;
    bucket = &command;
  }
}

bool Nic::next_notice(Notice* notice) {
  RMA2_Notification* found = nullptr;
  const std::uint64_t activity = aqueduct::extoll::activity();
  const RMA2_ERROR code = rma2_noti_probe(rma_, &found);
  if (code == RMA2_NO_NOTI) {
    without_notices_ = activity;
    return false;
  }
  check(code, "rma2_noti_probe");
  const RMA2_Notification said = *found;
  check(rma2_noti_free(rma_, found), "rma2_noti_free");

  const RankId peer = rma2_noti_get_remote_nodeid(&said);
  const RMA2_NLA nla = rma2_noti_get_local_address(&said);
  const std::uint32_t bytes = rma2_noti_get_size(&said);
  const RMA2_Command what = rma2_noti_get_cmd(&said);
  const std::uint8_t error = rma2_noti_get_error(&said);
  if (peer >= ranks_) fatal(kName, "a notification of RMA names rank %u, which is none", peer);
  if (error == RMA2_ERROR_REQ) {
    lose(peer);
    *notice = {};
    notice->source = kNoRank;
    return true;
  }
  if (error != 0) fatal(kName, "a put, a get or the payload of a long message has failed at rank %u", peer);
  *notice = {nullptr, peer, nla, bytes};
  const bool is_get = what == RMA2_GET_BT_RSP || what == RMA2_GET_QW_RSP;
  if (!is_get && rma2_noti_get_notification_type(&said) == RMA2_COMPLETER_NOTIFICATION) return true;
  RmaCommand** place = &notified_[bucket_of(peer, nla, bytes)];
  const auto fits = [&](const RmaCommand& command) {
    return command.peer == peer && command.local == nla && command.bytes == bytes && command.is_get == is_get;
  };
  while (*place && !fits(**place)) place = &(*place)->next_notified;
  if (!*place)
    fatal(kName, "a notification of RMA is of no command of ours to rank %u; an error of the library", peer);
  notice->command = *place;
  *place = (*place)->next_notified;
  notice->command->awaits_notification = false;
  return true;
}

RmaCommand* Nic::landed(RankId peer, std::uint64_t place) {
  RmaCommand** at = &landed_[bucket_of(peer, place, 0)];
  while (*at && ((*at)->peer != peer || (*at)->place != place)) at = &(*at)->next_landed;
  RmaCommand* const command = *at;
  if (!command) return nullptr;
  *at = command->next_landed;
  command->awaits_landing = false;
  return command;
}

}  // namespace aqueduct::conduit::extoll
