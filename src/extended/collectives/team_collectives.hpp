// The collectives of one team in flight: their programs, the messages between them, and their progress.
//
// Collectives of a team are numbered in the order in which they are started, which is the same on all
// members, and found by that number when a message comes. Several run at once, each at its own pace.
//
// Messages, all of them requests without a reply:
//   data  (team, number, tag, offset) + payload   a piece of what a reception waits for; pieces of one
//         message may overtake each other. Medium, or Long where the receiver granted a place in its segment.
//   grant (team, number, tag, receiver, address)  a large message may be sent; the receiver has started.
//   check (team, number, receiver's arguments)    debug clients only, see agreement.hpp
//
// Large messages wait for their grant, and a rank grants all it expects when it starts a collective, whatever
// step it is at; so waiting for grants cannot go round in a circle. Handlers copy data to its place or keep
// what is early, and never send; programs are advanced by poll() (a deferred task) and when a collective is
// started.
//
// Nearly all collectives of neighbours go through shared memory instead (boards.hpp) and have no number here,
// unless they are checked.
//
// Threads: any thread may start a collective, one at a time per team, as the specification has it; handlers
// and progress run on any thread. One short lock guards the numbers and the early mail; nothing is sent and
// no function of the client runs while it is held. Not in handlers.
//
// A member that dies: the job layer ends the job. Where it goes on instead (AQUEDUCT_ON_FAILURE=report),
// collectives of neighbours go by messages, too, and those of a team with a dead member are over at once,
// whatever has come of them.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "base/spin_lock.hpp"
#include "core/rank.hpp"
#include "extended/collectives/boards.hpp"
#include "extended/collectives/early_mail.hpp"
#include "extended/collectives/plan.hpp"
#include "extended/extended.hpp"

namespace aqueduct::extended::collectives {

/// One collective on its way.
struct Collective {
  Program program;
  Request request;
  std::uint32_t number = 0;
  Pending* pending = nullptr;  // counted down when it is complete
  std::size_t step = 0;        // of the program: the next to execute
  std::size_t sent_bytes = 0;  // of the sending that the step names
  std::size_t granted = 0;     // receptions whose grants have been sent, or that need none
  bool said = true;            // the next member has been told our arguments, if anybody checks them
  bool heard = true;           // the member before has told us its own
  Collective* next = nullptr;
};

class TeamCollectives final : public core::TeamExtension, private DeferredTask {
 public:
  /// `hosts` of all ranks of the job. `board_place`: see boards.hpp.
  TeamCollectives(core::Rank& rank, DeferredTasks& deferred_tasks, const core::Team& team, const Hosts& hosts,
                  unsigned board_place);
  ~TeamCollectives() override;

  static void register_handlers(core::HandlerTable& handlers);

  /// Starts a collective. Null if this member's part is already complete; else what stands for it, of the
  /// thread's pool, for the caller to give back.
  Operation* start(core::Thread& thread, const Request& request);
  /// In debug clients only: compares a call that is carried out elsewhere with what the other members call.
  void check(core::Thread& thread, const char* where, Kind kind);
  /// Waits until no check is on its way to this member or from it.
  void settle(core::Thread& thread);
  unsigned board_place() const { return board_place_; }

 private:
  static constexpr std::size_t kFirstWindow = 16;
  static constexpr std::int32_t kMostAhead = 1 << 24;  // collectives that another rank may have started

  // What is known of one number: a collective that has been started here, or mail for one that has not.
  struct Slot {
    Collective* running = nullptr;
    Piece* early = nullptr;
  };

  bool is_broken() const { return rank_.failures() && rank_.failures()->breaks(team_); }
  void start_program(core::Thread& thread, const Request& request, bool only_checks, Pending& pending);
  static TeamCollectives& of(gex_Token_t token, gex_AM_Arg_t team_id);
  static void on_data(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t team_id,
                      gex_AM_Arg_t number, gex_AM_Arg_t tag, gex_AM_Arg_t offset_low,
                      gex_AM_Arg_t offset_high);
  static void on_grant(gex_Token_t token, gex_AM_Arg_t team_id, gex_AM_Arg_t number, gex_AM_Arg_t tag,
                       gex_AM_Arg_t receiver, gex_AM_Arg_t address_low, gex_AM_Arg_t address_high);
  static void on_check(gex_Token_t token, void* payload, std::size_t bytes, gex_AM_Arg_t team_id,
                       gex_AM_Arg_t number, gex_AM_Arg_t sender);

  void accept(std::uint32_t number, const Piece& head, const void* payload);
  void deliver(Collective& collective, const Piece& head, const void* payload);
  // A message that fits nothing here: members were called with different things. Where calls are checked, the
  // check that finds it is on its way, and says more.
  void refuse(std::uint32_t number) const;

  Slot& slot(std::uint32_t number);
  void forget(Collective& collective);
  Collective* take_free();

  Advance advance(core::Thread& thread) override;
  bool run(core::Thread& thread, Collective& collective);
  bool has_been_checked(core::Thread& thread, Collective& collective);
  bool send_grants(core::Thread& thread, Collective& collective);
  bool run_sending(core::Thread& thread, Collective& collective, Sending& sending);

  core::Rank& rank_;
  DeferredTasks& deferred_tasks_;
  const core::Team& team_;
  Layout layout_;
  Edges edges_;
  const unsigned board_place_;
  const std::unique_ptr<Boards> boards_;
  std::uint64_t completed_on_boards_ = 0;  // when last looked at
  Pending unattended_{0};                  // collectives that nobody waits for

  SpinLock lock_;
  std::uint32_t next_number_ = 0;
  std::uint32_t oldest_ = 0;  // no collective before this one is running here
  std::vector<Slot> window_;  // by number, modulo its size, which is 0 or a power of two
  EarlyMail mail_;
  Collective* free_ = nullptr;
  Collective* fresh_ = nullptr;  // started, but not yet in running_; newest first
  std::vector<std::unique_ptr<Collective>> all_;

  std::atomic<bool> advancing_{false};  // whoever sets it owns running_
  std::vector<Collective*> running_;
};

/// The collectives of a team that has been made.
inline TeamCollectives& collectives_of(core::Team& team) {
  return static_cast<TeamCollectives&>(*ops(team).collectives);
}

}  // namespace aqueduct::extended::collectives
