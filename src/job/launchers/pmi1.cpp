// PMI 1 through Slurm's library, which asks srun itself: srun --mpi=none.
#include <cstring>

#include "base/fatal.hpp"
#include "job/launchers/libraries.hpp"
#include "job/launchers/library.hpp"
#include "job/place/membership.hpp"

namespace aqueduct::job::launchers {
namespace pmi1 {
namespace {

constexpr int kSuccess = 0;
constexpr int kMostSpaceName = 256;
constexpr int kMostValue = 1024;

void check(int status, const char* call) {
  if (status != kSuccess)
    fatal("start", "%s fails with %d; start the program with srun --mpi=pmi2, or set AQUEDUCT_LAUNCHER", call,
          status);
}

class Pmi1 final : public LauncherExchange {
 public:
  explicit Pmi1(const LauncherLibrary& library) {
    library.find("PMI_Init", init_);
    library.find("PMI_Finalize", finalize_);
    library.find("PMI_Abort", abort_);
    library.find("PMI_Get_size", get_size_);
    library.find("PMI_Get_rank", get_rank_);
    library.find("PMI_KVS_Get_my_name", space_name_);
    library.find("PMI_KVS_Put", put_);
    library.find("PMI_KVS_Commit", commit_);
    library.find("PMI_Barrier", barrier_);
    library.find("PMI_KVS_Get", get_);
    int spawned = 0, size = 0, rank = -1;
    check(init_(&spawned), "PMI_Init");
    check(get_size_(&size), "PMI_Get_size");
    check(get_rank_(&rank), "PMI_Get_rank");
    if (size < 1 || size > static_cast<int>(kMaxRanks) || rank < 0 || rank >= size)
      fatal("start", "PMI 1 gives rank %d of a job of %d; at most %u ranks are possible", rank, size,
            kMaxRanks);
    set_place(static_cast<RankId>(rank), static_cast<RankId>(size));
    check(space_name_(space_, sizeof space_), "PMI_KVS_Get_my_name");
  }

  std::vector<std::string> all_gather(const std::string& mine) override {
    const std::string key = "aqueduct-" + std::to_string(++round_) + "-";
    check(put_(space_, (key + std::to_string(LauncherExchange::rank())).c_str(), mine.c_str()),
          "PMI_KVS_Put");
    check(commit_(space_), "PMI_KVS_Commit");
    check(barrier_(), "PMI_Barrier");
    std::vector<std::string> all(LauncherExchange::size());
    for (RankId peer = 0; peer < LauncherExchange::size(); ++peer) {
      char value[kMostValue] = {};
      check(get_(space_, (key + std::to_string(peer)).c_str(), value, sizeof value), "PMI_KVS_Get");
      all[peer].assign(value, strnlen(value, sizeof value));
    }
    return all;
  }

  void abort(int code, const char* line) override { abort_(code, line); }
  void finish() override { check(finalize_(), "PMI_Finalize"); }

 private:
  int (*init_)(int*) = nullptr;
  int (*finalize_)() = nullptr;
  int (*abort_)(int, const char*) = nullptr;
  int (*get_size_)(int*) = nullptr;
  int (*get_rank_)(int*) = nullptr;
  int (*space_name_)(char*, int) = nullptr;
  int (*put_)(const char*, const char*, const char*) = nullptr;
  int (*commit_)(const char*) = nullptr;
  int (*barrier_)() = nullptr;
  int (*get_)(const char*, const char*, char*, int) = nullptr;
  char space_[kMostSpaceName] = {};
  unsigned round_ = 0;
};

}  // namespace
}  // namespace pmi1

std::unique_ptr<LauncherExchange> open_pmi1(std::string* why_not) {
  const LauncherLibrary library(kPmi1Library, LauncherLibrary::Names::kVisible);
  if (library) return std::make_unique<pmi1::Pmi1>(library);
  *why_not = library.why_not();
  return nullptr;
}

}  // namespace aqueduct::job::launchers
