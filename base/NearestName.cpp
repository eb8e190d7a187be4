#include "base/NearestName.h"

#include "base/EditDistance.h"

#include <algorithm>

namespace touchstone::base {

namespace {

int distanceTo(const std::string& wrong, const std::string& name) {
  const size_t colon = name.find(':');
  const int whole = editDistance(wrong, name);
  return colon == std::string::npos ? whole : std::min(whole, editDistance(wrong, name.substr(colon + 1)));
}

} // namespace

std::vector<std::string> nearestFirst(const std::string& wrong, std::vector<std::string> names) {
  std::stable_sort(names.begin(), names.end(), [&](const std::string& left, const std::string& right) {
    return distanceTo(wrong, left) < distanceTo(wrong, right);
  });
  return names;
}

std::string didYouMean(const std::string& wrong, const std::vector<std::string>& names) {
  const std::vector<std::string> sorted = nearestFirst(wrong, names);
  const bool isNear = !sorted.empty() && distanceTo(wrong, sorted[0]) <= 1 + static_cast<int>(wrong.size()) / 3;
  return isNear ? " Did you mean `" + sorted[0] + "`?" : "";
}

} // namespace touchstone::base
