// What a program must not do, one at a time: each ends the job with a line.
#include <aqueduct.hpp>
#include <string_view>

int main(int argc, char** argv) {
  aqueduct::job job{argc, argv};
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "send") aqueduct::run(job.call(0, [] { aqueduct::post(0, [] {}); }));
  if (what == "wait") {
    const auto wait = [](aqueduct::job& all) -> aqueduct::task<> {
      aqueduct::run(all.barrier());
      co_return;
    };
    aqueduct::run(wait(job));
  }
  if (what == "rank") aqueduct::run(job.call(job.size(), [] {}));
  if (what == "throw") aqueduct::post(0, [] { throw std::runtime_error("nobody catches it"); });
  if (what == "record") {
    aqueduct::aggregator refuse(job, [](int) { throw std::runtime_error("not this one"); });
    refuse.send(1, 1);
    aqueduct::run(refuse.quiesce());
  }
  aqueduct::run(job.barrier());
  while (what == "throw") aqueduct::progress();
}
