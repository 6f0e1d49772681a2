// Runs pieces of work side by side, each in a fork of this process, as many at once as it has cores.
//
//   const auto answers = run_side_by_side(seeds.size(), [&](std::size_t i) { return text_of(run(seeds[i])); }, {});
//
// A fork has everything that the process knew before, and what it does changes nothing here: so pieces may
// set variables, end with a fatal error or hang. Results do not depend on how many run at once. Forks end
// with the process that started them. The process must not have threads.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace aqueduct {

struct Answer {
  bool is_there = false;
  std::string text;  ///< what the piece returned
  std::string why;   ///< one line that says why there is none; empty: the piece was not begun
};

struct SideBySide {
  unsigned at_once = 0;                        ///< 0: as many as there are cores
  unsigned processor_limit_s = 0;              ///< processor time after which a piece is ended; 0: no limit
  std::function<void(double part)> advance{};  ///< called after each piece, with the part that is done
  /// Called after each piece; once it has answered true, no more pieces are begun. All before those that were
  /// begun are over in the end, whatever `at_once` is.
  std::function<bool(const Answer& answer)> is_enough{};
};

/// The answers in the order of the pieces. A piece that throws a std::exception has no answer; why is its
/// text.
std::vector<Answer> run_side_by_side(std::size_t pieces,
                                     const std::function<std::string(std::size_t piece)>& work,
                                     const SideBySide& manner);

}  // namespace aqueduct
