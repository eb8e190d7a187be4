#include "program/standalone/PythonTemplate.h"

#include <array>
#include <cctype>
#include <sstream>

namespace touchstone::standalone {
namespace {

constexpr size_t kStep = 4; // of indentation

struct Line {
  size_t indent = 0;
  std::string text; // without indentation and marks
  std::string onlyIf, aroundIf, each; // what the marks say
};

/// Takes `# if …`, `# around if …` and `# each …` off the end of a line.
Line readLine(std::string_view text) {
  Line line;
  line.indent = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(line.indent);
  const auto takeMark = [&](std::string_view mark, std::string& condition) {
    const size_t at = text.rfind(mark);
    if (at != std::string_view::npos) {
      condition = text.substr(at + mark.size());
      text.remove_suffix(text.size() - at);
    }
  };
  takeMark(", around if ", line.aroundIf);
  takeMark("  # around if ", line.aroundIf);
  takeMark("  # if ", line.onlyIf);
  takeMark("  # each ", line.each);
  line.text = text;
  return line;
}

bool holds(const std::string& condition, const Filling& filling) {
  bool any = false, all = true, negated = false;
  std::istringstream words(condition);
  for (std::string word; words >> word;) {
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

/// The text with what `wordFor` gives for each word, and for each character between words.
template <class WordFor>
std::string withWords(std::string_view text, const WordFor& wordFor) {
  std::string filled;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && isOfWord(text[end])) {
      ++end;
    }
    const std::string_view word = text.substr(at, end > at ? end - at : 1);
    filled += wordFor(word);
    at += word.size();
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

std::string fillTemplate(std::string_view pythonTemplate, const Filling& filling) {
  const size_t begin = pythonTemplate.find('\n', pythonTemplate.find("\n# ---") + 1); // what is above explains
  std::istringstream lines{std::string(pythonTemplate.substr(begin + 1))};
  Writer writer(filling);
  for (std::string line; std::getline(lines, line);) {
    line.empty() ? writer.takeBlank() : writer.take(readLine(line));
  }
  return writer.text();
}

} // namespace touchstone::standalone
