// Every cost of the Aries by arithmetic: a change of one of them moves an operation by as often as the
// operation pays it, and nothing else. The table is the way of a post as docs/ugni.md has it, in numbers.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/units.hpp"
#include "stage.hpp"

namespace aqueduct::ugni::aries::test {
namespace {

constexpr double kChangeNs = 100;
constexpr double kExact = 0.5;  // nanoseconds

/// What one process does and how long that takes it, in nanoseconds, or the other until it knows.
struct Operation {
  const char* name;
  double (*ns)(const std::vector<std::string>& changes);
};

/// How often an operation pays a cost.
struct Row {
  Operation operation;
  const char* cost;  ///< as an override has it
  double times;
};

/// From `main` of process 0 to its end.
double at_source(const std::vector<std::string>& changes, const std::function<void(Party&)>& main) {
  Stage stage({.changes = changes});
  sim::Time begin = 0, end = 0;
  stage.start(0, [&](Party& party) {
    begin = stage.now();
    main(party);
    end = stage.now();
  });
  stage.start(1, [](Party&) {});
  stage.run();
  return static_cast<double>(end - begin) / sim::kNanosecond;
}

/// From the post of process 0 to the REMOTE event at process 1.
double to_target(const std::vector<std::string>& changes, gni_post_type_t type, std::size_t bytes) {
  Stage stage({.changes = changes});
  sim::Time begin = 0, end = 0;
  stage.start(0, [&](Party& party) {
    begin = stage.now();
    gni_post_descriptor_t post = party.post(type, 1, bytes, GNI_CQMODE_REMOTE_EVENT);
    post.dlvr_mode = GNI_DLVMODE_IN_ORDER;  // by one route, whatever the links cost
    party.start(post, 1);
  });
  stage.start(1, [&](Party& party) {
    party.wait(party.target);
    end = stage.now();
  });
  stage.run();
  return static_cast<double>(end - begin) / sim::kNanosecond;
}

double until_event(const std::vector<std::string>& changes, gni_post_type_t type, std::size_t bytes,
                   std::uint16_t event) {
  return at_source(changes, [&](Party& party) {
    gni_post_descriptor_t post = party.post(type, 1, bytes, event);
    post.dlvr_mode = GNI_DLVMODE_IN_ORDER;
    post.amo_cmd = GNI_FMA_ATOMIC_FADD;
    party.start(post, 1);
    party.wait_completed();
  });
}

const Operation kFmaPut{"FmaPut", [](const std::vector<std::string>& changes) {
                          return to_target(changes, GNI_POST_FMA_PUT, 64);
                        }};
const Operation kRdmaPut{"RdmaPut", [](const std::vector<std::string>& changes) {
                           return to_target(changes, GNI_POST_RDMA_PUT, 1024);
                         }};
const Operation kCqWrite{"CqWrite", [](const std::vector<std::string>& changes) {
                           return to_target(changes, GNI_POST_CQWRITE, 0);
                         }};
const Operation kGlobal{"FmaPutUntilGlobal", [](const std::vector<std::string>& changes) {
                          return until_event(changes, GNI_POST_FMA_PUT, 64, GNI_CQMODE_GLOBAL_EVENT);
                        }};
const Operation kRdmaLocal{"RdmaPutUntilLocal", [](const std::vector<std::string>& changes) {
                             return until_event(changes, GNI_POST_RDMA_PUT, 1024, GNI_CQMODE_LOCAL_EVENT);
                           }};
const Operation kRdmaGlobal{"RdmaPutUntilGlobal", [](const std::vector<std::string>& changes) {
                              return until_event(changes, GNI_POST_RDMA_PUT, 1024, GNI_CQMODE_GLOBAL_EVENT);
                            }};
const Operation kGet{"FmaGet", [](const std::vector<std::string>& changes) {
                       return until_event(changes, GNI_POST_FMA_GET, 64, GNI_CQMODE_GLOBAL_EVENT);
                     }};
const Operation kAmo{"Amo", [](const std::vector<std::string>& changes) {
                       return until_event(changes, GNI_POST_AMO, 8, GNI_CQMODE_GLOBAL_EVENT);
                     }};
const Operation kRegister{"RegistrationOf1MiB", [](const std::vector<std::string>& changes) {
                            return at_source(changes, [](Party& party) {
                              gni_mem_handle_t memory;
                              const auto address = reinterpret_cast<std::uint64_t>(party.local.data());
                              EXPECT_EQ(GNI_MemRegister(party.nic, address, Party::kWindowBytes, nullptr,
                                                        GNI_MEM_READWRITE, ~0u, &memory),
                                        GNI_RC_SUCCESS);
                              EXPECT_EQ(GNI_MemDeregister(party.nic, &memory), GNI_RC_SUCCESS);
                            });
                          }};
const Operation kLook{"LookAtAnEmptyQueue", [](const std::vector<std::string>& changes) {
                        return at_source(changes, [](Party& party) {
                          gni_cq_entry_t entry;
                          EXPECT_EQ(GNI_CqGetEvent(party.source, &entry), GNI_RC_NOT_DONE);
                        });
                      }};
const Operation kSetEventData{"SetEventData", [](const std::vector<std::string>& changes) {
                                return at_source(changes, [](Party& party) {
                                  EXPECT_EQ(GNI_EpSetEventData(party.to[1], 1, 2), GNI_RC_SUCCESS);
                                });
                              }};
const Operation kSmsg{"CallToSendAShortMessage", [](const std::vector<std::string>& changes) {
                        return at_source(changes, [](Party& party) {
                          // There is no mailbox, which is found after the call was paid.
                          char data[32]{};
                          EXPECT_EQ(GNI_SmsgSend(party.to[1], data, 8, data, 24, 0), GNI_RC_INVALID_PARAM);
                        });
                      }};
const Operation kDatagram{"CallToPostADatagram", [](const std::vector<std::string>& changes) {
                            return at_source(changes, [](Party& party) {
                              char data[8]{};
                              EXPECT_EQ(GNI_EpPostData(party.to[1], data, 8, data, 8), GNI_RC_SUCCESS);
                            });
                          }};

const Row kRows[] = {
    // One way: the target's interface works by itself, and its process looks once more when the event is
    // there.
    {kFmaPut, "costs.call_fma", 1},
    {kFmaPut, "costs.call_fma.each", 64},
    {kFmaPut, "nic.crossing", 2},
    {kFmaPut, "costs.send_fma", 1},
    {kFmaPut, "injection.per_message", 1},
    {kFmaPut, "link.hop", 1},
    {kFmaPut, "costs.take_request", 1},
    {kFmaPut, "costs.call_event", 1},
    {kFmaPut, "costs.send_response", 0},
    {kFmaPut, "costs.take_response", 0},
    {kFmaPut, "costs.send_bte", 0},
    {kFmaPut, "costs.take_amo", 0},
    {kFmaPut, "costs.call_rdma", 0},
    {kFmaPut, "costs.call_completed", 0},
    {kRdmaPut, "costs.call_rdma", 1},
    {kRdmaPut, "nic.crossing", 2},
    {kRdmaPut, "costs.send_bte", 1},
    {kRdmaPut, "costs.send_fma", 0},
    {kRdmaPut, "costs.call_fma", 0},
    {kRdmaPut, "link.hop", 1},
    {kCqWrite, "costs.call_fma", 1},
    {kCqWrite, "costs.call_fma.each", 0},
    {kCqWrite, "nic.crossing", 2},
    {kCqWrite, "costs.take_request", 1},
    // There and back.
    {kGlobal, "costs.call_fma", 1},
    {kGlobal, "nic.crossing", 3},
    {kGlobal, "costs.send_fma", 1},
    {kGlobal, "costs.take_request", 1},
    {kGlobal, "costs.send_response", 1},
    {kGlobal, "costs.take_response", 1},
    {kGlobal, "injection.per_message", 2},
    {kGlobal, "link.hop", 2},
    {kGlobal, "costs.call_event", 1},
    {kGlobal, "costs.call_completed", 1},
    // The buffer is free before anything has arrived.
    {kRdmaLocal, "costs.call_rdma", 1},
    {kRdmaLocal, "nic.crossing", 2},
    {kRdmaLocal, "costs.send_bte", 1},
    {kRdmaLocal, "link.hop", 0},
    {kRdmaLocal, "costs.take_request", 0},
    {kRdmaLocal, "costs.take_response", 0},
    {kRdmaGlobal, "nic.crossing", 3},
    {kRdmaGlobal, "costs.take_response", 1},
    {kRdmaGlobal, "link.hop", 2},
    // Memory at the target is read across its bus.
    {kGet, "costs.call_fma", 1},
    {kGet, "costs.call_fma.each", 0},
    {kGet, "nic.crossing", 4},
    {kGet, "costs.take_request", 1},
    {kGet, "costs.send_response", 1},
    {kGet, "costs.take_response", 1},
    {kAmo, "nic.crossing", 3},
    {kAmo, "costs.take_amo", 1},
    {kAmo, "costs.take_request", 0},
    {kAmo, "costs.send_response", 1},
    // Calls by themselves.
    {kRegister, "costs.register", 1},
    {kRegister, "costs.register.each", 256},
    {kRegister, "costs.deregister", 1},
    {kLook, "costs.call_event", 1},
    {kLook, "costs.call_other", 0},
    {kSetEventData, "costs.call_other", 1},
    {kSmsg, "costs.call_message", 1},
    {kSmsg, "costs.call_message.each", 32},
    {kDatagram, "costs.call_datagram", 1},
};

/// The number, or the variable part of it, and a hundred nanoseconds.
std::string dearer(const std::string& cost) {
  const bool is_each = cost.ends_with(".each");
  const std::string name = is_each ? cost.substr(0, cost.size() - 5) : cost;
  const sim::NetworkModel model = network();
  for (const sim::Number& number : model.numbers()) {
    if (number.name != name) continue;
    const std::uint64_t before = is_each ? number.fs_per_byte / 1000 : number.value;
    return cost + "=" + std::to_string(before + static_cast<std::uint64_t>(kChangeNs) * sim::kNanosecond) +
           "ps";
  }
  ADD_FAILURE() << "there is no number " << name;
  return "";
}

class AriesCosts : public ::testing::TestWithParam<Row> {};

TEST_P(AriesCosts, MoveAnOperationByAsOftenAsItPaysThem) {
  const Row& row = GetParam();
  std::vector<std::string> changes{"nic.page_bytes=4KiB"};
  const double before = row.operation.ns(changes);
  changes.push_back(dearer(row.cost));
  EXPECT_NEAR(row.operation.ns(changes) - before, row.times * kChangeNs, kExact)
      << row.cost << " in " << row.operation.name;
}

INSTANTIATE_TEST_SUITE_P(Of, AriesCosts, ::testing::ValuesIn(kRows), [](const auto& row) {
  std::string name = std::string(row.param.operation.name) + "_" + row.param.cost;
  std::ranges::replace(name, '.', '_');
  return name;
});

/// Every number of the file that the Aries charges is in the table.
TEST(AriesCostTable, NamesEveryCostOfTheInterface) {
  const sim::NetworkModel model = network();
  for (const sim::Cost& cost : model.costs()) {
    // Of software above the interface.
    if (cost.name.starts_with("neighbour_") || cost.name.starts_with("am_") || cost.name == "copy") continue;
    const bool is_there = std::ranges::any_of(
        kRows, [&](const Row& row) { return std::string(row.cost).starts_with("costs." + cost.name); });
    EXPECT_TRUE(is_there) << cost.name;
  }
}

}  // namespace
}  // namespace aqueduct::ugni::aries::test
