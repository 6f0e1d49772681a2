#include "tools/replay/dumpi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "tools/replay/dumpi_calls.hpp"

namespace aqueduct::replay {
namespace {

using What = Step::What;

struct MpiRefusal {
  std::string line;
};

/// The handler of all messages.
constexpr std::uint8_t kHandler = 1;

/// Calls that move nothing between ranks; the time in them is the rank's own.
const std::set<std::string, std::less<>> kLocal{
    "MPI_Init",          "MPI_Init_thread",   "MPI_Finalize",        "MPI_Initialized",
    "MPI_Finalized",     "MPI_Comm_rank",     "MPI_Comm_size",       "MPI_Comm_free",
    "MPI_Comm_group",    "MPI_Group_incl",    "MPI_Group_free",      "MPI_Wtime",
    "MPI_Wtick",         "MPI_Get_count",     "MPI_Get_version",     "MPI_Get_processor_name",
    "MPI_Type_commit",   "MPI_Type_free",     "MPI_Type_size",       "MPI_Type_extent",
    "MPI_Op_create",     "MPI_Op_free",       "MPI_Errhandler_set",  "MPI_Comm_set_errhandler",
    "MPI_Pcontrol",      "MPI_Query_thread",  "MPI_Is_thread_main",  "MPI_Address",
    "MPI_Get_address",   "MPI_Error_string",  "MPI_Comm_set_name",   "MPI_Comm_get_name",
    "MPI_Buffer_attach", "MPI_Buffer_detach", "MPI_Type_get_extent", "MPI_Keyval_create",
    "MPI_Attr_get",      "MPI_Comm_get_attr", "MPI_Iprobe",          "MPI_Probe",
};

struct TypeSize {
  const char* name;
  std::uint32_t bytes;
};
constexpr TypeSize kTypeSizes[] = {
    {"MPI_CHAR", 1},
    {"MPI_SIGNED_CHAR", 1},
    {"MPI_UNSIGNED_CHAR", 1},
    {"MPI_BYTE", 1},
    {"MPI_PACKED", 1},
    {"MPI_CHARACTER", 1},
    {"MPI_WCHAR", 4},
    {"MPI_SHORT", 2},
    {"MPI_UNSIGNED_SHORT", 2},
    {"MPI_INT", 4},
    {"MPI_UNSIGNED", 4},
    {"MPI_LONG", 8},
    {"MPI_UNSIGNED_LONG", 8},
    {"MPI_LONG_LONG", 8},
    {"MPI_LONG_LONG_INT", 8},
    {"MPI_FLOAT", 4},
    {"MPI_DOUBLE", 8},
    {"MPI_UNSIGNED_LONG_LONG", 8},
    {"MPI_LONG_DOUBLE", 16},
    {"MPI_INTEGER", 4},
    {"MPI_REAL", 4},
    {"MPI_LOGICAL", 4},
    {"MPI_DOUBLE_PRECISION", 8},
    {"MPI_COMPLEX", 8},
    {"MPI_DOUBLE_COMPLEX", 16},
    {"MPI_INTEGER4", 4},
    {"MPI_INTEGER8", 8},
    {"MPI_REAL4", 4},
    {"MPI_REAL8", 8},
    {"MPI_INTEGER2", 2},
    {"MPI_INTEGER1", 1},
    {"MPI_FLOAT_INT", 8},
    {"MPI_DOUBLE_INT", 12},
    {"MPI_LONG_INT", 12},
    {"MPI_2INT", 8},
    {"MPI_SHORT_INT", 6},
    {"MPI_2INTEGER", 8},
    {"MPI_2REAL", 8},
    {"MPI_2DOUBLE_PRECISION", 16},
};

/// A receive, in the order in which its rank has posted it.
struct Receive {
  std::optional<std::uint32_t> source;  ///< known at the latest when it is complete
  std::optional<std::int64_t> tag;
  std::uint32_t message = kNone;
};

/// What a rank waits for: its receives, by their numbers.
struct PendingWait {
  std::uint32_t arrivals = 0;
  std::vector<std::size_t> receives;
};

struct SentMessages {
  std::deque<std::uint32_t> messages;
};
using Channel = std::tuple<std::uint32_t, std::uint32_t, std::int64_t>;  // source, target, tag

struct MpiMaking {
  Program program;
  std::map<Channel, SentMessages> sent;
  std::vector<std::string> collectives;  ///< what the n-th of each rank is
  std::map<std::string, std::uint64_t> unknown;
};

class MpiRankMaker {
 public:
  MpiRankMaker(MpiMaking& making, std::uint32_t rank, std::vector<MpiCall> calls)
      : making_(making), rank_(rank), calls_(std::move(calls)), program_(making.program.ranks[rank]) {}

