#include "conduit/ofi/ofi.hpp"

#include "base/fatal.hpp"
#include "conduit/ofi/bare.hpp"
#include "conduit/ofi/device_support.hpp"
#include "conduit/ofi/device_trial.hpp"
#include "conduit/ofi/ofi_conduit.hpp"
#include "conduit/plugin/plugin.hpp"
#include "net/network_interface.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::ofi {
namespace {

constexpr int kPreference = 3;
constexpr int kPreferenceWithHardware = 45;

bool is_on_one_machine(const job::Membership& place) {
  return !place.rendezvous || place.hosts_are_given || place.rendezvous.is_loopback();
}

// Where others reach this host: of a job on one machine the loopback interface.
net::Address address_of_host(const job::Membership& place) {
  return is_on_one_machine(place) ? net::Address::loopback() : net::address_towards(place.rendezvous);
}

const char* why_not(const job::Membership& place) {
  static std::string why;
  const Provider provider = provider_for(Settings::from_environment(), place);
  why = provider.reason;
  return provider.info ? nullptr : why.c_str();
}

int preference_here(const job::Membership& place) {
  const Provider provider = provider_for(Settings::from_environment(), place);
  return provider.info && !provider.is_software() ? kPreferenceWithHardware : kPreference;
}

std::unique_ptr<Conduit> open(const Opening& opening) {
  const Settings settings = Settings::from_environment();
  Provider provider = provider_for(settings, opening.place);
  if (!provider.info) fatal("ofi", "%s", provider.reason.c_str());
  if (provider.properties.max_message_bytes < settings.message_bytes()) {
    fatal("ofi", "provider %s carries messages of at most %zu bytes; lower GASNET_OFI_MAX_MEDIUM (%zu)",
          provider.name(), provider.properties.max_message_bytes, settings.max_medium);
  }
  offer_bare_interface(opening);
  return std::make_unique<OfiConduit>(settings, std::move(provider), opening);
}

std::string details() {
  const Settings settings = Settings::from_environment();
  const Provider provider = choose_provider(settings, {});
  if (!provider.info) return provider.reason;
  return std::string("provider ") + provider.name() + ", " + provider.reason + "; " +
         provider.properties.text() + "; " + Messages::memory_in_words(settings, provider.properties) + "; " +
         devices_in_words(provider, settings);
}

}  // namespace

Provider provider_for(const Settings& settings, const job::Membership& place) {
  Provider provider = choose_provider(settings, place.size == 0 ? net::Address{} : address_of_host(place));
  if (provider.info && provider.reaches_one_machine_only() && !is_on_one_machine(place)) {
    provider.info.reset();
    provider.reason = "provider shm reaches one machine, and the job has several";
  }
  return provider;
}

const Description& description() {
  static const Description described = [] {
    Description made{};
    made.name = "ofi";
    made.summary = "libfabric: InfiniBand, Slingshot, EFA, Omni-Path, or sockets";
    made.uses_neighbourhood = true;
    made.max_ranks = job::kMaxRanks;
    made.preference = kPreference;
    made.preference_here = preference_here;
    made.why_not = why_not;
    made.open = open;
    made.limits = [] {
      const Settings settings = Settings::from_environment();
      const Provider chosen = choose_provider(settings, {});
      return chosen.info ? chosen.properties.limits(settings) : settings.limits();
    };
    made.details = details;
    made.try_device = try_device;
    return made;
  }();
  return described;
}

}  // namespace aqueduct::conduit::ofi

// What libfabric can find hardware by: InfiniBand, EFA, Omni-Path and RoCE; Slingshot; Gemini and Aries; and
// providers that a user has added or asked for.
AQUEDUCT_CONDUIT_PLUGIN(aqueduct::conduit::ofi::description(),
                        .preference = aqueduct::conduit::ofi::kPreference,
                        .most = aqueduct::conduit::ofi::kPreferenceWithHardware,
                        .where =
                            "/sys/class/infiniband/* /dev/hfi1* /sys/class/cxi/* /dev/cxi* /dev/kgni* "
                            "$FI_PROVIDER $FI_PROVIDER_PATH");
