#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "sim/engine/engine.hpp"
#include "sim/units.hpp"

namespace aqueduct {
namespace {

using namespace std::chrono_literals;

Progress* current = nullptr;

void write_all(int fd, const std::string& text) {
  // Ignores errors.
  [[maybe_unused]] const ssize_t written = ::write(fd, text.data(), text.size());
}

}  // namespace

std::string time_left_text(std::chrono::duration<double> left) {
  const double seconds = left.count();
  if (seconds < 100) return fmt::format("about {:.0f} s left", std::ceil(seconds));
  return fmt::format("about {:.0f} min left", std::ceil(seconds / 60));
}

Progress::Manner Progress::on_stderr() {
  const bool is_terminal = ::isatty(STDERR_FILENO) != 0;
  return {.fd = is_terminal ? STDERR_FILENO : -1, .first = 2s, .next = 200ms};
}

Progress::Progress(std::string command, Manner manner)
    : command_(std::move(command)), manner_(manner), start_(Clock::now()), due_(start_ + manner.first) {
  current = this;
  if (manner_.fd >= 0) sim::Engine::set_observer(look_at);
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

void Progress::span(double from, double to) {
  from_ = from;
  to_ = to;
  part_ = from;
  say("");
}

void Progress::report(double part) {
  if (current == nullptr) return;
  current->part_ = current->from_ + (current->to_ - current->from_) * std::clamp(part, 0.0, 1.0);
  current->say("");
}

void Progress::clear() {
  if (current == nullptr || !current->is_line_there_) return;
  write_all(current->manner_.fd, "\r\033[K");
  current->is_line_there_ = false;
}

void Progress::leave_to_parent() {
  sim::Engine::set_observer(nullptr);
  current = nullptr;
}

void Progress::look_at(const sim::Engine& engine) {
  if (current == nullptr) return;
  current->say(fmt::format("; {:.1f} million events, virtual time {}",
                           static_cast<double>(engine.events()) / 1e6, sim::show(engine.now()).text));
}

std::string Progress::estimate() const {
  if (part_ <= 0) return "";
  const std::chrono::duration<double> spent = Clock::now() - start_;
  return fmt::format(", {:.0f} %, {}", 100 * part_, time_left_text(spent * ((1 - part_) / part_)));
}

void Progress::say(const std::string& detail) {
  if (manner_.fd < 0) return;
  const Clock::time_point now = Clock::now();
  if (now < due_) return;
  due_ = now + manner_.next;
  write_all(manner_.fd, "\r\033[K" + command_ + ": " + stage_ + estimate() + detail);
  is_line_there_ = true;
}

}  // namespace aqueduct
