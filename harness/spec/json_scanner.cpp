// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/json_scanner.h"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/spec/nearest.h"

namespace assay::spec {
namespace {

struct Frame {
  bool is_object = false;
  std::size_t index = 0;  // of the current item
  std::string key;        // of the current member
  std::size_t key_offset = 0;
  std::set<std::string> keys;
};

class Scanner {
 public:
  // Called at the beginning of every value; returning true ends the scan.
  using Visitor = std::function<bool(const std::vector<Frame>& frames, std::size_t offset)>;

  Scanner(std::string_view text, std::size_t max_depth, Visitor visitor)
      : text_(text), max_depth_(max_depth), visitor_(std::move(visitor)) {}

  std::optional<ScanError> run();

 private:
  using Failure = std::optional<ScanError>;

  char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  bool at_end() const { return position_ >= text_.size(); }
  void skip_space();
  Failure fail(std::size_t offset, std::string message) const { return ScanError{offset, std::move(message)}; }
  Failure expected(const std::string& what) const;
  std::string found_text() const;
  Failure value();
  Failure open(bool is_object);
  Failure after_value();
  Failure member_key();
  Failure string(std::string* decoded);
  Failure escape();
  Failure number();
  Failure literal();
  bool digits();

  std::string_view text_;
  std::size_t max_depth_;
  Visitor visitor_;
  std::size_t position_ = 0;
  std::vector<Frame> frames_;
  bool done_ = false;     // the root value is complete
  bool stopped_ = false;  // the visitor has seen enough
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

void Scanner::skip_space() {
  while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) {
    ++position_;
  }
}

std::string Scanner::found_text() const {
  if (at_end()) {
    return "the end of the file";
  }
  std::size_t end = position_;
  while (end < text_.size() && is_word(text_[end])) {
    ++end;
  }
  if (end > position_) {
    return "'" + shortened(text_.substr(position_, end - position_), 20) + "'";
  }
  const auto byte = static_cast<unsigned char>(peek());
  if (byte < 0x20 || byte >= 0x7F) {
    constexpr std::string_view kHex = "0123456789abcdef";
    return std::string("byte 0x") + kHex[byte >> 4U] + kHex[byte & 15U];
  }
  return std::string("'") + peek() + "'";
}

Scanner::Failure Scanner::expected(const std::string& what) const {
  const bool comment = peek() == '#' || (peek() == '/' && position_ + 1 < text_.size() &&
                                         (text_[position_ + 1] == '/' || text_[position_ + 1] == '*'));
  if (comment) {
    return fail(position_, "expected " + what + ", found a comment, which JSON does not have");
  }
  return fail(position_, "expected " + what + ", found " + found_text());
}

Scanner::Failure Scanner::run() {
  if (text_.starts_with("\xEF\xBB\xBF")) {
    position_ = 3;  // byte order mark
  }
  while (!done_) {
    skip_space();
    if (Failure failure = value()) {
      return failure;
    }
    if (stopped_) {
      return std::nullopt;
    }
    if (Failure failure = after_value()) {
      return failure;
    }
  }
  skip_space();
  return at_end() ? std::nullopt : expected("the end of the file");
}

// Reads a scalar, or the opening brackets up to the place where the next value has to begin. An empty container is a
// complete value.
Scanner::Failure Scanner::value() {
  while (true) {
    if (visitor_ && visitor_(frames_, position_)) {
      stopped_ = true;
      return std::nullopt;
    }
    const char c = peek();
    if (c == '"') {
      return string(nullptr);
    }
    if (c == '-' || is_digit(c)) {
      return number();
    }
    if (c != '{' && c != '[') {
      return literal();
    }
    if (Failure failure = open(c == '{')) {
      return failure;
    }
    if (peek() == (c == '{' ? '}' : ']')) {
      ++position_;
      frames_.pop_back();
      return std::nullopt;
    }
    if (c == '{') {
      if (Failure failure = member_key()) {
        return failure;
      }
    }
  }
}

Scanner::Failure Scanner::open(bool is_object) {
  if (frames_.size() >= max_depth_) {
    return fail(position_, "more than " + std::to_string(max_depth_) + " nested lists and objects");
  }
  Frame frame;
  frame.is_object = is_object;
  frames_.push_back(std::move(frame));
  ++position_;
  skip_space();
  return std::nullopt;
}

// Behind a complete value: closes containers until another value follows or the root is complete.
Scanner::Failure Scanner::after_value() {
  while (!frames_.empty()) {
    skip_space();
    Frame& frame = frames_.back();
    if (peek() == (frame.is_object ? '}' : ']')) {
      ++position_;
      frames_.pop_back();
      continue;
    }
    if (peek() != ',') {
      return expected(frame.is_object ? "',' or '}' after the member '" + shortened(frame.key) + "'"
                                      : std::string("',' or ']' after a list item"));
    }
    ++position_;
    skip_space();
    ++frame.index;
    return frame.is_object ? member_key() : std::nullopt;
  }
  done_ = true;
  return std::nullopt;
}

Scanner::Failure Scanner::member_key() {
  if (peek() != '"') {
    return expected("a key in double quotes");
  }
  Frame& frame = frames_.back();
  frame.key_offset = position_;
  if (Failure failure = string(&frame.key)) {
    return failure;
  }
  if (!frame.keys.insert(frame.key).second) {
    return fail(frame.key_offset, "key '" + shortened(frame.key) + "' is given twice");
  }
  if (frame.keys.size() > kMaxKeys) {
    return fail(frame.key_offset, "more than " + std::to_string(kMaxKeys) + " keys in one object");
  }
  skip_space();
  if (peek() != ':') {
    return expected("':' after the key '" + shortened(frame.key) + "'");
  }
  ++position_;
  skip_space();
  return std::nullopt;
}

Scanner::Failure Scanner::string(std::string* decoded) {
  const std::size_t begin = position_++;
  while (true) {
    if (at_end() || peek() == '\n') {
      return fail(begin, "expected '\"' at the end of the text that begins here");
    }
    const char c = peek();
    if (static_cast<unsigned char>(c) < 0x20) {
      return fail(position_, "control character in a text: write it as an escape such as \\t or \\u0001");
    }
    ++position_;
    if (c == '"') {
      break;
    }
    if (c == '\\') {
      if (Failure failure = escape()) {
        return failure;
      }
    }
  }
  if (decoded != nullptr) {
    const std::string_view token = text_.substr(begin, position_ - begin);
    const nlohmann::json parsed = nlohmann::json::parse(token, nullptr, false);
    if (!parsed.is_string()) {
      return fail(begin, "this key is not valid UTF-8");
    }
    *decoded = parsed.get<std::string>();
  }
  return std::nullopt;
}

Scanner::Failure Scanner::escape() {
  const char c = peek();
  if (c == 'u') {
    for (std::size_t i = 1; i <= 4; ++i) {
      const char digit = position_ + i < text_.size() ? text_[position_ + i] : '\0';
      if (!is_digit(digit) && (digit < 'a' || digit > 'f') && (digit < 'A' || digit > 'F')) {
        return fail(position_ - 1, "expected four hexadecimal digits after \\u");
      }
    }
    position_ += 5;
    return std::nullopt;
  }
  if (at_end() || std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos) {
    return fail(position_ - 1, "unknown escape in a text: JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX");
  }
  ++position_;
  return std::nullopt;
}

bool Scanner::digits() {
  const std::size_t begin = position_;
  while (is_digit(peek())) {
    ++position_;
  }
  return position_ > begin;
}

Scanner::Failure Scanner::number() {
  const std::size_t begin = position_;
  if (peek() == '-') {
    ++position_;
  }
  const std::size_t first = position_;
  if (!digits()) {
    return expected("a digit after '-'");
  }
  if (text_[first] == '0' && position_ > first + 1) {
    return fail(begin, "a number does not begin with a 0 before other digits");
  }
  if (peek() == '.') {
    ++position_;
    if (!digits()) {
      return expected("a digit after the decimal point");
    }
  }
  if (peek() == 'e' || peek() == 'E') {
    ++position_;
    if (peek() == '+' || peek() == '-') {
      ++position_;
    }
    if (!digits()) {
      return expected("a digit in the exponent");
    }
  }
  const std::string token(text_.substr(begin, position_ - begin));
  if (!std::isfinite(std::strtod(token.c_str(), nullptr))) {
    return fail(begin, "number " + shortened(token, 30) + " is beyond the range of double");
  }
  return std::nullopt;
}

Scanner::Failure Scanner::literal() {
  for (const std::string_view word : {"true", "false", "null"}) {
    if (text_.substr(position_).starts_with(word)) {
      const std::size_t end = position_ + word.size();
      if (end == text_.size() || !is_word(text_[end])) {
        position_ = end;
        return std::nullopt;
      }
    }
  }
  return expected("a value");
}

std::vector<std::string> pointer_tokens(std::string_view pointer) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      tokens.emplace_back();
    } else if (pointer[i] == '~' && i + 1 < pointer.size()) {
      tokens.back() += pointer[++i] == '1' ? '/' : '~';
    } else if (!tokens.empty()) {
      tokens.back() += pointer[i];
    }
  }
  return tokens;
}

}  // namespace

std::optional<ScanError> check_syntax(std::string_view text, std::size_t max_depth) {
  return Scanner(text, max_depth, nullptr).run();
}

std::optional<Location> locate(std::string_view text, std::string_view pointer) {
  const std::vector<std::string> tokens = pointer_tokens(pointer);
  std::optional<Location> found;
  const auto visit = [&](const std::vector<Frame>& frames, std::size_t offset) {
    if (frames.size() != tokens.size()) {
      return false;
    }
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const Frame& frame = frames[i];
      if (frame.is_object ? frame.key != tokens[i] : std::to_string(frame.index) != tokens[i]) {
        return false;
      }
    }
    const bool member = !frames.empty() && frames.back().is_object;
    found = Location{offset, member ? frames.back().key_offset : offset};
    return true;
  };
  if (Scanner(text, static_cast<std::size_t>(-1), visit).run()) {
    return std::nullopt;
  }
  return found;
}

LineColumn line_column(std::string_view text, std::size_t offset) {
  LineColumn result;
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++result.line;
      result.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++result.column;
    }
  }
  return result;
}

std::string escape_pointer_token(std::string_view token) {
  std::string escaped;
  for (const char c : token) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace assay::spec
