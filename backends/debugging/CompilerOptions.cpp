#include "backends/debugging/CompilerOptions.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace touchstone::debugging {

namespace {

std::mutex warningMutex;

CompilerWarningScope::Sink& warningSink() {
  static CompilerWarningScope::Sink sink;
  return sink;
}

} // namespace

std::string optionsText(const CompilerOptions& options) {
  std::string text;
  for (const CompilerOption& option : options) {
    text += (text.empty() ? "'" : ", '") + option.name + "': " + option.value;
  }
  return "{" + text + "}";
}

std::string takeOption(CompilerOptions& options, const std::string& name) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const CompilerOption& option) { return option.name == name; });
  if (found == options.end()) {
    return "";
  }
  std::string value = std::move(found->value);
  options.erase(found);
  return value;
}

bool takeSwitch(CompilerOptions& options, const std::string& name, bool otherwise) {
  const std::string value = takeOption(options, name);
  if (!value.empty() && value != "True" && value != "False") {
    throw std::invalid_argument("Option `" + name + "` is " + value + "; it can be True or False.");
  }
  return value.empty() ? otherwise : value == "True";
}

void reportUnknownOptions(const std::string& compiler, const CompilerOptions& options) {
  if (!options.empty()) {
    warnOfCompiler(compiler + " backend ignoring extra kwargs " + optionsText(options));
  }
}

void warnOfCompiler(const std::string& text) {
  const std::lock_guard<std::mutex> lock(warningMutex);
  if (const auto& sink = warningSink()) {
    sink(text);
  } else {
    std::fprintf(stderr, "warning: %s\n", text.c_str());
  }
}

CompilerWarningScope::CompilerWarningScope(Sink sink) {
  const std::lock_guard<std::mutex> lock(warningMutex);
  outer_ = std::exchange(warningSink(), std::move(sink));
}

CompilerWarningScope::~CompilerWarningScope() {
  const std::lock_guard<std::mutex> lock(warningMutex);
  warningSink() = std::move(outer_);
}

} // namespace touchstone::debugging
