#include "oracles/equivalence/ElementNumbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace touchstone::equivalence {

namespace {

constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ULL;

uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + kPrime + (hash << 6) + (hash >> 2);
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93ULL;
  return hash ^ (hash >> 32);
}

int64_t positive(uint64_t hash) {
  const auto number = static_cast<int64_t>(hash & 0x7FFFFFFFFFFFFFFFULL);
  return number == ElementNumbers::kZero ? 1 : number;
}

} // namespace

std::vector<int64_t> numbersIn(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.contiguous();
  const auto* data = dense.const_data_ptr<int64_t>();
  return {data, data + dense.numel()};
}

int64_t ElementNumbers::number(Producer producer) {
  uint64_t hash = std::hash<std::string>()(producer.text);
  for (int64_t from : producer.from) {
    hash = mix(hash, static_cast<uint64_t>(from));
  }
  const int64_t number = positive(mix(hash, static_cast<uint64_t>(producer.kind)));
  producers_.try_emplace(number, std::move(producer));
  return number;
}

int64_t ElementNumbers::ofMemory(const std::string& memory, int64_t position, int64_t elementSize) {
  return number(
      {fmt::format("element {} of `{}` by {} bytes", position, memory, elementSize), {}, Producer::Kind::kMemory});
}

int64_t ElementNumbers::ofTangent(int64_t element) {
  return number({"tangent", {element}});
}

int64_t ElementNumbers::ofSum(int64_t left, int64_t right, const std::string& dtype) {
  if (left == kZero || right == kZero) {
    return left == kZero ? right : left;
  }
  Producer sum{"sum " + dtype, {}};
  for (int64_t addend : {left, right}) {
    const auto known = producers_.find(addend);
    if (known != producers_.end() && known->second.text == sum.text) {
      sum.from.insert(sum.from.end(), known->second.from.begin(), known->second.from.end());
    } else {
      sum.from.push_back(addend);
    }
  }
  std::sort(sum.from.begin(), sum.from.end());
  return number(std::move(sum));
}

int64_t ElementNumbers::elementOf(int64_t result, int64_t output, int64_t position) {
  return number({fmt::format("result {}, element {}", output, position), {result}});
}

bool ElementNumbers::isOfMemory(int64_t number) const {
  const auto known = producers_.find(number);
  return known != producers_.end() && known->second.kind == Producer::Kind::kMemory;
}

std::string ElementNumbers::textOf(int64_t number, int depth) const {
  const auto known = producers_.find(number);
  if (number == kZero || known == producers_.end()) {
    return "0";
  }
  std::string text = known->second.text;
  if (known->second.from.size() == 1 && depth > 0) {
    text += " of " + textOf(known->second.from[0], depth - 1);
  } else if (known->second.from.size() > 1 && depth > 0) {
    text += fmt::format(" of {} elements", known->second.from.size());
  }
  return text;
}

std::string ElementNumbers::firstDifference(int64_t left, int64_t right) const {
  for (int depth = 0; depth < 200; ++depth) {
    const auto first = producers_.find(left);
    const auto second = producers_.find(right);
    const bool goesOn = first != producers_.end() && second != producers_.end() &&
                        first->second.text == second->second.text &&
                        first->second.from.size() == second->second.from.size();
    if (!goesOn) {
      break;
    }
    const auto parted =
        std::mismatch(first->second.from.begin(), first->second.from.end(), second->second.from.begin());
    if (parted.first == first->second.from.end()) {
      break;
    }
    left = *parted.first;
    right = *parted.second;
  }
  return textOf(left, 2) + " / " + textOf(right, 2);
}

} // namespace touchstone::equivalence
