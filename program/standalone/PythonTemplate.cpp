#include "program/standalone/PythonTemplate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <sstream>

namespace touchstone::standalone {
namespace {

constexpr size_t kStep = 4; // of indentation

using Condition = PythonTemplate::Condition;
using Line = PythonTemplate::Line;

Condition wordsOf(const std::string& condition) {
  std::istringstream words(condition);
  return {std::istream_iterator<std::string>(words), {}};
}

/// Takes `# if …`, `# around if …` and `# each …` off the end of a line.
Line readLine(std::string_view text) {
  Line line;
  line.indent = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(line.indent);
  const auto takeMark = [&](std::string_view mark) {
    const size_t at = std::min(text.rfind(mark), text.size());
    const std::string condition(text.substr(std::min(at + mark.size(), text.size())));
    text = text.substr(0, at);
    return condition;
  };
  const std::string beside = takeMark(", around if "), around = takeMark("  # around if ");
  line.aroundIf = wordsOf(beside.empty() ? around : beside);
  line.onlyIf = wordsOf(takeMark("  # if "));
  line.each = takeMark("  # each ");
  line.text = text;
  return line;
}

bool holds(const Condition& condition, const Filling& filling) {
  bool any = false, all = true, negated = false;
  for (const std::string& word : condition) {
    if (word == "or") {
      any = any || std::exchange(all, true);
    } else if (word == "not") {
      negated = true;
    } else if (word != "and") {
      all = all && filling.has(word) != std::exchange(negated, false);
    }
  }
  return any || all;
}

bool isOfWord(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// The text with what `wordFor` gives for each word that begins with a capital letter.
template <class WordFor>
std::string withWords(std::string_view text, const WordFor& wordFor) {
  std::string filled;
  for (size_t at = 0; at < text.size();) {
    const size_t end = static_cast<size_t>(std::find_if(text.begin() + at, text.end(), isOfWord) - text.begin());
    const size_t next = static_cast<size_t>(std::find_if_not(text.begin() + end, text.end(), isOfWord) - text.begin());
    filled += text.substr(at, end - at);
    const std::string_view word = text.substr(end, next - end);
    const bool isCapital = !word.empty() && std::isupper(static_cast<unsigned char>(word[0])) != 0;
    filled += isCapital ? wordFor(word) : std::string(word);
    at = next;
  }
  return filled;
}

/// Writes the lines that stand, one by one.
class Writer {
 public:
  explicit Writer(const Filling& filling) : filling_(filling) {}

  void take(const Line& line) {
    while (!leftOut_.empty() && leftOut_.back() >= line.indent) {
      leftOut_.pop_back();
    }
    if (skipped_ && line.indent > *skipped_) {
      blank_ = blankBefore_;
      return;
    }
    skipped_.reset();
    if (!holds(line.onlyIf, filling_)) {
      skipped_ = line.indent;
      blankBefore_ = blank_;
    } else if (!holds(line.aroundIf, filling_)) {
      leftOut_.push_back(line.indent);
    } else if (line.each.empty()) {
      write(line, nullptr);
    } else {
      for (const language::PropertyRow* row : filling_.properties) {
        if (row->name == line.each || (groupName(row->of) == line.each && !row->expression.empty())) {
          write(line, row);
        }
      }
    }
  }
  void takeBlank() { blank_ = !text_.empty(); }
  std::string text() { return std::move(text_); }

 private:
  void write(const Line& line, const language::PropertyRow* row) {
    text_ += std::exchange(blank_, false) ? "\n" : "";
    text_.append(line.indent - kStep * leftOut_.size(), ' ');
    text_ += withWords(line.text, [&](std::string_view word) -> std::string {
      if (row && word == "PROPERTY") {
        return std::string(row->name);
      }
      if (row && word == "LABEL") {
        return filling_.several ? " " + std::string(row->name) : "";
      }
      if (row && word == "EXPRESSION") {
        return std::string(row->expression);
      }
      const auto found = filling_.words.find(word);
      return found != filling_.words.end() ? found->second : std::string(word);
    });
    text_ += '\n';
  }

  const Filling& filling_;
  std::string text_;
  std::optional<size_t> skipped_; // the indentation of a line that does not stand: what is under it does not either
  std::vector<size_t> leftOut_; // the indentations of lines that are left out from around others
  bool blank_ = false; // to be written before the next line
  bool blankBefore_ = false; // the same, as it was before what is skipped
};

} // namespace

std::string_view groupName(language::SeenOf of) {
  constexpr std::array<std::string_view, 6> kNames = {"result", "outputs", "inputs", "tensors", "gradients", "process"};
  return kNames.at(static_cast<size_t>(of));
}

PythonTemplate::PythonTemplate(std::string_view text) {
  const size_t begin = text.find('\n', text.find("\n# ---") + 1); // what is above explains
  std::istringstream lines{std::string(text.substr(begin + 1))};
  for (std::string line; std::getline(lines, line);) {
    lines_.push_back(readLine(line));
  }
}

std::string PythonTemplate::fill(const Filling& filling) const {
  Writer writer(filling);
  for (const Line& line : lines_) {
    line.text.empty() ? writer.takeBlank() : writer.take(line);
  }
  return writer.text();
}

} // namespace touchstone::standalone
