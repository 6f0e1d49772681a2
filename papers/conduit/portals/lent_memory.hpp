// Memory outside our segment that we have lent to other ranks, for their puts and gets. The borrower's side,
// and the protocol, are in remote_memory.hpp.
//
// A loan is a match entry of its own, which takes only the borrower's operations and only those that it was
// made for. Its number, in the match bits, is what the borrower names it by. Lending memory that is not
// mapped, or may not be accessed like that, is refused. What is lent must stay mapped until the job ends or
// it is not used any more: nobody tells us when the program unmaps it, and the next access then ends the job
// with one line (core/stray_access.hpp).
//
// Threads: any; one lock, not held in calls of Portals.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/mapped_memory.hpp"
#include "base/spin_lock.hpp"
#include "papers/conduit/portals/control_line.hpp"

namespace aqueduct::conduit::portals {

class LentMemory final : private ControlHandler {
 public:
  /// Hears of those who want to borrow, and answers them, by `line`.
  LentMemory(InterfaceClient& interface, ControlLine& line);

  /// Who has borrowed this address; kNoRank if nobody has, or if we are just making or ending loans. For
  /// signal handlers.
  RankId borrower_of(std::uintptr_t address);

 private:
  struct Loan {
    RankId borrower = kNoRank;  // kNoRank: the number is free
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    ptl_handle_me_t entry = PTL_INVALID_HANDLE;
  };

  void told(RankId sender, const ControlBits& bits, ptl_hdr_data_t data) override;

  /// Lends whole pages. A number, or why not: loan::kNotMapped, loan::kNoRoom.
  std::uint32_t lend(RankId borrower, Access access, std::uintptr_t address, std::size_t bytes);
  /// The borrower needs it no more. False: it has no such loan.
  bool take_back(RankId borrower, std::uint32_t number);
  std::uint32_t take_number(RankId borrower);
  void free_number(std::uint32_t number);
  void end_loans();

  InterfaceClient& interface_;
  const ControlLine& line_;
  SpinLock lock_;
  std::vector<Loan> loans_;  // by number
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> ending_;  // taken back, while an answer from them is still on its way out
};

}  // namespace aqueduct::conduit::portals
