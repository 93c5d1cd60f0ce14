// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/json_reader.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace assay::spec {
namespace {

// Finding a key given twice takes time in proportion to the keys before it.
constexpr std::size_t kMostKeys = 256;

// Builds the value; every function gives false to end the reading. What is in an open list or object waits on a stack
// until its end is read: a container that grows would copy its members, whose keys cannot be moved.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::size_t max_depth) : max_depth_(max_depth) {}

  Json take() { return std::move(values_.front()); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    (void)text;
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override {
    (void)value;
    return false;
  }
  bool start_object(std::size_t size) override {
    (void)size;
    return open();
  }
  bool start_array(std::size_t size) override {
    (void)size;
    return open();
  }
  bool end_object() override {
    const Open begin = close();
    Json::object_t object;
    object.reserve(keys_.size() - begin.keys);
    for (std::size_t i = begin.keys; i < keys_.size(); ++i) {
      object.emplace_back(std::move(keys_[i]), std::move(values_[begin.values + (i - begin.keys)]));
    }
    keys_.resize(begin.keys);
    values_.resize(begin.values);
    return add(std::move(object));
  }
  bool end_array() override {
    const Open begin = close();
    const auto first = values_.begin() + static_cast<std::ptrdiff_t>(begin.values);
    Json::array_t array(std::make_move_iterator(first), std::make_move_iterator(values_.end()));
    values_.resize(begin.values);
    return add(std::move(array));
  }
  bool key(string_t& name) override {
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(open_.back().keys);
    if (static_cast<std::size_t>(keys_.end() - first) >= kMostKeys ||
        std::find(first, keys_.end(), name) != keys_.end()) {
      return false;
    }
    keys_.push_back(std::move(name));
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    (void)position;
    (void)token;
    (void)error;
    return false;
  }

 private:
  // How much was on the stacks where a list or object begins.
  struct Open {
    std::size_t values = 0;
    std::size_t keys = 0;
  };

  template <typename Value>
  bool add(Value&& value) {
    values_.emplace_back(std::forward<Value>(value));
    return true;
  }
  bool open() {
    if (open_.size() >= max_depth_) {
      return false;
    }
    open_.push_back({values_.size(), keys_.size()});
    return true;
  }
  Open close() {
    const Open begin = open_.back();
    open_.pop_back();
    return begin;
  }

  std::size_t max_depth_;
  std::vector<Json> values_;
  std::vector<std::string> keys_;  // of the members of open objects
  std::vector<Open> open_;         // from the root inwards
};

}  // namespace

std::optional<Json> read_plain_json(std::string_view text, std::size_t max_depth) {
  Builder builder(max_depth);
  // The library takes a NUL byte for the end of the text.
  if (text.find('\0') != std::string_view::npos || !Json::sax_parse(text.begin(), text.end(), &builder)) {
    return std::nullopt;
  }
  return builder.take();
}

}  // namespace assay::spec
