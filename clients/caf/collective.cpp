#include "clients/caf/collective.hpp"

#include <gasnet_coll.h>

#include <cstring>

#include "clients/caf/element_operations.hpp"
#include "clients/caf/job.hpp"
#include "clients/caf/meeting.hpp"
#include "clients/caf/section.hpp"
#include "clients/caf/small_broadcast.hpp"
#include "clients/caf/transfer.hpp"

namespace aqueduct::caf {
namespace {

/// The array as contiguous memory: its own, or a packed copy that store() writes back. gfortran describes
/// allocatable components that it broadcasts without a span, and everything else with that of an element.
class Packed {
 public:
  explicit Packed(const Descriptor& array)
      : section_(section_without_span(array)),
        array_(static_cast<char*>(array.base)),
        memory_(array_ + section_.first) {
    if (section_.is_contiguous() || section_.count == 0) return;
    memory_ = scratch_.take(section_.total_bytes());
    gather(memory_, array_, section_);
    is_copy_ = true;
  }
  char* memory() const { return memory_; }
  std::size_t count() const { return section_.count; }
  std::size_t element_bytes() const { return section_.type.bytes; }
  std::size_t bytes() const { return section_.total_bytes(); }
  void store() {
    if (is_copy_) scatter(array_, section_, memory_);
  }

 private:
  Section section_;
  char* array_;
  char* memory_;
  Scratch scratch_;
  bool is_copy_ = false;
};

/// What every collective begins with: an image that has departed takes part in none.
bool begin(const Outcome& outcome, const char* statement) {
  TeamProgress& progress = *job.team->progress;
  __atomic_store_n(&progress.collectives, progress.collectives + 1, __ATOMIC_RELEASE);
  if (!departures()) return true;
  const Absence absence = find_absence(*job.team, &TeamProgress::collectives, progress.collectives);
  if (!absence) return true;
  report(absence, outcome, statement);
  return false;
}

/// Waits for the collective; false if an image will not take part or has failed.
bool wait_for(gex_Event_t event, const Outcome& outcome, const char* statement) {
  Absence absence =
      wait_for_all(*job.team, event, &TeamProgress::collectives, job.team->progress->collectives, statement);
  // What was over because of a death has no result, and does not say so.
  if (!absence && job.reports_failures) absence = meet(*job.team, statement);
  if (!absence) return true;
  report(absence, outcome, statement);
  return false;
}

bool is_image(int image, const Outcome& outcome, const char* statement) {
  if (job.team->has(image)) return true;
  outcome.fail(kNoSuchImage, statement, "there is no image %d in a team of %d", image, job.team->size);
  return false;
}

void reduce(const Descriptor& array, const ElementOperation& operation, int result_image,
            const Outcome& outcome, const char* statement) {
  if (result_image != 0 && !is_image(result_image, outcome, statement)) return;
  if (!begin(outcome, statement)) return;
  Packed packed(array);
  char* const data = packed.memory();
  const gex_TM_t tm = job.team->tm;
  const bool is_builtin = operation.type != GEX_DT_USER;
  const std::size_t count = packed.count() * operation.parts;
  const std::size_t bytes = packed.element_bytes() / operation.parts;
  const gex_OP_t op = is_builtin ? operation.op : GEX_OP_USER;
  if (count == 0) return outcome.succeed();
  if (result_image == 0) {
    if (!wait_for(gex_Coll_ReduceToAllNB(tm, data, data, operation.type, bytes, count, op, operation.function,
                                         operation.context, 0),
                  outcome, statement))
      return;
    packed.store();
  } else {
    const auto root = static_cast<gex_Rank_t>(result_image - 1);
    const bool is_root = result_image == job.team->me;
    if (!wait_for(gex_Coll_ReduceToOneNB(tm, root, data, data, operation.type, bytes, count, op,
                                         operation.function, operation.context, 0),
                  outcome, statement))
      return;
    if (is_root) packed.store();
  }
  outcome.succeed();
}

}  // namespace

void co_broadcast(const Descriptor& array, int source_image, const Outcome& outcome) {
  constexpr const char* kStatement = "CO_BROADCAST";
  if (!is_image(source_image, outcome, kStatement)) return;
  if (!begin(outcome, kStatement)) return;
  Packed packed(array);
  if (packed.bytes() > 0 && is_small_broadcast(*job.team, packed.bytes())) {
    if (!broadcast_small(*job.team, source_image, packed.memory(), packed.bytes()))
      return report(find_absence(*job.team, &TeamProgress::collectives, job.team->progress->collectives),
                    outcome, kStatement);
    if (source_image != job.team->me) packed.store();
  } else if (packed.bytes() > 0) {
    const gex_Event_t event = gex_Coll_BroadcastNB(job.team->tm, static_cast<gex_Rank_t>(source_image - 1),
                                                   packed.memory(), packed.memory(), packed.bytes(), 0);
    if (!wait_for(event, outcome, kStatement)) return;
    if (source_image != job.team->me) packed.store();
  }
  outcome.succeed();
}

void co_reduction(Reduction reduction, const Descriptor& array, int result_image, const Outcome& outcome) {
  constexpr const char* kStatements[] = {"CO_SUM", "CO_MIN", "CO_MAX"};
  const char* const statement = kStatements[static_cast<int>(reduction)];
  ElementOperation operation;
  if (!find_operation(reduction, array, operation))
    return outcome.fail(kBadArgument, statement, "elements of type %d of %zu bytes",
                        static_cast<int>(array.dtype.type), array.dtype.element_bytes);
  reduce(array, operation, result_image, outcome, statement);
}

void co_reduce(const UserOperation& operation, const Descriptor& array, int result_image,
               const Outcome& outcome) {
  UserContext context{operation, array.dtype.element_bytes, array.dtype.type, nullptr};
  if (!prepare(context))
    return outcome.fail(kBadArgument, "CO_REDUCE",
                        "a function of elements of type %d of %zu bytes cannot be called",
                        static_cast<int>(array.dtype.type), array.dtype.element_bytes);
  reduce(array, operation_of(context), result_image, outcome, "CO_REDUCE");
}

}  // namespace aqueduct::caf
