#include "conduit/ofi/settings.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "conduit/ofi/prefix.hpp"

namespace aqueduct::conduit::ofi {
namespace {

// Where transfers are to be small, so are messages.
constexpr std::size_t kSmallMedium = std::size_t{8} << 10;

AtomicPath atomics_from_environment() {
  const char* const text = env::text({"AQUEDUCT_OFI_ATOMICS"}, "auto");
  if (std::strcmp(text, "auto") == 0) return AtomicPath::kAsProvided;
  if (std::strcmp(text, "native") == 0) return AtomicPath::kNative;
  if (std::strcmp(text, "messages") == 0) return AtomicPath::kMessages;
  fatal("AQUEDUCT_OFI_ATOMICS", "'%s' is none of auto, native, messages", text);
}

TransferPath small_transfers_from_environment() {
  const char* const text = env::text({"AQUEDUCT_OFI_RMA"}, "auto");
  if (std::strcmp(text, "auto") == 0) return TransferPath::kAsProvided;
  if (std::strcmp(text, "native") == 0) return TransferPath::kNative;
  if (std::strcmp(text, "messages") == 0) return TransferPath::kMessages;
  fatal("AQUEDUCT_OFI_RMA", "'%s' is none of auto, native, messages", text);
}

DevicePath devices_from_environment() {
  const char* const text = env::text({"AQUEDUCT_OFI_DEVICES"}, "auto");
  if (std::strcmp(text, "auto") == 0) return DevicePath::kAsProvided;
  if (std::strcmp(text, "direct") == 0) return DevicePath::kDirect;
  if (std::strcmp(text, "staged") == 0) return DevicePath::kStaged;
  fatal("AQUEDUCT_OFI_DEVICES", "'%s' is none of auto, direct, staged", text);
}

struct NarrowingName {
  const char* name;
  bool Narrowing::*member;
};
constexpr NarrowingName kNarrowings[] = {
    {"no-inject", &Narrowing::no_inject},
    {"mr-local", &Narrowing::local_registration},
    {"unordered", &Narrowing::unordered},
    {"no-cq-data", &Narrowing::no_completion_data},
    {"no-writedata", &Narrowing::refuses_write_data},
    {"no-delivery-complete", &Narrowing::no_delivery_complete},
    {"delivery-complete", &Narrowing::always_delivery_complete},
    {"no-multi-recv", &Narrowing::no_multi_receive},
    {"no-wait", &Narrowing::no_wait},
    {"small-messages", &Narrowing::small_messages},
    {"no-registration", &Narrowing::refuses_registration},
    {"cq-error", &Narrowing::fails},
};

Narrowing narrowing_from_environment() {
  Narrowing narrowing;
  const char* const text = env::text({"AQUEDUCT_OFI_NARROW"});
  for (std::string_view rest = text ? text : ""; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view word = rest.substr(0, end);
    const auto* const found =
        std::ranges::find_if(kNarrowings, [&](const NarrowingName& known) { return word == known.name; });
    if (found == std::end(kNarrowings)) {
      fatal("AQUEDUCT_OFI_NARROW",
            "'%.*s' is nothing that a provider can be narrowed by; docs/ofi.md lists it",
            static_cast<int>(word.size()), word.data());
    }
    narrowing.*(found->member) = true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return narrowing;
}

std::size_t size_within(const char* name, std::size_t least, std::size_t most, std::size_t fallback) {
  const std::size_t bytes = env::bytes({name}).value_or(fallback);
  if (bytes < least || bytes > most) fatal(name, "%zu is not a size from %zu to %zu", bytes, least, most);
  return bytes;
}

unsigned number_within(const char* name, unsigned least, unsigned most, unsigned fallback) {
  return static_cast<unsigned>(env::integer({name}, least, most).value_or(fallback));
}

}  // namespace

Settings Settings::from_environment() {
  Settings settings;
  settings.device = env::text({"GASNET_OFI_DEVICE"}, "");
  settings.max_medium = size_within("GASNET_OFI_MAX_MEDIUM", 512, std::size_t{64} << 10, settings.max_medium);
  settings.receive_buffer_bytes = size_within("GASNET_OFI_RECEIVE_BUFF_SIZE", std::size_t{128} << 10,
                                              std::size_t{1} << 30, settings.receive_buffer_bytes);
  settings.receive_buffers = number_within("GASNET_OFI_NUM_RECEIVE_BUFFS", 2, 1024, settings.receive_buffers);
  settings.bounce_buffers =
      number_within("GASNET_OFI_NUM_BBUFS", 2 * kMostPieces, 4096, settings.bounce_buffers);
  settings.requests_per_peer = number_within("AQUEDUCT_OFI_CREDITS", 2, 255, settings.requests_per_peer);
  settings.firehose = env::flag({"GASNET_USE_FIREHOSE"}, true);
  settings.atomics = atomics_from_environment();
  settings.small_transfers = small_transfers_from_environment();
  settings.devices = devices_from_environment();
  settings.narrowing = narrowing_from_environment();
  if (settings.narrowing.small_messages) settings.max_medium = std::min(settings.max_medium, kSmallMedium);
  return settings;
}

am::Limits Settings::limits() const {
  return {.max_medium = max_medium + am::kEncapsulationBytes, .max_long = kMostPieces * max_medium};
}

std::size_t Settings::message_bytes() const {
  return round_up(kMostPrefixBytes + parts::padded(limits().max_medium), kCacheLine);
}

}  // namespace aqueduct::conduit::ofi
