// Handler tables that share their entries show each owner what it has registered itself.
#include <gtest/gtest.h>

#include <deque>

#include "core/handlers.hpp"

namespace aqueduct::core {
namespace {

void nothing() {}

gex_AM_Entry_t entry_of(gex_AM_Index_t index, unsigned nargs, const void* data = nullptr) {
  return {index, &nothing, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, nargs, data, "test"};
}

void add(HandlerTable& table, gex_AM_Entry_t entry) {
  std::string reason;
  ASSERT_EQ(table.add(&entry, 1, &reason), GASNET_OK) << reason;
}

TEST(SharedHandlers, TheSameHistoryIsTheSameMemory) {
  HandlerTable one(true), other(true);
  for (HandlerTable* table : {&one, &other}) {
    add(*table, entry_of(200, 2));
    add(*table, entry_of(201, 3));
  }
  EXPECT_EQ(&one[200], &other[200]);
  EXPECT_EQ(one[201].client.gex_nargs, 3u);
}

TEST(SharedHandlers, WhatOneRegistersNoOtherSees) {
  HandlerTable one(true), other(true);
  add(one, entry_of(200, 2));
  add(other, entry_of(200, 2));
  const HandlerTable::Entry& before = other[200];
  add(other, entry_of(210, 1));
  EXPECT_EQ(one[210].client.gex_fnptr, nullptr);
  EXPECT_EQ(other[210].client.gex_nargs, 1u);
  EXPECT_EQ(before.client.gex_nargs, 2u) << "who holds an entry keeps it";
  gex_AM_Entry_t again = entry_of(200, 4);
  std::string reason;
  EXPECT_EQ(other.add(&again, 1, &reason), GASNET_ERR_BAD_ARG) << "taken in its own history";
}

// Each rank of a program may register its own data with the same handler.
TEST(SharedHandlers, ManyThatDifferHaveTheirOwn) {
  std::deque<HandlerTable> tables;
  int data[100];
  for (int& each : data) {
    tables.emplace_back(true);
    add(tables.back(), entry_of(200, 2, &each));
    add(tables.back(), entry_of(220, 1));
  }
  for (std::size_t i = 0; i < tables.size(); ++i) {
    EXPECT_EQ(tables[i][200].client.gex_cdata, &data[i]);
    EXPECT_EQ(tables[i][220].client.gex_nargs, 1u);
  }
}

}  // namespace
}  // namespace aqueduct::core
