// SPDX-License-Identifier: Apache-2.0
// A list for elements that are plain data: up to N of them lie in the list itself, more on the heap. The members are
// std::vector's, as far as they are used.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay {

template <typename T, std::size_t N>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  InlineVector() = default;
  explicit InlineVector(std::size_t count, const T& value = T()) { assign(count, value); }
  template <std::input_iterator Iterator>
  InlineVector(Iterator first, Iterator last) {
    assign(first, last);
  }
  InlineVector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  template <typename Allocator>
  InlineVector(const std::vector<T, Allocator>& values) {  // NOLINT(google-explicit-constructor): the same list
    assign(values.begin(), values.end());
  }
  InlineVector(const InlineVector& other) { copy(other); }
  InlineVector(InlineVector&& other) noexcept { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) {
      copy(other);
    }
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      take(other);
    }
    return *this;
  }
  ~InlineVector() = default;

  void assign(std::size_t count, const T& value) {
    const T copy = value;  // it may lie in this list
    resize_uninitialized(count);
    std::fill_n(data(), count, copy);
  }
  // A range outside this list.
  template <std::input_iterator Iterator>
  void assign(Iterator first, Iterator last) {
    resize_uninitialized(static_cast<std::size_t>(std::distance(first, last)));
    std::copy(first, last, data());
  }

  T* data() { return heap_ ? heap_.get() : inline_.data(); }
  const T* data() const { return heap_ ? heap_.get() : inline_.data(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  iterator begin() { return data(); }
  iterator end() { return data() + size_; }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + size_; }
  auto rbegin() { return std::reverse_iterator(end()); }
  auto rend() { return std::reverse_iterator(begin()); }
  auto rbegin() const { return std::reverse_iterator(end()); }
  auto rend() const { return std::reverse_iterator(begin()); }

  void clear() { size_ = 0; }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) {
      auto grown = std::make_unique<T[]>(capacity);
      std::copy_n(data(), size_, grown.get());
      heap_ = std::move(grown);
      capacity_ = capacity;
    }
  }
  void resize(std::size_t count, const T& value = T()) {
    const std::size_t before = size_;
    const T copy = value;
    resize_uninitialized(count);
    std::fill_n(data() + before, count > before ? count - before : 0, copy);
  }
  void push_back(const T& value) {
    const T copy = value;
    resize_uninitialized(size_ + 1);
    back() = copy;
  }
  void pop_back() { --size_; }
  iterator insert(const_iterator at, const T& value) { return insert(at, std::size_t{1}, value); }
  iterator insert(const_iterator at, std::size_t count, const T& value) {
    const T copy = value;
    iterator gap = open_gap(at, count);
    std::fill_n(gap, count, copy);
    return gap;
  }
  iterator insert(const_iterator at, std::initializer_list<T> values) {
    return insert(at, values.begin(), values.end());
  }
  // A range outside this list.
  template <std::input_iterator Iterator>
  iterator insert(const_iterator at, Iterator first, Iterator last) {
    iterator gap = open_gap(at, static_cast<std::size_t>(std::distance(first, last)));
    std::copy(first, last, gap);
    return gap;
  }
  iterator erase(const_iterator at) { return erase(at, at + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    iterator to = begin() + (first - begin());
    std::copy(last, std::as_const(*this).end(), to);
    size_ -= static_cast<std::size_t>(last - first);
    return to;
  }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend auto operator<=>(const InlineVector& a, const InlineVector& b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void resize_uninitialized(std::size_t count) {
    if (count > capacity_) {
      reserve(std::max(count, 2 * capacity_));
    }
    size_ = count;
  }
  iterator open_gap(const_iterator at, std::size_t count) {
    const std::ptrdiff_t position = at - begin();
    const std::size_t before = size_;
    resize_uninitialized(before + count);
    std::copy_backward(begin() + position, begin() + before, end());
    return begin() + position;
  }
  void copy(const InlineVector& other) {
    if (heap_ || other.heap_) {
      assign(other.begin(), other.end());
    } else {
      inline_ = other.inline_;  // all N, used or not: a copy of a known size is a few instructions
      size_ = other.size_;
    }
  }
  // Leaves `other` empty.
  void take(InlineVector& other) {
    capacity_ = std::exchange(other.capacity_, N);
    heap_ = std::move(other.heap_);
    inline_ = other.inline_;
    size_ = std::exchange(other.size_, 0);
  }

  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  std::unique_ptr<T[]> heap_;  // null while the elements lie here
  std::array<T, N> inline_{};
};

}  // namespace assay
