#include "program/semantics/Limits.h"

#include "program/language/CasePrinter.h"
#include "program/values/RaiseError.h"
#include "program/values/RaisedException.h"

#include <fmt/format.h>

// The bounds on what a call makes of Python's values.

namespace touchstone::semantics {
namespace {

constexpr int kMaximumDepth = 900; // Python's limit is 1000 frames, a few of which are the interpreter's own
constexpr size_t kCharactersPerElement = 16; // a string is copied with each copy of what holds it
constexpr size_t kShownCharacters = 60;

int64_t weightOf(const values::Value& item) {
  const auto* text = item.maybe<std::string>();
  return text ? 1 + static_cast<int64_t>(text->size() / kCharactersPerElement) : 1;
}

/// Adds up the elements inside, as often as a walk meets them; false when they are more than `room`, or too deep.
bool count(const values::Value& value, int nesting, int64_t& room) {
  room -= weightOf(value);
  if (nesting > Limits::kNesting || room < 0) {
    return false;
  }
  if (const values::ValueList* items = value.items()) {
    for (const values::Value& item : *items) {
      if (!count(item, nesting + 1, room)) {
        return false;
      }
    }
  } else if (const auto* dict = value.maybe<values::DictPtr>()) {
    for (const auto& entry : (*dict)->entries) {
      if (!count(entry.second, nesting + 1, room)) {
        return false;
      }
    }
  } else if (const auto* module = value.maybe<values::ModulePtr>()) {
    for (const values::ModuleObject::Field& field : (*module)->fields) {
      if (!count(field.value, nesting + 1, room)) {
        return false;
      }
    }
  }
  return true;
}

bool isContainer(const values::Value& value) {
  return value.items() || value.is<values::DictPtr>();
}

} // namespace

DepthScope::DepthScope(Limits& limits) : depth_(limits.depth) {
  if (depth_ >= kMaximumDepth) {
    values::raiseError("RecursionError", "maximum recursion depth exceeded");
  }
  ++depth_;
}

void Limits::start() {
  running = nullptr;
  statementsRun_ = 0;
  elementsLeft_ = kElements;
}

void Limits::raise(const char* type, const std::string& what) const {
  std::string place;
  if (running) {
    std::string text = language::printStatement(*running);
    text.erase(std::min(text.find('\n'), text.size()));
    if (text.size() > kShownCharacters) {
      text.replace(kShownCharacters, std::string::npos, "…");
    }
    place = fmt::format(" It was in `{}`.", text);
  }
  values::RaisedException error(type, what + place);
  error.isLimit = true;
  throw error;
}

void Limits::countStatement(const language::Statement& statement) {
  running = &statement;
  if (++statementsRun_ > maximumStatements_) {
    raise("RuntimeError", fmt::format("The call has run {} statements, the most that a case's call may run: give its "
                                      "loops fewer rounds.",
                                      maximumStatements_));
  }
}

void Limits::spend(int64_t elements) {
  elementsLeft_ -= elements;
  if (elementsLeft_ < 0 || elements < 0) {
    raise("MemoryError", fmt::format("The call has made, or looked at, more than {} elements of lists, tuples, "
                                     "dicts and strings, the most that a case's call may: keep them smaller.",
                                     kElements));
  }
}

void Limits::spend(const values::Value& value) {
  spend(weightOf(value));
}

void Limits::spend(const values::ValueList& items, int64_t times) {
  int64_t weight = 0;
  for (const values::Value& item : items) {
    weight += weightOf(item);
  }
  spend(weight > 0 && times > kElements ? kElements + 1 : weight * times);
}

void Limits::checkText(size_t length, int64_t times) const {
  const auto most = static_cast<int64_t>(kTextLength);
  if (length > 0 && times > most / static_cast<int64_t>(length)) {
    raise("MemoryError", fmt::format("A string of a case has at most {} characters; this one would have {} times {}.",
                                     most, times, length));
  }
}

void Limits::spendOnArguments(const values::ValueList& positional, const torch_names::KeywordList& keywords) {
  const auto spendOn = [&](const values::Value& value) {
    if (!isContainer(value)) {
      return;
    }
    int64_t room = elementsLeft_;
    const bool counted = count(value, 0, room);
    if (!counted && room >= 0) {
      raise("RecursionError", fmt::format("An argument's containers are nested more than {} deep.", kNesting));
    }
    spend(elementsLeft_ - room);
  };
  for (const values::Value& value : positional) {
    spendOn(value);
  }
  for (const auto& [name, value] : keywords) {
    spendOn(value);
  }
}

void Limits::checkResult(const values::Value& value, const char* what) const {
  int64_t room = kResultElements;
  if (!count(value, 0, room)) {
    raise(room < 0 ? "MemoryError" : "RecursionError",
          fmt::format("{} more than {} values, or containers nested more than {} deep: what is in a container "
                      "twice counts twice.",
                      what, kResultElements, kNesting));
  }
}

} // namespace touchstone::semantics
