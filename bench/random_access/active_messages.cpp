// RandomAccess by active messages: each update goes to the owner of its word as one short request, whose
// handler applies it. No update is lost, because only the owner touches a word. The source holds no updates.
#include "version.hpp"

namespace aqueduct::bench::random_access {
namespace {

class ActiveMessages final : public Version {
 public:
  using Version::Version;

  void make_updates() override {
    for_each_update_elsewhere([this](std::uint64_t value, gex_Rank_t owner) {
      gex_AM_RequestShort2(job_.team, owner, kUpdateHandler, 0, static_cast<gex_AM_Arg_t>(value >> 32),
                           static_cast<gex_AM_Arg_t>(value));
      ++sent_;
    });
  }

  void poll() override { gasnet_AMPoll(); }
};

}  // namespace

std::unique_ptr<Version> make_active_messages(const Job& job) {
  return std::make_unique<ActiveMessages>(job);
}

}  // namespace aqueduct::bench::random_access
