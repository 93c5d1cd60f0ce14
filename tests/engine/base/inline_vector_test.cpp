// SPDX-License-Identifier: Apache-2.0
#include "engine/base/inline_vector.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "tests/support/random.h"

namespace assay {
namespace {

using List = InlineVector<int, 4>;  // a small one, so that most tests cross from the list to the heap and back
using Model = std::vector<int>;

Model model_of(const List& list) { return {list.begin(), list.end()}; }

// One step of both, the same.
void step(test::Random& random, List& list, Model& model) {
  const auto place = [&] { return random.integer(0, static_cast<std::int64_t>(model.size())); };
  const int value = static_cast<int>(random.integer(-100, 100));
  const auto count = static_cast<std::size_t>(random.integer(0, 5));
  switch (random.integer(0, 11)) {
    case 0:
      list.push_back(value);
      model.push_back(value);
      break;
    case 1: {
      const auto at = place();
      const auto made = list.insert(list.begin() + at, value);
      EXPECT_EQ(made - list.begin(), at);
      model.insert(model.begin() + at, value);
      break;
    }
    case 2: {
      const auto at = place();
      list.insert(list.begin() + at, count, value);
      model.insert(model.begin() + at, count, value);
      break;
    }
    case 3: {
      const auto at = place();
      list.insert(list.begin() + at, {value, 7, 8});
      model.insert(model.begin() + at, {value, 7, 8});
      break;
    }
    case 4: {
      auto first = place();
      auto last = place();
      if (last < first) {
        std::swap(first, last);
      }
      const auto made = list.erase(list.begin() + first, list.begin() + last);
      EXPECT_EQ(made - list.begin(), first);
      model.erase(model.begin() + first, model.begin() + last);
      break;
    }
    case 5:
      list.resize(count, value);
      model.resize(count, value);
      break;
    case 6:
      list.assign(count, value);
      model.assign(count, value);
      break;
    case 7:
      if (!model.empty()) {
        list.pop_back();
        model.pop_back();
      }
      break;
    case 8:
      if (!model.empty()) {  // an element of its own, which moves when the list grows
        list.push_back(list.front());
        list.insert(list.begin(), list.back());
        model.push_back(model.front());
        model.insert(model.begin(), Model(model).back());
      }
      break;
    case 9: {
      const List copy = list;
      List& same = list;
      list = same;
      list = List(copy);
      break;
    }
    case 10:
      list.reserve(count * 3);
      break;
    default: {
      List moved = std::move(list);
      EXPECT_TRUE(list.empty());  // NOLINT(bugprone-use-after-move): stated
      list.push_back(1);
      list = std::move(moved);
      break;
    }
  }
}

TEST(InlineVector, DoesWhatAVectorDoes) {
  test::Random random;
  for (int round = 0; round < 200; ++round) {
    List list;
    Model model;
    for (int i = 0; i < 60; ++i) {
      step(random, list, model);
      ASSERT_EQ(model_of(list), model) << "round " << round << ", step " << i;
      ASSERT_EQ(list.empty(), model.empty());
    }
  }
}

TEST(InlineVector, IsMadeOfWhatAVectorIsMadeOf) {
  EXPECT_EQ(model_of(List()), Model());
  EXPECT_EQ(model_of(List(3, 9)), Model(3, 9));
  EXPECT_EQ(model_of(List{1, 2}), (Model{1, 2}));
  const Model many = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(model_of(List(many)), many);
  EXPECT_EQ(model_of(List(many.begin() + 1, many.end())), Model(many.begin() + 1, many.end()));
  const List list(many);
  EXPECT_EQ(Model(list.rbegin(), list.rend()), Model(many.rbegin(), many.rend()));
  EXPECT_EQ(list.front(), 1);
  EXPECT_EQ(list.back(), 6);
}

TEST(InlineVector, IsComparedElementByElement) {
  const std::vector<Model> models = {{}, {1}, {1, 2}, {1, 2, 3, 4, 5}, {1, 3}, {2}, {2, 0, 0, 0, 0, 0}};
  for (const Model& a : models) {
    for (const Model& b : models) {
      EXPECT_EQ(List(a) == List(b), a == b);
      EXPECT_EQ(List(a) < List(b), a < b);
    }
  }
}

TEST(InlineVector, LiesInItselfUpToItsNumberOfElements) {
  const auto lies_inside = [](const List& list) {
    const auto* begin = reinterpret_cast<const char*>(&list);
    const auto* data = reinterpret_cast<const char*>(list.data());
    return data >= begin && data < begin + sizeof(list);
  };
  EXPECT_TRUE(lies_inside(List(4, 0)));
  EXPECT_FALSE(lies_inside(List(5, 0)));
  const List copy = List(4, 0);
  EXPECT_TRUE(lies_inside(copy));
}

}  // namespace
}  // namespace assay
