// Memory outside the segment that this rank has lent to other ranks, for their puts and gets. The borrower's
// side, and the protocol, are in remote_memory.hpp.
//
// A loan is a match entry that accepts only the borrower's operations of the agreed kind. The borrower names
// it by its number, in the match bits. This class refuses to lend memory that is not mapped or may not be
// accessed in this way. Lent memory must stay mapped as long as it is used: this class does not notice if the
// program unmaps it, and the next access then ends the job with one line (core/stray_access.hpp).
//
// Threads: any; one lock, not held in calls of Portals.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/spin_lock.hpp"
#include "papers/conduit/portals/control_line.hpp"
#include "papers/conduit/portals/mapped_memory.hpp"

namespace aqueduct::conduit::portals {

class LentMemory final : private ControlHandler {
 public:
  /// Receives requests for loans, and answers them, through `line`.
  LentMemory(InterfaceClient& interface, ControlLine& line);

  /// The rank that has borrowed this address; kNoRank if none has, or while loans are being made or ended.
  /// For signal handlers.
  RankId borrower_of(std::uintptr_t address);

 private:
  struct Loan {
    RankId borrower = kNoRank;  // kNoRank: the number is free
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    ptl_handle_me_t entry = PTL_INVALID_HANDLE;
  };

  void told(RankId sender, const ControlBits& bits, ptl_hdr_data_t data) override;

  /// Lends whole pages. Returns the loan's number, or loan::kNotMapped or loan::kNoRoom.
  std::uint32_t lend(RankId borrower, Access access, std::uintptr_t address, std::size_t bytes);
  /// Ends a loan for the borrower. False: it has no such loan.
  bool take_back(RankId borrower, std::uint32_t number);
  std::uint32_t take_number(RankId borrower);
  void free_number(std::uint32_t number);
  void end_loans();

  InterfaceClient& interface_;
  const ControlLine& line_;
  SpinLock lock_;
  std::vector<Loan> loans_;  // by number
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> ending_;  // taken back, but an answer from them is still leaving
};

}  // namespace aqueduct::conduit::portals
