#include "oracles/compare/Comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace touchstone::compare {

namespace {

using language::Property;
using Role = observe::Location::Role;

bool sameGeometry(const observe::CallObservation& eager, const observe::CallObservation& compiled,
                  const observe::Location& location) {
  const observe::TensorSlot slot = observe::slotAt(location);
  const observe::TensorObservation *left = observe::observationAt(eager, slot),
                                   *right = observe::observationAt(compiled, slot);
  return left && right && left->dtype == right->dtype && left->sizes == right->sizes &&
         left->strides == right->strides && left->offset == right->offset;
}

/// The partition walked pair by pair; each property is reported once, for the first pair.
class AliasingComparison {
 public:
  AliasingComparison(const Comparison& comparison, CallFindings& findings)
      : comparison_(comparison),
        findings_(findings),
        eager_(comparison.eager.partition),
        compiled_(comparison.compiled.partition) {}

  void run() {
    if (!sameMembers()) {
      return; // the structure differs, and is reported as that
    }
    for (size_t later = 0; later < eager_.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        comparePair(earlier, later);
      }
    }
    compareRanges();
    if (!partitionDiffers_) {
      compareEffects();
    }
  }

 private:
  bool sameMembers() const {
    return eager_.size() == compiled_.size() &&
           std::equal(eager_.begin(), eager_.end(), compiled_.begin(),
                      [](const observe::StorageMember& left, const observe::StorageMember& right) {
                        return left.location == right.location;
                      });
  }

  std::string pairText(size_t earlier, size_t later) const {
    return eager_[later].location.text() + " and " + eager_[earlier].location.text();
  }

  void comparePair(size_t earlier, size_t later) {
    const bool eagerShares = eager_[earlier].storage == eager_[later].storage;
    const bool compiledShares = compiled_[earlier].storage == compiled_[later].storage;
    if (eagerShares != compiledShares) {
      if (!std::exchange(partitionDiffers_, true)) {
        findings_.add(Property::kPartition, eager_[later].location.text(),
                      fmt::format("{}: eager {}, compiled {}", pairText(earlier, later), shareText(eagerShares),
                                  shareText(compiledShares)));
      }
      return;
    }
    const bool eagerSame = eager_[earlier].object == eager_[later].object;
    const bool compiledSame = compiled_[earlier].object == compiled_[later].object;
    if (eagerSame == compiledSame) {
      return;
    }
    if (eagerSame && mayBeAnotherObject(earlier, later)) {
      findings_.allow(Rule::kA12);
      return;
    }
    if (!std::exchange(identityDiffers_, true)) {
      findings_.add(Property::kIdentity, eager_[later].location.text(),
                    fmt::format("{}: eager {}, compiled {}", pairText(earlier, later), objectText(eagerSame),
                                objectText(compiledSame)));
    }
  }

  static const char* shareText(bool shares) { return shares ? "share one storage" : "have storages of their own"; }
  static const char* objectText(bool same) { return same ? "the same tensor" : "two tensors over one storage"; }

  /// Rule A12, for a pair that is one object in eager.
  bool mayBeAnotherObject(size_t earlier, size_t later) const {
    if (!comparison_.has(Rule::kA12)) {
      return false;
    }
    const bool isInput = std::any_of(eager_.begin(), eager_.end(), [&](const observe::StorageMember& member) {
      return member.location.role != Role::kOutput && member.object == eager_[later].object;
    });
    if (!isInput) {
      return false;
    }
    const auto bound = [&](size_t member) {
      const observe::Location& location = eager_[member].location;
      return location.role != Role::kOutput ||
             returnsParameter(comparison_.theCase, comparison_.eager.structure, location.index);
    };
    return !(bound(earlier) && bound(later));
  }

  /// Byte ranges of members of shared storages, where the tensor's own metadata does not say it already.
  void compareRanges() {
    for (size_t index = 0; index < eager_.size() && !partitionDiffers_; ++index) {
      const observe::StorageMember &left = eager_[index], &right = compiled_[index];
      const bool shared = std::count_if(eager_.begin(), eager_.end(), [&](const observe::StorageMember& member) {
                            return member.storage == left.storage;
                          }) > 1;
      const bool empty = left.firstByte == left.endByte && right.firstByte == right.endByte;
      if (!shared || empty || (left.firstByte == right.firstByte && left.endByte == right.endByte)) {
        continue;
      }
      if (!sameGeometry(comparison_.eager, comparison_.compiled, left.location)) {
        continue;
      }
      partitionDiffers_ = true;
      findings_.add(Property::kPartition, left.location.text(),
                    fmt::format("{} bytes of the shared storage: eager {} to {}, compiled {} to {}",
                                left.location.text(), left.firstByte, left.endByte, right.firstByte, right.endByte));
    }
  }

  static std::string effectText(const std::vector<observe::Location>& changed) {
    if (changed.empty()) {
      return "nothing else";
    }
    std::string text;
    for (const observe::Location& location : changed) {
      text += (text.empty() ? "" : ", ") + location.text();
    }
    return text;
  }

