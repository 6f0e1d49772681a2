// Types of one's own as arguments: by their fields, and by functions.
#include <aqueduct.hpp>
#include <cstdio>
#include <memory>

struct Tree {
  int value = 0;
  std::vector<std::unique_ptr<Tree>> below;
  int sum() const {
    int all = value;
    for (const auto& tree : below) all += tree->sum();
    return all;
  }
};

template <>
struct aqueduct::serial<Tree> {
  static void write(aqueduct::writer& to, const Tree& tree) {
    to(tree.value);
    to(tree.below.size());
    for (const auto& one : tree.below) to(*one);
  }
  static Tree read(aqueduct::reader& from) {
    Tree tree{from.read<int>(), {}};
    for (auto left = from.read<std::size_t>(); left; --left)
      tree.below.push_back(std::make_unique<Tree>(from.read<Tree>()));
    return tree;
  }
};

struct Forest {
  std::string name;
  Tree oak;
  auto fields() { return std::tie(name, oak); }
};

aqueduct::task<> body(aqueduct::job& job) {
  Forest forest{"forest", {1, {}}};
  for (int i = 2; i < 5; ++i) forest.oak.below.push_back(std::make_unique<Tree>(Tree{i, {}}));
  const auto next = (job.rank() + 1) % job.size();
  const int sum = co_await job.call(
      next, [](const Forest& f) { return f.oak.sum() + int(f.name.size()); }, forest);
  if (job.rank() == 0) std::printf("the forest has %d\n", sum);
}
AQUEDUCT_MAIN(body)
