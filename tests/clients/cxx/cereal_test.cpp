// A type that cereal serialises travels, where cereal is there.
#include "check.hpp"

#if __has_include(<cereal/archives/binary.hpp>)
#include <aqueduct/cxx/cereal.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

namespace {

struct Tree {
  std::string name;
  std::vector<std::unique_ptr<Tree>> below;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, below);
  }
};

}  // namespace

template <>
struct aqueduct::serial<Tree> : aqueduct::by_cereal<Tree> {};

namespace aqueduct::test {
namespace {

Test by_cereal_s_archive("by_cereal_s_archive", [](job& job) -> task<> {
  Tree root;
  root.name = std::string(100, 'r');
  for (int i = 0; i < 3; ++i) {
    root.below.push_back(std::make_unique<Tree>());
    root.below.back()->name = std::to_string(i);
  }
  const auto turned = [](Tree tree) {
    std::swap(tree.below[0], tree.below[2]);
    tree.name += '!';
    return tree;
  };
  const Tree answer = co_await call(next_of(job), turned, root);
  expect_equal(answer.name, root.name + "!");
  expect_equal(answer.below[0]->name, std::string("2"));
  expect_equal(answer.below[2]->name, std::string("0"));
  co_await job.barrier();
});

}  // namespace
}  // namespace aqueduct::test
#endif