  void compareEffects() {
    const auto changedBy = [](const std::vector<observe::EffectObservation>& effects,
                              const observe::Location& written) {
      const auto found = std::find_if(effects.begin(), effects.end(),
                                      [&](const observe::EffectObservation& each) { return each.written == written; });
      return found == effects.end() ? std::vector<observe::Location>() : found->changed;
    };
    for (const observe::StorageMember& member : eager_) {
      const auto left = changedBy(comparison_.eager.effects, member.location),
                 right = changedBy(comparison_.compiled.effects, member.location);
      if (left == right) {
        continue;
      }
      // What lies where in the storage differs already when strides or offsets do.
      const auto explained = [&](const std::vector<observe::Location>& changed) {
        return std::any_of(changed.begin(), changed.end(), [&](const observe::Location& each) {
          return !sameGeometry(comparison_.eager, comparison_.compiled, each);
        });
      };
      if (!sameGeometry(comparison_.eager, comparison_.compiled, member.location) || explained(left) ||
          explained(right)) {
        continue;
      }
      findings_.add(Property::kEffect, member.location.text(),
                    fmt::format("writing to {} changes: eager {}, compiled {}", member.location.text(),
                                effectText(left), effectText(right)));
      return;
    }
  }

  const Comparison& comparison_;
  CallFindings& findings_;
  const std::vector<observe::StorageMember>&eager_, &compiled_;
  bool partitionDiffers_ = false, identityDiffers_ = false;
};

/// The items of `(T, [T, _], {"a": T})`, one bracket opened.
std::vector<std::string> itemsOf(const std::string& structure) {
  std::vector<std::string> items;
  if (structure.size() < 2 || (structure.front() != '(' && structure.front() != '[' && structure.front() != '{')) {
    return items;
  }
  std::string item;
  int depth = 0;
  bool quoted = false;
  for (size_t index = 1; index + 1 < structure.size(); ++index) {
    const char letter = structure[index];
    if (letter == '"' || letter == '\'') {
      quoted = !quoted;
    }
    if (!quoted && std::string_view("([{").find(letter) != std::string_view::npos) {
      ++depth;
    }
    if (!quoted && std::string_view(")]}").find(letter) != std::string_view::npos) {
      --depth;
    }
    if (letter == ',' && depth == 0 && !quoted) {
      items.push_back(std::exchange(item, ""));
    } else if (!(item.empty() && letter == ' ')) {
      item += letter;
    }
  }
  if (!item.empty()) {
    items.push_back(item);
  }
  return items;
}

int tensorsIn(const std::string& structure) {
  int count = 0;
  bool quoted = false;
  for (char letter : structure) {
    if (letter == '"' || letter == '\'') {
      quoted = !quoted;
    }
    if (letter == 'T' && !quoted) {
      ++count;
    }
  }
  return count;
}

/// The expression that gives flattened output `index`; null where the text does not say.
const language::Expr* expressionOf(const language::Expr& returned, const std::string& structure, int index) {
  if (structure == "T") {
    return index == 0 ? &returned : nullptr;
  }
  if (returned.kind != language::ExprKind::kTuple && returned.kind != language::ExprKind::kList) {
    return nullptr;
  }
  const std::vector<std::string> items = itemsOf(structure);
  if (items.size() != returned.children.size()) {
    return nullptr;
  }
  for (size_t item = 0; item < items.size(); ++item) {
    const int count = tensorsIn(items[item]);
    if (index < count) {
      return expressionOf(*returned.children[item], items[item], index);
    }
    index -= count;
  }
  return nullptr;
}

struct BodyFacts {
  std::vector<const language::Expr*> returned;
  std::set<std::string> written;
};

void gatherFacts(const std::vector<language::StatementPtr>& body, BodyFacts& facts) {
  for (const language::StatementPtr& statement : body) {
    if (statement->kind == language::StatementKind::kReturn && statement->value) {
      facts.returned.push_back(statement->value.get());
    }
    if (statement->kind != language::StatementKind::kDelete) {
      for (const std::string& name : language::namesWritten(*statement)) {
        facts.written.insert(name);
      }
    }
    gatherFacts(statement->body, facts);
    gatherFacts(statement->orElse, facts);
    if (statement->function) {
      language::anyStatement(statement->function->body, [&](const language::Statement& inner) {
        if (inner.kind == language::StatementKind::kNonlocal) {
          for (const language::ExprPtr& name : inner.targets) {
            facts.written.insert(name->text);
          }
        }
        return false;
      });
    }
  }
}

} // namespace

bool returnsParameter(const language::Case& theCase, const std::string& structure, int index) {
  const language::Function* program = theCase.find("program");
  if (!program) {
    return false;
  }
  BodyFacts facts;
  gatherFacts(program->body, facts);
  return !facts.returned.empty() &&
         std::all_of(facts.returned.begin(), facts.returned.end(), [&](const language::Expr* returned) {
           const language::Expr* expression = expressionOf(*returned, structure, index);
           if (!expression || expression->kind != language::ExprKind::kName ||
               facts.written.contains(expression->text)) {
             return false;
           }
           return std::find(program->parameters.begin(), program->parameters.end(), expression->text) !=
                  program->parameters.end();
         });
}

void compareAliasing(const Comparison& comparison, CallFindings& findings) {
  AliasingComparison(comparison, findings).run();
}

} // namespace touchstone::compare
