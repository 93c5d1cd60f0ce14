// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/json_reader.h"

#include <string>
#include <utility>
#include <vector>

namespace assay::spec {
namespace {

// Finding a key given twice takes time in proportion to the keys before it.
constexpr std::size_t kMostKeys = 256;

// Builds the value; every function gives false to end the reading.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::size_t max_depth) : max_depth_(max_depth) {}

  Json take() { return std::move(root_); }

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
    return open(Json::object());
  }
  bool start_array(std::size_t size) override {
    (void)size;
    return open(Json::array());
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Json& object = *open_.back();
    if (object.size() >= kMostKeys || object.find(name) != object.end()) {
      return false;
    }
    member_ = &object[std::move(name)];
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    (void)position;
    (void)token;
    (void)error;
    return false;
  }

 private:
  template <typename Value>
  bool add(Value&& value) {
    place() = std::forward<Value>(value);
    return true;
  }
  // Where the next value goes. Values that are open are not moved while they are: a member's value and a list's last
  // item stay where they are until the one that holds them gets its next.
  Json& place() {
    if (open_.empty()) {
      return root_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(nullptr);
      return open_.back()->back();
    }
    return *member_;
  }
  bool open(Json value) {
    if (open_.size() >= max_depth_) {
      return false;
    }
    Json& at = place();
    at = std::move(value);
    open_.push_back(&at);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::size_t max_depth_;
  Json root_;
  std::vector<Json*> open_;  // from the root inwards
  Json* member_ = nullptr;   // the value of the key that was read last
};

}  // namespace

std::optional<Json> read_plain_json(std::string_view text, std::size_t max_depth) {
  Builder builder(max_depth);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    return std::nullopt;
  }
  return builder.take();
}

}  // namespace assay::spec