  void make() {
    if (calls_.empty() || !calls_.front().name.starts_with("MPI_Init"))
      throw refusal("does not begin with MPI_Init");
    if (calls_.back().name != "MPI_Finalize")
      throw refusal("does not end with MPI_Finalize: only whole jobs can be replayed");
    std::size_t first = 0;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (calls_[i].name == "MPI_Init" || calls_[i].name == "MPI_Init_thread") first = i;
      if (calls_[i].thread != calls_.front().thread)
        throw refusal("has calls of several threads, and a simulated rank has one thread");
    }
    origin_ = calls_[first].end;
    for (std::size_t i = first + 1; i < calls_.size(); ++i) add(calls_[i]);
    making_.program.duration = std::max(making_.program.duration, calls_.back().begin - origin_);
    if (const std::int64_t rest = calls_.back().begin - origin_; rest > now_) add_gap(rest);
  }

  /// When all sends are known.
  void match() {
    for (Receive& receive : receives_) {
      if (!receive.source || !receive.tag) continue;  // never waited for
      auto& queue = making_.sent[{*receive.source, rank_, *receive.tag}].messages;
      if (queue.empty())
        throw refusal(fmt::format("receives more messages of rank {} with tag {} than were sent",
                                  *receive.source, *receive.tag));
      receive.message = queue.front();
      queue.pop_front();
    }
    for (const PendingWait& wait : waits_) {
      for (const std::size_t receive : wait.receives) {
        const std::uint32_t message = receives_[receive].message;
        program_.arrivals[wait.arrivals].messages.push_back(message);
      }
    }
  }
  /// The recorded end of a wait is when its messages were handled, as far as one can know.
  void note_times() {
    for (const Step& step : program_.steps) {
      if (step.what != What::kWaitMessages) continue;
      for (const std::uint32_t message : program_.arrivals[step.number].messages)
        making_.program.messages[message].handled = std::max<std::int64_t>(step.recorded.end, 1);
    }
  }

 private:
  MpiRefusal refusal(const std::string& reason) const { return {fmt::format("rank {} {}", rank_, reason)}; }

  void add(const MpiCall& call) {
    const std::string& name = call.name;
    if (name == "MPI_Type_contiguous" || name == "MPI_Type_vector") return define_type(call);
    if (name == "MPI_Comm_dup") return note_duplicate(call);
    if (kLocal.contains(name)) return;
    if (name == "MPI_Send" || name == "MPI_Bsend" || name == "MPI_Ssend" || name == "MPI_Rsend") {
      send(call, "count", "datatype", "dest", "tag");
    } else if (name == "MPI_Isend" || name == "MPI_Ibsend" || name == "MPI_Issend" || name == "MPI_Irsend") {
      send(call, "count", "datatype", "dest", "tag");
      requests_.erase(call.number("request").value_or(-1));  // complete at once
    } else if (name == "MPI_Recv") {
      receive(call, "source", "tag");
    } else if (name == "MPI_Irecv") {
      post(call);
    } else if (name == "MPI_Sendrecv") {
      send(call, "sendcount", "sendtype", "dest", "sendtag");
      receive(call, "source", "recvtag");
    } else if (name == "MPI_Sendrecv_replace") {
      send(call, "count", "datatype", "dest", "sendtag");
      receive(call, "source", "recvtag");
    } else if (name == "MPI_Wait" || name == "MPI_Test") {
      if (name == "MPI_Test" && call.number("flag").value_or(0) == 0) return;
      wait(call, call.list("request"), call.statuses("status"));
    } else if (name == "MPI_Waitall" || name == "MPI_Testall") {
      if (name == "MPI_Testall" && call.number("flag").value_or(0) == 0) return;
      wait(call, call.list("requests"), call.statuses("statuses"));
    } else if (name == "MPI_Waitany" || name == "MPI_Testany" || name == "MPI_Waitsome" ||
               name == "MPI_Testsome") {
      wait_for_some(call);
    } else if (!collective(call)) {
      ++making_.unknown[name];
    }
  }

  void define_type(const MpiCall& call) {
    const std::uint64_t old_bytes = type_bytes(call, "oldtype");
    const auto count = checked(call, "count"),
               block = call.name == "MPI_Type_vector" ? checked(call, "blocklength") : 1;
    if (const auto id = call.number("newtype"))
      types_[*id] = product(call, product(call, count, block), old_bytes);
  }

