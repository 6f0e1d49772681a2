// A map whose parts are at all ranks.
#include <aqueduct.hpp>
#include <cstdio>
#include <unordered_map>

class DistributedMap {
  using Part = std::unordered_map<std::string, std::string>;
  aqueduct::distributed<Part> parts_;
  aqueduct::rank_t owner(const std::string& key) const {
    return std::hash<std::string>()(key) % parts_.members().size();
  }

 public:
  explicit DistributedMap(aqueduct::team& team) : parts_(team) {}
  auto insert(const std::string& key, const std::string& value) {
    return parts_.at(
        owner(key), [](Part& part, std::string k, std::string v) { part[k] = v; }, key, value);
  }
  auto find(const std::string& key) {
    return parts_.at(
        owner(key), [](Part& part, const std::string& k) { return part.count(k) ? part[k] : ""; }, key);
  }
};

aqueduct::task<> body(aqueduct::job& job) {
  DistributedMap map(job);
  const std::string key = std::to_string(job.rank());
  co_await map.insert(key, "value of " + key);
  co_await job.barrier();
  const std::string next = std::to_string((job.rank() + 1) % job.size());
  const std::string found = co_await map.find(next);
  const int right = co_await job.reduce_all(int(found == "value of " + next), std::plus<>());
  if (job.rank() == 0) std::printf("%d of %u keys were found\n", right, job.size());
}
AQUEDUCT_MAIN(body)
