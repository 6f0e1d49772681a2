// PMIx, versions 2 to 5, which share the name of their library and what is used of it here.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/fatal.hpp"
#include "job/launchers/libraries.hpp"
#include "job/launchers/library.hpp"
#include "job/place/membership.hpp"

namespace aqueduct::job::launchers {
namespace pmix {
namespace {

// Types of the PMIx standard, in the memory layout that all of these versions have.
using Status = int;
constexpr Status kSuccess = 0;
constexpr std::uint8_t kGlobalScope = 3;
constexpr std::uint32_t kAnyRank = UINT32_MAX - 1;  // stands for the job itself
constexpr std::uint16_t kBoolType = 1;
constexpr std::uint16_t kStringType = 3;
constexpr std::uint16_t kUint32Type = 14;

struct Process {
  char name_space[256];
  std::uint32_t rank;
};

struct Value {
  std::uint16_t type;
  union {
    bool flag;
    char* string;
    std::uint32_t uint32;
    std::uint64_t room[3];  // as large as the largest other member
  } data;
};

struct Info {
  char key[512];
  std::uint32_t flags;
  Value value;
};

class Pmix final : public LauncherExchange {
 public:
  explicit Pmix(const LauncherLibrary& library) {
    library.find("PMIx_Init", init_);
    library.find("PMIx_Finalize", finalize_);
    library.find("PMIx_Abort", abort_);
    library.find("PMIx_Put", put_);
    library.find("PMIx_Commit", commit_);
    library.find("PMIx_Fence", fence_);
    library.find("PMIx_Get", get_);
    library.find("PMIx_Error_string", error_string_);
    const Status status = init_(&self_, nullptr, 0);
    if (status != kSuccess)
      fatal("start",
            "PMIx_Init does not reach the launcher that PMIX_RANK speaks of: %s; start the program with "
            "mpirun or "
            "srun, or set AQUEDUCT_LAUNCHER=none",
            error_string_(status));
    Value* size = nullptr;
    Process job = self_;
    job.rank = kAnyRank;
    check(get_(&job, "pmix.job.size", nullptr, 0, &size), "PMIx_Get", "the size of the job");
    if (size->type != kUint32Type || size->data.uint32 < 1 || size->data.uint32 > kMaxRanks ||
        self_.rank >= size->data.uint32)
      fatal("start", "PMIx gives rank %u of a job of %u; at most %u ranks are possible", self_.rank,
            size->type == kUint32Type ? size->data.uint32 : 0, kMaxRanks);
    set_place(self_.rank, size->data.uint32);
    std::free(size);
  }

  std::vector<std::string> all_gather(const std::string& mine) override {
    const std::string key = "aqueduct." + std::to_string(++round_);
    std::string text = mine;
    Value value = {};
    value.type = kStringType;
    value.data.string = text.data();
    check(put_(kGlobalScope, key.c_str(), &value), "PMIx_Put", "a rank's card");
    check(commit_(), "PMIx_Commit", "it");
    Info collect = {};
    std::strcpy(collect.key, "pmix.collect");
    collect.value.type = kBoolType;
    collect.value.data.flag = true;
    check(fence_(nullptr, 0, &collect, 1), "PMIx_Fence", "all ranks");
    std::vector<std::string> all(size());
    for (RankId peer = 0; peer < size(); ++peer) all[peer] = get(peer, key);
    return all;
  }

  void abort(int code, const char* line) override { abort_(code, line, nullptr, 0); }
  void finish() override { check(finalize_(nullptr, 0), "PMIx_Finalize", "this rank"); }

 private:
  std::string get(RankId peer, const std::string& key) {
    Process other = self_;
    other.rank = peer;
    Value* value = nullptr;
    check(get_(&other, key.c_str(), nullptr, 0, &value), "PMIx_Get", "another rank's card");
    if (value->type != kStringType || value->data.string == nullptr)
      fatal("start", "PMIx gives something else than text for rank %u (type %u)", peer, value->type);
    std::string text = value->data.string;
    std::free(value->data.string);
    std::free(value);
    return text;
  }

  void check(Status status, const char* call, const char* what) const {
    if (status != kSuccess) fatal("start", "%s of %s fails: %s", call, what, error_string_(status));
  }

  Status (*init_)(Process*, Info*, std::size_t) = nullptr;
  Status (*finalize_)(const Info*, std::size_t) = nullptr;
  Status (*abort_)(int, const char*, Process*, std::size_t) = nullptr;
  Status (*put_)(std::uint8_t, const char*, Value*) = nullptr;
  Status (*commit_)() = nullptr;
  Status (*fence_)(const Process*, std::size_t, const Info*, std::size_t) = nullptr;
  Status (*get_)(const Process*, const char*, const Info*, std::size_t, Value**) = nullptr;
  const char* (*error_string_)(Status) = nullptr;
  Process self_ = {};
  unsigned round_ = 0;
};

}  // namespace
}  // namespace pmix

std::unique_ptr<LauncherExchange> open_pmix(std::string* why_not) {
  const LauncherLibrary library(kPmixLibrary);
  if (library) return std::make_unique<pmix::Pmix>(library);
  *why_not = library.why_not();
  return nullptr;
}

}  // namespace aqueduct::job::launchers