  void note_duplicate(const MpiCall& call) {
    check_world(call);
    for (const char* name : {"newcomm", "comm_out", "newcomm_out"}) {
      if (const auto id = call.number(name)) worlds_.insert(*id);
    }
  }

  void check_world(const MpiCall& call) const {
    if (call.constant("comm") == "MPI_COMM_WORLD" || worlds_.contains(call.number("comm").value_or(-1)))
      return;
    const auto found = call.arguments.find("comm");
    throw refusal(
        fmt::format("has {} on the communicator {}, and only MPI_COMM_WORLD and its duplicates can be "
                    "replayed",
                    call.name, found == call.arguments.end() ? "that is not named" : found->second));
  }

  std::uint64_t checked(const MpiCall& call, const char* argument) const {
    const auto value = call.number(argument);
    if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > kMostBytes)
      throw refusal(fmt::format("has {} without {}", call.name, argument));
    return static_cast<std::uint64_t>(*value);
  }
  std::uint64_t product(const MpiCall& call, std::uint64_t one, std::uint64_t other) const {
    if (other != 0 && one > kMostBytes / other)
      throw refusal(fmt::format("has {} of too many bytes", call.name));
    return one * other;
  }

  std::uint64_t type_bytes(const MpiCall& call, const char* argument) const {
    const std::string_view name = call.constant(argument);
    for (const TypeSize& type : kTypeSizes) {
      if (name == type.name) return type.bytes;
    }
    const auto found = types_.find(call.number(argument).value_or(-1));
    if (found != types_.end()) return found->second;
    throw refusal(
        fmt::format("has {} of a datatype whose size is not known ({}); only basic, contiguous and "
                    "vector types can be replayed",
                    call.name, name));
  }
  std::uint64_t bytes_of(const MpiCall& call, const char* count, const char* type) const {
    return product(call, checked(call, count), type_bytes(call, type));
  }

  Step& push(const MpiCall& call, What what, Kind kind) {
    const std::int64_t begin = std::max(call.begin - origin_, now_);
    add_gap(begin);
    Step step;
    step.what = what;
    step.kind = kind;
    step.recorded = {begin, std::max(begin, call.end - origin_)};
    now_ = step.recorded.end;
    program_.steps.push_back(step);
    return program_.steps.back();
  }
  void add_gap(std::int64_t until) {
    if (until <= now_) return;
    Step step;
    step.ns = static_cast<std::uint64_t>(until - now_);
    step.recorded = {now_, until};
    program_.steps.push_back(step);
    now_ = until;
  }

