#include "observe/state.hpp"

#include <algorithm>
#include <cstring>

#include "base/fields.hpp"

namespace aqueduct::observe {
namespace {

template <class To>
void visit_state(To& to, auto& wait) requires requires {
  wait.waited_ns;
}
{
  auto kind = static_cast<std::uint8_t>(wait.kind);
  auto transfer = static_cast<std::uint8_t>(wait.transfer);
  to(kind, transfer, wait.waited_ns, wait.number, wait.peer, wait.team, wait.call, wait.more);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(wait)>>) {
    wait.kind = static_cast<WaitKind>(kind);
    wait.transfer = static_cast<TransferKind>(transfer);
  }
}

template <class To>
void visit_state(To& to, auto& missing) requires requires {
  missing.what;
}
{ to(missing.peer, missing.what); }

template <class To>
void visit_state(To& to, auto& thread) requires requires {
  thread.has_answered;
}
{
  to(thread.tid, thread.has_answered, thread.in_handler, thread.has_prepared, thread.handler, thread.source,
     thread.handler_name);
}

template <class To>
void visit_state(To& to, auto& frame) requires requires {
  frame.inlined;
}
{ to(frame.text, frame.file, frame.address); }

template <class To>
void visit_state(To& to, auto& file) requires requires {
  file.identity;
}
{ to(file.path, file.identity); }

template <class To>
void visit_state(To& to, auto& team) requires requires {
  team.named_barriers;
}
{ to(team.team, team.size, team.barriers, team.named_barriers, team.collectives); }

template <class To>
void visit_words(To& to, auto& counts) {
  using Counts = std::remove_reference_t<decltype(counts)>;
  using Word = std::conditional_t<std::is_const_v<Counts>, const std::uint64_t, std::uint64_t>;
  auto* const words = reinterpret_cast<Word*>(&counts);
  for (std::size_t i = 0; i < sizeof counts / sizeof *words; ++i) to(words[i]);
}

/// A list of anything that is visited, after its length.
void write_list(FieldWriter<std::string>& to, const auto& list, const auto& write) {
  to(static_cast<std::uint32_t>(list.size()));
  for (const auto& item : list) write(item);
}

template <class Item>
void read_list(FieldReader& from, std::vector<Item>& list, const auto& read) {
  std::uint32_t length = 0;
  from(length);
  for (std::uint32_t i = 0; i < length && from.is_good(); ++i) read(list.emplace_back());
}

void write(FieldWriter<std::string>& to, const RankState& state) {
  to(state.rank, state.where, static_cast<std::uint8_t>(state.process), state.resting, state.polls,
     state.conduit);
  visit_words(to, state.done);
  write_list(to, state.files, [&](const CodeFile& file) { visit_state(to, file); });
  write_list(to, state.threads, [&](const ThreadState& thread) {
    visit_state(to, thread);
    write_list(to, thread.stack, [&](const Frame& frame) { visit_state(to, frame); });
    visit_state(to, thread.wait);
    write_list(to, thread.wait.missing, [&](const Missing& missing) { visit_state(to, missing); });
  });
  write_list(to, state.teams, [&](const TeamState& team) { visit_state(to, team); });
  write_list(to, state.peers, [&](const PeerState& peer) {
    to(peer.peer);
    visit_words(to, peer.counts);
  });
}

bool is_possible(const Wait& wait) { return wait.kind <= kLastWaitKind && wait.transfer <= kLastTransfer; }

void read(FieldReader& from, RankState& state) {
  std::uint8_t process = 0;
  from(state.rank, state.where, process, state.resting, state.polls, state.conduit);
  if (process > static_cast<std::uint8_t>(kLastProcessState)) from.refuse();
  state.process = static_cast<ProcessState>(process);
  visit_words(from, state.done);
  read_list(from, state.files, [&](CodeFile& file) { visit_state(from, file); });
  read_list(from, state.threads, [&](ThreadState& thread) {
    visit_state(from, thread);
    read_list(from, thread.stack, [&](Frame& frame) {
      visit_state(from, frame);
      if (frame.file != Frame::kNoFile && frame.file >= state.files.size()) from.refuse();
    });
    visit_state(from, thread.wait);
    if (!is_possible(thread.wait)) from.refuse();
    read_list(from, thread.wait.missing, [&](Missing& missing) { visit_state(from, missing); });
  });
  read_list(from, state.teams, [&](TeamState& team) { visit_state(from, team); });
  read_list(from, state.peers, [&](PeerState& peer) {
    from(peer.peer);
    visit_words(from, peer.counts);
  });
}

}  // namespace

std::string clean_text(const char* text, std::size_t room) {
  std::string clean(text, ::strnlen(text, room));
  std::replace_if(
      clean.begin(), clean.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return clean;
}

std::optional<Wait> wait_of(const WaitRecord& record, std::uint64_t now_ns) {
  Wait wait;
  if (record.kind > kLastWaitKind || record.transfer > kLastTransfer || record.missing > kMostMissing)
    return std::nullopt;
  wait.kind = record.kind;
  if (wait.kind == WaitKind::kNothing) return wait;
  wait.transfer = record.transfer;
  wait.waited_ns = difference(now_ns, record.since_ns);
  wait.number = record.number;
  wait.peer = record.peer;
  wait.team = record.team;
  wait.call = clean_text(record.call, sizeof record.call);
  wait.more = record.more != 0;
  for (unsigned i = 0; i < record.missing; ++i)
    wait.missing.push_back(
        {record.answers[i].peer, clean_text(record.answers[i].what, sizeof record.answers[i].what)});
  return wait;
}

std::string encode(const std::vector<RankState>& states) {
  std::string bytes;
  FieldWriter writer(bytes);
  write_list(writer, states, [&](const RankState& state) { write(writer, state); });
  return bytes;
}

std::optional<std::vector<RankState>> decode(std::string_view bytes) {
  std::vector<RankState> states;
  FieldReader reader(bytes);
  read_list(reader, states, [&](RankState& state) { read(reader, state); });
  if (!reader.is_complete()) return std::nullopt;
  return states;
}

}  // namespace aqueduct::observe
