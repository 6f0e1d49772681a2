// aqueduct agent: what `aqueduct run` and `aqueduct info` start on other hosts; not for people.
#include "hosts/agent.hpp"

#include "commands.hpp"
#include "conduit/plugin/search.hpp"
#include "info/report.hpp"

void add_agent_command(CLI::App& app, int& exit_code) {
  CLI::App* agent = app.add_subcommand("agent", "Serve a launcher on another host; started by it");
  agent->group("");
  agent->callback([&exit_code] {
    using namespace aqueduct;
    conduit::plugin::tell_ranks();
    exit_code = job::run_agent({AQUEDUCT_TOOL_VERSION, [](const job::Layout& machines) {
                                  info::InfoReport report =
                                      info::make_report(AQUEDUCT_TOOL_VERSION, machines);
                                  report.system = doctor::read_facts();
                                  return info::as_json(report);
                                }});
  });
}
