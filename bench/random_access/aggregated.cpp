// RandomAccess with updates collected by destination, within the look-ahead rule.
//
// An update joins the collection of the rank that has its word, even if that is this rank, because an
// unpredictable branch would cost more. When a rank holds as many updates as the rules allow, it sends the
// oldest collection as one medium request, or applies it if it is its own. All collections grow at the same
// rate, so the oldest one is about twice as long as the average, and finding it takes no search. So a message
// carries about 2 * 992 / ranks updates. A full collection is sent earlier.
//
// A rank never holds more than the rules allow: what is sent is copied into the message, and the next update
// is made only after that.
#include <algorithm>
#include <utility>

#include "version.hpp"

namespace aqueduct::bench::random_access {
namespace {

class Aggregated final : public Version {
 public:
  explicit Aggregated(const Job& job)
      : Version(job),
        most_begun_(std::min(job.size, look_ahead_.room())),
        capacity_(capacity_for(job.team, look_ahead_.room(), most_begun_)),
        places_(job.size, kNone),
        owners_(most_begun_),
        counts_(most_begun_),
        values_(std::size_t{most_begun_} * capacity_) {}

  void make_updates() override {
    for_each_update([this](std::uint64_t value, gex_Rank_t owner) { collect(value, owner); });
    while (begun_ != 0) end_oldest();
  }

  void poll() override { gasnet_AMPoll(); }

 private:
  static constexpr std::uint16_t kNone = 0xffff;

  /// The size of one collection: four times its share of the held updates, which it rarely exceeds, and at
  /// most a message.
  static unsigned capacity_for(gex_TM_t team, unsigned room, unsigned collections) {
    const std::size_t of_medium =
        gex_AM_MaxRequestMedium(team, GEX_RANK_INVALID, GEX_EVENT_NOW, 0, 0) / sizeof(std::uint64_t);
    return static_cast<unsigned>(std::min<std::size_t>({room, 4 * room / collections, of_medium}));
  }

  void collect(std::uint64_t value, gex_Rank_t owner) {
    if (look_ahead_.is_full()) [[unlikely]]
      make_room();
    std::uint16_t place = places_[owner];
    if (place == kNone) [[unlikely]]
      place = begin(owner);
    unsigned& count = counts_[place];
    values_[std::size_t{place} * capacity_ + count] = value;
    look_ahead_.hold();
    if (++count == capacity_) [[unlikely]]
      send(place);
  }

  std::uint16_t begin(gex_Rank_t owner) {
    if (begun_ == most_begun_) end_oldest();
    const auto place = static_cast<std::uint16_t>((oldest_ + begun_++) % most_begun_);
    owners_[place] = owner;
    return places_[owner] = place;
  }

  /// The oldest collection may be empty, if it was sent early.
  void make_room() {
    while (look_ahead_.is_full()) end_oldest();
  }

  void end_oldest() {
    const auto place = static_cast<std::uint16_t>(oldest_);
    oldest_ = (oldest_ + 1) % most_begun_;
    --begun_;
    places_[owners_[place]] = kNone;
    send(place);
  }

  void send(std::uint16_t place) {
    const unsigned count = std::exchange(counts_[place], 0);
    if (count == 0) return;
    look_ahead_.release(count);
    std::uint64_t* const values = &values_[std::size_t{place} * capacity_];
    if (owners_[place] == job_.rank) {
      job_.share->table.update_all(values, count);
    } else {
      gex_AM_RequestMedium0(job_.team, owners_[place], kUpdatesHandler, values, count * sizeof *values,
                            GEX_EVENT_NOW, 0);
      sent_ += count;
    }
  }

  // Collections are places of a ring, from the oldest on, in the order in which they were begun.
  unsigned most_begun_;
  unsigned capacity_;
  unsigned oldest_ = 0;
  unsigned begun_ = 0;
  std::vector<std::uint16_t> places_;  // by rank
  std::vector<gex_Rank_t> owners_;     // by place
  std::vector<unsigned> counts_;
  std::vector<std::uint64_t> values_;
};

}  // namespace

std::unique_ptr<Version> make_aggregated(const Job& job) { return std::make_unique<Aggregated>(job); }

}  // namespace aqueduct::bench::random_access
