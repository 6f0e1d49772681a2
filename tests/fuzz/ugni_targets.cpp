// Messages of other processes to the uGNI library: headers of any content, sealed as theirs are or not.
#include <array>
#include <deque>
#include <vector>

#include "papers/nic/ugni/process.hpp"
#include "papers/nic/ugni/wire_header.hpp"
#include "target.hpp"

namespace aqueduct::fuzz {
namespace {

using namespace ugni;

/// Takes what is sent and says that it has left.
class FuzzDevice final : public Device {
 public:
  void set_library(Library& library) override { library_ = &library; }
  NodeId self() const override { return 0; }
  NodeId nodes() const override { return 3; }
  Limits limits() const override { return {.fma_descriptors = 8, .dedicated_mdds = 8, .shared_mdds = 8}; }
  void enter(Call, std::size_t) override {}
  void send(NicTransfer& transfer) override { sent_.push_back(&transfer); }
  std::uint64_t now_ns() override { return 0; }
  void wait(const Activity&, std::uint64_t, std::uint64_t) override {}
  void posted() override {}
  Doorbell* doorbell(NodeId) override { return nullptr; }
  unsigned progress() override { return 0; }

  /// Reads what would leave, for the sanitizers to see.
  void let_leave() {
    while (!sent_.empty()) {
      NicTransfer& transfer = *sent_.front();
      sent_.pop_front();
      const auto* const bytes = static_cast<const std::uint8_t*>(transfer.payload.base);
      for (std::size_t i = 0; i < transfer.payload.bytes; ++i) sum_ += bytes[i];
      library_->sent(transfer);
    }
  }
  Library& library() { return *library_; }

 private:
  Library* library_ = nullptr;
  std::deque<NicTransfer*> sent_;
  std::uint64_t sum_ = 0;
};

/// A process with memory that others may reach, and a get of its own under way.
struct Target {
  FuzzDevice device;
  Process process{device};
  std::array<std::uint64_t, 512> memory{};
  gni_cdm_handle_t domain{};
  gni_nic_handle_t nic{};
  gni_cq_handle_t source{}, arrivals{};
  gni_ep_handle_t endpoint{};
  gni_mem_handle_t handle{};
  gni_post_descriptor_t get{};
  char in[64]{}, out[64]{};

  Target() {
    std::uint32_t address;
    const auto base = reinterpret_cast<std::uint64_t>(memory.data());
    process.create_domain(0, 1, 7, GNI_CDM_MODE_DUAL_EVENTS | GNI_CDM_MODE_ERR_NO_KILL, &domain);
    process.attach(domain, 0, &address, &nic);
    process.create_queue(nic, 16, GNI_CQ_NOBLOCK, &source);
    process.create_queue(nic, 4, GNI_CQ_NOBLOCK, &arrivals);
    process.register_memory(nic, {{base, sizeof memory}}, arrivals, GNI_MEM_READWRITE, &handle);
    process.create_endpoint(nic, source, &endpoint);
    process.bind(endpoint, 1, 1);
    process.post_datagram(endpoint, in, sizeof in, out, sizeof out, nullptr);
    get.type = GNI_POST_FMA_GET;
    get.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
    get.local_addr = base;
    get.local_mem_hndl = get.remote_mem_hndl = handle;
    get.remote_addr = base;
    get.length = 64;
    process.post_fma(endpoint, &get);
  }
};

WireHeader header_of(Reader& reader, const Target& target) {
  WireHeader header;
  const auto choices = reader.take<std::uint8_t>();
  header.kind = static_cast<MessageKind>(reader.take<std::uint8_t>() % 12);
  header.flags = reader.take<std::uint8_t>();
  header.event_data = reader.take<std::uint32_t>();
  header.status = choices & 1 ? reader.take<std::uint8_t>() : 0;
  header.event_type = reader.take<std::uint8_t>();
  header.command = reader.take<std::uint16_t>();
  header.request = reader.take<std::uint16_t>() | std::uint64_t{reader.take<std::uint8_t>()} << 32;
  header.memory = target.handle;
  if (choices & 2) header.memory.qword2 ^= reader.take<std::uint64_t>();
  header.address =
      reinterpret_cast<std::uint64_t>(target.memory.data()) + reader.take<std::uint16_t>() % 8192 - 1024;
  header.bytes = reader.take<std::uint16_t>() % 5000;
  header.first = choices & 4 ? header.address + 64 : reader.take<std::uint64_t>();
  header.second = reader.take<std::uint64_t>();
  header.cookie = 7;
  header.ptag = choices & 8 ? reader.take<std::uint32_t>() : 1;
  header.seal();
  if (choices & 16) header.check ^= 1;
  return header;
}

}  // namespace

void ugni_messages(Input input) {
  Reader reader(input);
  Target target;
  while (!reader.is_at_end()) {
    const WireHeader header = header_of(reader, target);
    const std::size_t payload =
        reader.take<std::uint8_t>() % 4 == 0 ? reader.take<std::uint16_t>() : header.payload_bytes();
    const std::size_t cut =
        reader.take<std::uint8_t>() % 32 == 0 ? reader.take<std::uint8_t>() % 80 : sizeof header;
    NicTransfer* const landing = target.device.library().arrived({.source = reader.take<std::uint8_t>() % 3u,
                                                                  .header = header.as_bytes().first(cut),
                                                                  .payload_bytes = payload});
    if (landing) {
      expect(landing->payload.bytes <= payload);
      std::memset(landing->payload.base, 0x5a, landing->payload.bytes);
      target.device.library().landed(*landing, reader.take<std::uint8_t>() % 8 != 0);
    }
    target.device.let_leave();
    gni_cq_entry_t entry;
    while (reader.take<std::uint8_t>() % 2 == 1 &&
           target.process.take_event(target.arrivals, &entry) != GNI_RC_NOT_DONE) {
    }
  }
}

}  // namespace aqueduct::fuzz
