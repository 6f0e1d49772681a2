// PMI 2 through Slurm's library: srun --mpi=pmi2.
#include "base/fatal.hpp"
#include "job/launchers/libraries.hpp"
#include "job/launchers/library.hpp"
#include "job/place/membership.hpp"

namespace aqueduct::job::launchers {
namespace pmi2 {
namespace {

constexpr int kSuccess = 0;
constexpr int kMostJobName = 256;
constexpr int kMostValue = 1024;

void check(int status, const char* call) {
  if (status != kSuccess)
    fatal("start", "%s fails with %d; start the program with srun --mpi=pmi2, or set AQUEDUCT_LAUNCHER", call,
          status);
}

class Pmi2 final : public LauncherExchange {
 public:
  explicit Pmi2(const LauncherLibrary& library) {
    library.find("PMI2_Init", init_);
    library.find("PMI2_Finalize", finalize_);
    library.find("PMI2_Abort", abort_);
    library.find("PMI2_Job_GetId", job_id_);
    library.find("PMI2_KVS_Put", put_);
    library.find("PMI2_KVS_Fence", fence_);
    library.find("PMI2_KVS_Get", get_);
    int spawned = 0, size = 0, rank = -1, application = 0;
    check(init_(&spawned, &size, &rank, &application), "PMI2_Init");
    if (size < 1 || size > static_cast<int>(kMaxRanks) || rank < 0 || rank >= size)
      fatal("start", "PMI 2 gives rank %d of a job of %d; at most %u ranks are possible", rank, size,
            kMaxRanks);
    set_place(static_cast<RankId>(rank), static_cast<RankId>(size));
    check(job_id_(job_, sizeof job_), "PMI2_Job_GetId");
  }

  std::vector<std::string> all_gather(const std::string& mine) override {
    const std::string key = "aqueduct-" + std::to_string(++round_) + "-";
    check(put_((key + std::to_string(rank())).c_str(), mine.c_str()), "PMI2_KVS_Put");
    check(fence_(), "PMI2_KVS_Fence");
    std::vector<std::string> all(size());
    for (RankId peer = 0; peer < size(); ++peer) {
      constexpr int kNoHint = -1;
      char value[kMostValue] = {};
      int length = 0;
      check(get_(job_, kNoHint, (key + std::to_string(peer)).c_str(), value, sizeof value, &length),
            "PMI2_KVS_Get");
      if (length <= 0 || length >= kMostValue)
        fatal("start", "PMI 2 has no card of rank %u (length %d)", peer, length);
      all[peer] = value;
    }
    return all;
  }

  void abort(int, const char* line) override { abort_(1, line); }
  void finish() override { check(finalize_(), "PMI2_Finalize"); }

 private:
  int (*init_)(int*, int*, int*, int*) = nullptr;
  int (*finalize_)() = nullptr;
  int (*abort_)(int, const char*) = nullptr;
  int (*job_id_)(char*, int) = nullptr;
  int (*put_)(const char*, const char*) = nullptr;
  int (*fence_)() = nullptr;
  int (*get_)(const char*, int, const char*, char*, int, int*) = nullptr;
  char job_[kMostJobName] = {};
  unsigned round_ = 0;
};

}  // namespace
}  // namespace pmi2

std::unique_ptr<LauncherExchange> open_pmi2(std::string* why_not) {
  const LauncherLibrary library(kPmi2Library);
  if (library) return std::make_unique<pmi2::Pmi2>(library);
  *why_not = library.why_not();
  return nullptr;
}

}  // namespace aqueduct::job::launchers