  /// Nothing for MPI_PROC_NULL, which is negative.
  std::optional<std::uint32_t> peer(const MpiCall& call, const char* argument) const {
    const auto value = call.number(argument);
    if (!value || *value >= static_cast<std::int64_t>(making_.program.ranks.size()))
      throw refusal(fmt::format("has {} whose {} is no rank of the job", call.name, argument));
    return *value < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(*value));
  }

  void send(const MpiCall& call, const char* count, const char* type, const char* target, const char* tag) {
    check_world(call);
    const auto to = peer(call, target);
    if (!to) return;
    MessagePlan message;
    message.category = MessagePlan::Category::kAny;
    message.handler = kHandler;
    message.from = rank_;
    message.to = *to;
    message.bytes = bytes_of(call, count, type);
    const auto number = static_cast<std::uint32_t>(making_.program.messages.size());
    Step& step = push(call, What::kSend, Kind::kMessage);
    // A call that also receives waits in its second part.
    if (call.arguments.contains("source")) step.recorded.end = now_ = step.recorded.begin;
    step.number = number;
    message.sent = step.recorded.begin;
    making_.program.largest_transfer = std::max(making_.program.largest_transfer, message.bytes);
    making_.program.messages.push_back(message);
    making_.sent[{rank_, *to, call.number(tag).value_or(0)}].messages.push_back(number);
  }

  /// Nothing if nobody sends.
  std::optional<Receive> receive_of(const MpiCall& call, const char* source, const char* tag) const {
    check_world(call);
    Receive receive;
    if (call.constant(source) != "MPI_ANY_SOURCE") {
      receive.source = peer(call, source);
      if (!receive.source) return std::nullopt;
    }
    if (call.constant(tag) != "MPI_ANY_TAG") receive.tag = call.number(tag);
    return receive;
  }
  void complete(Receive& receive, const MpiCall& call, const MpiStatus* status) const {
    if (receive.source && receive.tag) return;
    if (status == nullptr || status->source < 0 ||
        status->source >= static_cast<std::int64_t>(making_.program.ranks.size()))
      throw refusal(fmt::format("has {} of any source or tag whose status was not traced", call.name));
    if (!receive.source) receive.source = static_cast<std::uint32_t>(status->source);
    if (!receive.tag) receive.tag = status->tag;
  }

  void receive(const MpiCall& call, const char* source, const char* tag) {
    std::optional<Receive> receive = receive_of(call, source, tag);
    if (!receive) return;
    const std::vector<MpiStatus> statuses = call.statuses("status");
    complete(*receive, call, statuses.empty() ? nullptr : &statuses.front());
    receives_.push_back(*receive);
    wait_for(call, {receives_.size() - 1});
  }

  void post(const MpiCall& call) {
    const std::optional<Receive> receive = receive_of(call, "source", "tag");
    const auto request = call.number("request");
    if (!request) throw refusal("has MPI_Irecv without request");
    requests_.erase(*request);
    if (!receive) return;
    requests_[*request] = receives_.size();
    receives_.push_back(*receive);
  }

  void wait(const MpiCall& call, const std::vector<std::int64_t>& requests,
            const std::vector<MpiStatus>& statuses) {
    std::vector<std::size_t> receives;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto found = requests_.find(requests[i]);
      if (found == requests_.end()) continue;  // a send, or complete before
      complete(receives_[found->second], call, i < statuses.size() ? &statuses[i] : nullptr);
      receives.push_back(found->second);
      requests_.erase(found);
    }
    wait_for(call, std::move(receives));
  }

  void wait_for_some(const MpiCall& call) {
    const std::vector<std::int64_t> all = call.list("requests");
    std::vector<std::int64_t> indices = call.list("indices");
    const bool is_one = call.name.ends_with("any");
    if (is_one && (call.name == "MPI_Waitany" || call.number("flag").value_or(0) != 0))
      indices.assign(1, call.number("index").value_or(-1));
    std::vector<std::int64_t> chosen;
    for (const std::int64_t index : indices) {
      if (index >= 0 && static_cast<std::size_t>(index) < all.size())
        chosen.push_back(all[static_cast<std::size_t>(index)]);
    }
    wait(call, chosen, call.statuses(is_one ? "status" : "statuses"));
  }

  void wait_for(const MpiCall& call, std::vector<std::size_t> receives) {
    if (receives.empty()) return;
    Step& step = push(call, What::kWaitMessages, Kind::kArrival);
    step.number = static_cast<std::uint32_t>(program_.arrivals.size());
    program_.arrivals.emplace_back();
    waits_.push_back({step.number, std::move(receives)});
  }

  bool collective(const MpiCall& call) {
    struct Form {
      const char* name;
      Collective collective;
      const char* count;
      const char* type;
    };
    static constexpr Form kForms[] = {
        {"MPI_Bcast", Collective::kBroadcast, "count", "datatype"},
        {"MPI_Reduce", Collective::kReduceToOne, "count", "datatype"},
        {"MPI_Allreduce", Collective::kReduceToAll, "count", "datatype"},
        {"MPI_Scatter", Collective::kScatter, "recvcount", "recvtype"},
        {"MPI_Gather", Collective::kGather, "sendcount", "sendtype"},
        {"MPI_Allgather", Collective::kGatherAll, "sendcount", "sendtype"},
        {"MPI_Alltoall", Collective::kExchange, "sendcount", "sendtype"},
    };
    const Form* const form =
        std::ranges::find_if(kForms, [&](const Form& each) { return call.name == each.name; });
    const bool is_barrier = call.name == "MPI_Barrier";
    if (form == std::end(kForms) && !is_barrier) return false;
    check_world(call);
    const std::uint64_t bytes = is_barrier ? 0 : bytes_of(call, form->count, form->type);
    Step& step = push(call, bytes == 0 ? What::kBarrier : What::kCollective,
                      is_barrier ? Kind::kBarrier : Kind::kCollective);
    step.meeting = meet(call.name, static_cast<std::uint32_t>(program_.steps.size() - 1));
    if (bytes == 0) return true;
    step.number = static_cast<std::uint32_t>(form->collective);
    step.bytes = bytes;
    if (call.arguments.contains("root")) {
      const auto root = peer(call, "root");
      if (!root) throw refusal(fmt::format("has {} without a root", call.name));
      step.peer = *root;
    } else if (form->collective == Collective::kBroadcast || form->collective == Collective::kReduceToOne ||
               form->collective == Collective::kScatter || form->collective == Collective::kGather) {
      throw refusal(fmt::format("has {} without a root", call.name));
    }
    const bool is_many = form->collective >= Collective::kScatter;
    const std::uint64_t data = is_many ? product(call, bytes, making_.program.ranks.size()) : bytes;
    making_.program.largest_data = std::max(making_.program.largest_data, data);
    return true;
  }

  std::uint32_t meet(const std::string& name, std::uint32_t step) {
    const std::uint32_t number = met_++;
    if (number == making_.collectives.size()) {
      making_.collectives.push_back(name);
      making_.program.meetings.emplace_back();
    }
    if (making_.collectives[number] != name)
      throw refusal(fmt::format("calls {} where another rank calls {}", name, making_.collectives[number]));
    making_.program.meetings[number].members.emplace_back(rank_, step);
    return number;
  }

  MpiMaking& making_;
  std::uint32_t rank_;
  std::vector<MpiCall> calls_;
  RankProgram& program_;
  std::int64_t origin_ = 0;
  std::int64_t now_ = 0;
  std::uint32_t met_ = 0;
  std::vector<Receive> receives_;
  std::vector<PendingWait> waits_;
  std::map<std::int64_t, std::size_t> requests_;  // receives that are not complete
  std::map<std::int64_t, std::uint64_t> types_;   // sizes
  std::set<std::int64_t> worlds_;                 // duplicates of MPI_COMM_WORLD
};

