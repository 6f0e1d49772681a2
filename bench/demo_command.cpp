// aqueduct demo.
#include <memory>

#include "commands.hpp"
#include "demo.hpp"
#include "tools/common/options.hpp"

void add_demo_command(CLI::App& app, int& exit_code) {
  CLI::App* demo =
      app.add_subcommand("demo", "A tour: what this library does on this machine, in a few seconds");
  auto repetitions = std::make_shared<unsigned>(0);
  aqueduct::options::add_number(*demo, "--repetitions", *repetitions, 1, 10'000,
                                "Batches per row, 1 to 10000, if not as many as a steady median wants");
  demo->callback([repetitions, &exit_code] { exit_code = aqueduct::bench::run_demo(*repetitions); });
}
