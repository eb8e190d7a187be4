#pragma once

#include "program/values/Value.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace touchstone::capture {

/// How values are put together when a captured Graph has run: from tensors that the Graph was given or has made, lists and
/// the like that the call was given, new ones, and constants. One object in the values becomes one object.
class ValueTemplate {
 public:
  /// Where a tensor comes from.
  struct TensorSource {
    bool isInput = false;
    size_t index = 0; // among the inputs, or the Graph's outputs
  };
  using FindSource = std::function<TensorSource(const at::Tensor& tensor)>;

  /// `given`: the containers among the call's arguments, as containersIn() lists them. `findSource` may throw.
  ValueTemplate(const std::vector<values::Value>& given, FindSource findSource);

  /// Adds a value; returns its number.
  size_t add(const values::Value& value);
  /// What was given at this place has other contents now, which are put in when the template is filled in.
  void addContentsOfGiven(size_t place);
  /// Ends the making: lets go of the values that it was made from.
  void finish();

  /// False when no container that was given plays a role, so that an empty list may stand for them.
  bool readsGiven() const { return readsGiven_; }
  /// Inputs that the values hold.
  const std::vector<size_t>& inputs() const { return inputs_; }

  /// The ints among the constants, in an order that depends on the structure alone.
  std::vector<int64_t> integers() const;
  /// With other ints, of that number, in their place.
  ValueTemplate withIntegers(const std::vector<int64_t>& integers) const;
  /// Equal but for the ints.
  bool sameStructure(const ValueTemplate& other) const;

  /// The values, in the order of add(). `inputs`: all of them, or at least those of inputs().
  values::ValueList fill(const std::vector<at::Tensor>& inputs, const std::vector<at::Tensor>& outputs,
                         const std::vector<values::Value>& given) const;

 private:
  enum class Kind { kInput, kOutput, kContainer, kTuple, kConstant };
  struct Part {
    Kind kind = Kind::kConstant;
    size_t index = 0; // of the tensor or the container
    bool isSize = false;
    std::vector<Part> items; // kTuple
    values::Value constant;
  };
  struct Container {
    values::Value like; // its kind, keys, names; for a new one
    int given = -1;
    bool changed = false;
    std::vector<Part> items; // of lists, dicts and the fields of modules
  };
  class Filling;

  template <typename Template, typename See>
  static void forEachPart(Template& plan, See&& see);
  template <typename Parts, typename See>
  static void forEachPartOf(Parts& parts, See& see);
  static bool samePart(const Part& left, const Part& right);

  Part partOf(const values::Value& value);
  size_t containerOf(const values::Value& value);
  void describe(size_t container, const values::Value& value);

  FindSource findSource_;
  std::vector<values::Value> given_, kept_; // while it is made, so that no address is used twice
  std::map<const void*, size_t> known_;
  std::vector<Container> containers_;
  std::vector<Part> values_;
  std::vector<size_t> inputs_;
  bool readsGiven_ = false;
};

} // namespace touchstone::capture