Program make_mpi(std::span<const std::string> texts) {
  MpiMaking making;
  making.program.ranks.resize(texts.size());
  making.program.teams.emplace_back();
  std::vector<MpiRankMaker> makers;
  makers.reserve(texts.size());
  for (std::uint32_t rank = 0; rank < texts.size(); ++rank) {
    making.program.teams.front().push_back(rank);
    std::string why;
    auto calls = mpi_calls(texts[rank], &why);
    if (!calls) throw MpiRefusal{fmt::format("rank {} {}", rank, why)};
    makers.emplace_back(making, rank, std::move(*calls));
    makers.back().make();
  }
  if (!making.unknown.empty()) {
    std::string names;
    for (const auto& [name, count] : making.unknown)
      names += fmt::format("{}{} {}", names.empty() ? "" : ", ", count, name);
    throw MpiRefusal{"has calls that cannot be replayed: " + names};
  }
  for (const Meeting& meeting : making.program.meetings) {
    if (meeting.members.size() != texts.size())
      throw MpiRefusal{"has collectives that not all ranks came to; only whole jobs can be replayed"};
  }
  for (MpiRankMaker& maker : makers) maker.match();
  for (MpiRankMaker& maker : makers) maker.note_times();
  std::uint64_t never_received = 0;
  for (const auto& [channel, sent] : making.sent) never_received += sent.messages.size();
  if (never_received != 0)
    making.program.notes.push_back(fmt::format("{} messages are received by no call", never_received));
  return std::move(making.program);
}

/// The number before the extension, behind the last dash.
std::optional<std::uint32_t> rank_in(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t dash = stem.rfind('-');
  if (dash == std::string::npos || path.extension() == ".bin" || path.extension() == ".meta")
    return std::nullopt;
  std::uint32_t rank = 0;
  const char* const end = stem.data() + stem.size();
  const auto [rest, error] = std::from_chars(stem.data() + dash + 1, end, rank);
  if (error != std::errc() || rest != end || rank >= kMostRanks) return std::nullopt;
  return rank;
}

}  // namespace

std::optional<Program> program_of_dumpi(std::span<const std::string> texts, std::string* why) {
  try {
    return make_mpi(texts);
  } catch (const MpiRefusal& refusal) {
    *why = refusal.line;
    return std::nullopt;
  }
}

std::optional<Program> read_dumpi(const std::string& directory, std::string* why) {
  std::map<std::uint32_t, std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (const auto rank = rank_in(entry.path())) files[*rank] = entry.path();
  }
  if (error || files.empty()) {
    *why = "has no texts of MPI traces: names end in -RANK.txt, and dumpi2ascii writes them";
    return std::nullopt;
  }
  if (files.rbegin()->first + 1 != files.size()) {
    std::uint32_t missing = 0;
    while (files.contains(missing)) ++missing;
    *why = fmt::format("lacks the text of rank {}", missing);
    return std::nullopt;
  }
  std::vector<std::string> texts;
  for (const auto& [rank, path] : files) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) {
      *why = fmt::format("has '{}', which cannot be read", path.filename().string());
      return std::nullopt;
    }
    texts.push_back(std::move(text).str());
  }
  return program_of_dumpi(texts, why);
}

}  // namespace aqueduct::replay
