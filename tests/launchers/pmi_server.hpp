// A server of PMI 1 in the test's own process, small and obedient, unless the test makes it say something
// else.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace aqueduct::test {

class PmiServer {
 public:
  /// What to say to a request instead of the right answer; nothing: the right one. An empty text closes the
  /// connection.
  using Instead = std::function<std::optional<std::string>(int rank, const std::string& request)>;

  explicit PmiServer(Instead instead = {}) : instead_(std::move(instead)) {}

  /// Starts `ranks` processes of the command and serves them until all have closed their connections. The
  /// outcomes are by rank.
  std::vector<Outcome> run(int ranks, const std::vector<std::string>& command,
                           const std::vector<std::string>& environment = {});

 private:
  void serve(int rank, const std::string& request);
  void send(int rank, const std::string& text);
  std::string answer_to(const std::string& request);

  Instead instead_;
  std::vector<int> sockets_;
  std::vector<std::string> unread_;
  std::map<std::string, std::string> values_;
  std::size_t in_barrier_ = 0;
};

}  // namespace aqueduct::test
