// The bare interface that a plug-in offers: conduit/plugin/bare_interface.hpp.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "conduit/plugin/bare_interface.hpp"
#include "conduit/registry/registry.hpp"
#include "raw/raw_interface.hpp"

namespace aqueduct::bench {
namespace {

using conduit::plugin::BareInterface;
using conduit::plugin::BareRun;

// The conduit is in use, so its plug-in is loaded.
const BareInterface* interface_in(const std::string& conduit) {
  const std::string path = conduit::plugin_path(conduit);
  if (path.empty()) return nullptr;
  void* const object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  return object ? static_cast<const BareInterface*>(::dlsym(object, "aqueduct_bare_interface")) : nullptr;
}

class RawPlugin final : public RawInterface {
 public:
  RawPlugin(Session& session, const Parameters& parameters, const BareInterface& bare)
      : session_(session), bare_(bare) {
    bare_.open(parameters.sizes.empty() ? 0 : std::ranges::max(parameters.sizes));
  }

  std::string ping_pong_name() const override { return bare_.ping_pong_name; }
  std::string stream_name() const override { return bare_.stream_name; }
  std::string put_name() const override { return bare_.put ? bare_.put_name : bare_.ping_pong_name; }
  Batch ping_pong(std::size_t bytes) override { return batch(bare_.ping_pong, bytes); }
  Batch stream(std::size_t bytes) override { return batch(bare_.stream, bytes); }
  Batch put(std::size_t bytes) override { return batch(bare_.put ? bare_.put : bare_.ping_pong, bytes); }
  std::string barrier_name() const override { return bare_.barrier ? bare_.barrier_name : ""; }
  Batch barrier() override {
    return [this](std::uint64_t count) {
      return bare_.barrier({session_.partner(), session_.measures(), 0, kWarmUp, count});
    };
  }

 private:
  Batch batch(double (*run)(const BareRun&), std::size_t bytes) {
    return [this, run, bytes](std::uint64_t count) {
      if (!session_.measures() && !session_.serves()) return 0.0;
      return run({session_.partner(), session_.measures(), bytes, kWarmUp, count});
    };
  }

  Session& session_;
  const BareInterface& bare_;
};

}  // namespace

std::unique_ptr<RawInterface> open_raw_plugin(Session& session, const Parameters& parameters) {
  const BareInterface* const bare = interface_in(parameters.conduit);
  return bare ? std::make_unique<RawPlugin>(session, parameters, *bare) : nullptr;
}

}  // namespace aqueduct::bench
