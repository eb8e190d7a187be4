#include "generators/decoder/FlagDraws.h"

#include "program/language/CompileFlags.h"
#include "program/parser/CaseParser.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace touchstone::decoder {

namespace {

constexpr int kTwoFlagsPercent = 30;

/// Those that are drawn, by their config.
const std::map<std::string_view, std::vector<const language::CompileFlag*>>& drawnFlags() {
  static const auto flags = [] {
    std::map<std::string_view, std::vector<const language::CompileFlag*>> byConfig;
    for (const language::CompileFlag& flag : language::compileFlags()) {
      if (!flag.drawn.front().empty()) {
        byConfig[flag.name.substr(0, flag.name.find('.'))].push_back(&flag);
      }
    }
    return byConfig;
  }();
  return flags;
}

} // namespace

void drawFlags(language::CompileSpec& compile, catalogue::Draw& draw) {
  const int count = draw.chance(kTwoFlagsPercent) ? 2 : 1;
  for (int number = 0; number < count; ++number) {
    const auto& [config, flags] = *std::next(drawnFlags().begin(), draw.below(std::ssize(drawnFlags())));
    const language::CompileFlag& flag = *flags[static_cast<size_t>(draw.below(std::ssize(flags)))];
    const auto values = std::ranges::count_if(flag.drawn, [](std::string_view each) { return !each.empty(); });
    const std::string value(flag.drawn[static_cast<size_t>(draw.below(values))]);
    std::erase_if(compile.config, [&](const auto& known) { return known.first == flag.name; });
    compile.config.emplace_back(flag.name, parser::parseExpression(value));
  }
}

} // namespace touchstone::decoder
