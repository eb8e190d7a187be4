#pragma once

#include "program/standalone/MainPartPlan.h"

#include <initializer_list>
#include <string>
#include <utility>

namespace touchstone::standalone {

/// Which tensors of a call a property is seen of.
enum class Group { kOutputs, kInputs, kAll };

/// Writes the `__main__` part of a Case, or the same comparison as a function for pytest. The text is put together from pieces; a
/// piece is there when the Case's calls or the property need it. All of it stands in one function, so that it hides no function
/// of the file.
class MainPartWriter {
 public:
  explicit MainPartWriter(const language::Case& theCase) : MainPartWriter(theCase, planMainPart(theCase)) {}
  MainPartWriter(const language::Case& theCase, MainPartPlan plan)
      : case_(theCase), plan_(std::move(plan)), single_(plan_.properties.size() == 1) {}
  std::string write();
  /// A function of the backend's name, as torch.compile knows it, that raises AssertionError where the compiled program differs.
  std::string writeAssertion(const std::string& name);

 private:
  void add(int indent, const std::string& line) {
    indent -= asserts_ ? 1 : 0; // the function stands by itself
    text_ += line.empty() ? "\n" : std::string(static_cast<size_t>(indent) * 4, ' ') + line + "\n";
  }

  // What the property needs
  bool sees(language::Property property) const { return plan_.checks(property); }
  bool seesAny(std::initializer_list<language::Property> properties) const;
  bool seesGroup(Group group) const;
  bool seesGradients() const {
    return seesAny({language::Property::kGradientPresence, language::Property::kGradientValues});
  }
  bool seesTensors() const;
  // The tensors of a call by name are kept until all calls are made.
  bool keeps() const { return sees(language::Property::kEffect) || plan_.lateLook; }
  bool needsGiven() const;
  bool needsFlattening() const { return seesTensors() || plan_.backward || plan_.between; }
  bool comparesTensors() const;

  // The frame (MainPart.cpp)
  void addPurpose();
  void addSettings();
  void addCompile();
  void addComparison();
  void addVerdict();
  std::string compileArguments() const;
  std::string names() const; // of what is compared
  std::string condition() const; // under which `a` of eager and `b` differ

  // Making the calls (MainPartCalls.cpp)
  void addRun();
  void addForward();
  void addBackwardCalls();
  void addRaised();
  std::string modes() const;
  void addBackward();
  void addTangent();
  std::string tangent(language::TangentLayout layout) const;

  // Looking at what came of them (MainPartObservation.cpp)
  void addReading();
  void addSameness();
  void addEffects();
  void addObservation(int indent);
  void addPieces(Group group, int indent);
  void addGradients(int indent, const std::string& number, const std::string& gradients);

  const language::Case& case_;
  MainPartPlan plan_;
  bool single_; // one property: names need not say which
  bool asserts_ = false;
  std::string text_;
};

} // namespace touchstone::standalone
