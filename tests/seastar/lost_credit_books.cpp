#include "core/rank.hpp"
#include "lost_credit.h"
#include "papers/conduit/portals/portals_conduit.hpp"
#include "papers/scenarios/credit_books.hpp"

namespace {

using namespace aqueduct;

scenarios::CreditBooks books;  // of all ranks
bool is_open = false;

}  // namespace

void join_books(unsigned ranks) {
  if (!is_open) books.open(ranks);
  is_open = true;
  books.join();
}

void meet_and_audit() { books.meet(); }

void make_a_credit_of(unsigned peer) {
  const auto& conduit = static_cast<const conduit::portals::PortalsConduit&>(core::process_rank()->conduit());
  const_cast<parts::Credits&>(conduit.credits()).on_reply(peer, {false, 1, 0});
}
