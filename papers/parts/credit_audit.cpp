#include "papers/parts/credit_audit.hpp"

namespace aqueduct::parts {
namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string audit_loan(RankId lender, const Credits& lent_by, RankId holder, const Credits& held_by) {
  const unsigned lent = lent_by.loaned(holder), held = held_by.held(lender);
  const std::string who = "rank " + number(holder);
  if (lent != held) {
    return who + " holds " + number(held) + " credits of rank " + number(lender) + ", which has lent it " +
           number(lent);
  }
  if (held_by.in_use(lender) != 0) {
    return who + " has " + number(held_by.in_use(lender)) + " credits of rank " + number(lender) +
           " in use, and nothing is under way";
  }
  if (lent < lent_by.settings().least) {
    return who + " is left with " + number(lent) + " credits of rank " + number(lender) +
           ", too few for the largest message";
  }
  return "";
}

}  // namespace

std::string audit_credits(std::span<const Credits* const> ranks) {
  for (RankId lender = 0; lender < ranks.size(); ++lender) {
    const Credits& books = *ranks[lender];
    std::uint64_t lent = 0;
    for (RankId holder = 0; holder < ranks.size(); ++holder) {
      if (holder == lender) continue;
      lent += books.loaned(holder);
      std::string wrong = audit_loan(lender, books, holder, *ranks[holder]);
      if (!wrong.empty()) return wrong;
    }
    if (lent + books.banked() != books.total()) {
      return "rank " + number(lender) + " has lent " + number(lent) + " credits and banks " +
             number(books.banked()) + ", of " + number(books.total());
    }
  }
  return "";
}

}  // namespace aqueduct::parts
