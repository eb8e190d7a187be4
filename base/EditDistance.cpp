#include "base/EditDistance.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace touchstone::base {

constexpr size_t kLongestName = 100; // a stranger's file may hold a longer one; nothing is near it

int editDistance(std::string_view left, std::string_view right) {
  std::vector<int> row(right.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= left.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= right.size(); ++j) {
      const int replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::vector<std::string> namesNear(const std::string& wrong, const std::vector<std::string>& names, int limit,
                                   size_t most) {
  std::vector<std::pair<int, std::string>> near;
  for (const std::string& name : names) {
    const int distance = wrong.size() <= kLongestName ? editDistance(wrong, name) : limit + 1;
    if (distance <= limit) {
      near.emplace_back(distance, name);
    }
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> nearest;
  for (size_t i = 0; i < std::min(most, near.size()); ++i) {
    nearest.push_back(std::move(near[i].second));
  }
  return nearest;
}

} // namespace touchstone::base
