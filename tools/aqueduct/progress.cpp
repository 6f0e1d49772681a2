#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "sim/engine.hpp"
#include "sim/units.hpp"

namespace aqueduct {
namespace {

using namespace std::chrono_literals;

Progress* current = nullptr;

void write_all(int fd, const std::string& text) {
  // Nobody misses what cannot be written here.
  [[maybe_unused]] const ssize_t written = ::write(fd, text.data(), text.size());
}

}  // namespace

Progress::Manner Progress::on_stderr() {
  if (::isatty(STDERR_FILENO) != 0)
    return {.fd = STDERR_FILENO, .is_terminal = true, .first = 0s, .next = 200ms};
  return {.fd = STDERR_FILENO, .is_terminal = false, .first = 10s, .next = 30s};
}

Progress::Progress(std::string command, Manner manner)
    : command_(std::move(command)), manner_(manner), due_(Clock::now() + manner.first) {
  current = this;
  sim::Engine::set_observer(look_at);
}

Progress::~Progress() {
  clear();
  sim::Engine::set_observer(nullptr);
  current = nullptr;
}

void Progress::stage(std::string text) {
  stage_ = std::move(text);
  say("");
}

void Progress::clear() {
  if (current == nullptr || !current->is_line_there_) return;
  write_all(current->manner_.fd, "\r\033[K");
  current->is_line_there_ = false;
}

void Progress::look_at(const sim::Engine& engine) {
  if (current == nullptr) return;
  current->say(fmt::format("; {:.1f} million events, virtual time {}",
                           static_cast<double>(engine.events()) / 1e6, sim::show(engine.now()).text));
}

void Progress::say(const std::string& detail) {
  const Clock::time_point now = Clock::now();
  if (now < due_) return;
  due_ = now + manner_.next;
  const std::string line = command_ + ": " + stage_ + detail;
  write_all(manner_.fd, manner_.is_terminal ? "\r\033[K" + line : line + "\n");
  is_line_there_ = manner_.is_terminal;
}

}  // namespace aqueduct
