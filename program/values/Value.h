#pragma once

#include <ATen/core/Tensor.h>

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace touchstone::values {

class Value;
using ValueList = std::vector<Value>;

/// Python's `...` as an index.
struct EllipsisValue {};
struct ListObject; // shared and mutable, as in Python
struct TupleObject; // also torch.Size
struct DictObject;
struct SliceObject;
struct ModuleObject;
struct HandleObject;
class FunctionObject;
class OpaqueObject;

using ListPtr = std::shared_ptr<ListObject>;
using TuplePtr = std::shared_ptr<TupleObject>;
using DictPtr = std::shared_ptr<DictObject>;
using SlicePtr = std::shared_ptr<SliceObject>;
using ModulePtr = std::shared_ptr<ModuleObject>;
using HandlePtr = std::shared_ptr<HandleObject>;
using FunctionPtr = std::shared_ptr<FunctionObject>;
using OpaquePtr = std::shared_ptr<OpaqueObject>;

/// What a name of a Program can hold: Python's None, numbers, strings, tensors, torch's constants, and containers.
/// Copying shares tensors, lists, dicts and modules, as assignment does in Python.
class Value {
 public:
  using Payload = std::variant<std::monostate, bool, int64_t, double, std::complex<double>, std::string, at::Tensor,
                               at::ScalarType, at::Device, at::Layout, at::MemoryFormat, ListPtr, TuplePtr, DictPtr,
                               SlicePtr, ModulePtr, EllipsisValue, HandlePtr, FunctionPtr, OpaquePtr>;

  Value() = default; // None
  Value(Payload payload) : payload_(std::move(payload)) {}
  Value(at::Tensor tensor) : payload_(std::move(tensor)) {}
  static Value list(ValueList items);
  static Value tuple(ValueList items);
  static Value size(at::IntArrayRef sizes); // a torch.Size

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(payload_);
  }
  template <class T>
  const T& as() const {
    return std::get<T>(payload_);
  } // throws std::bad_variant_access
  template <class T>
  const T* maybe() const {
    return std::get_if<T>(&payload_);
  }

  bool isNone() const { return is<std::monostate>(); }
  bool isTensor() const { return is<at::Tensor>(); }
  bool isNumber() const { return is<bool>() || is<int64_t>() || is<double>() || is<std::complex<double>>(); }
  const at::Tensor& tensor() const { return as<at::Tensor>(); }
  const Payload& payload() const { return payload_; }
  /// The items of a list or tuple; null otherwise.
  const ValueList* items() const;

  /// Python's name of the type: `NoneType`, `int`, `Tensor`, `torch.Size`, …
  std::string typeName() const;

 private:
  Payload payload_;
};

struct ListObject {
  ValueList items;
};
struct TupleObject {
  ValueList items;
  bool isSize = false;
};
struct DictObject {
  std::vector<std::pair<std::string, Value>> entries; // insertion order
};
struct SliceObject {
  Value start, stop, step;
};

/// What `register_hook` returns; calling `remove` a second time does nothing.
struct HandleObject {
  std::function<void()> remove;
};

/// A function as a value: one of the file, or one that was made inside another and knows its variables.
class FunctionObject {
 public:
  using Keywords = std::vector<std::pair<std::string, Value>>;

  virtual ~FunctionObject() = default;
  virtual std::string name() const = 0; // `<lambda>` of a lambda
  virtual Value call(ValueList positional, Keywords keywords) const = 0;
};

/// A function of the file that runs when a module is called, or in the backward of such a call.
struct ModuleHook {
  enum class Kind { kForwardPre, kForward, kBackwardPre, kBackward };
  Kind kind;
  std::string function;
  bool active = true; // false after `handle.remove()`
};

/// An object that Python alone knows: of a class of the file, or of one of PyTorch's.
class OpaqueObject {
 public:
  using Parts = std::vector<std::pair<std::string, Value>>;

  virtual ~OpaqueObject() = default;
  virtual std::string className() const = 0;
  /// What it holds now, also in objects inside, by path (`layers.0.weight`), always in the same order: tensors, and numbers, strings
  /// and None. What is there twice is, the second time, a string that says so, unless it is a tensor.
  virtual Parts parts() const = 0;
};

/// A `torch.nn.Module` record: `typeName` is `Module` or a constructor of torch.nn (`Linear`, …) whose `hyper` parameters
/// (constructor arguments) its forward needs. Fields keep their order of registration.
struct ModuleObject {
  enum class FieldKind { kParameter, kBuffer, kModule, kPlain };
  struct Field {
    std::string name;
    FieldKind kind;
    Value value;
  };
  std::string typeName = "Module";
  std::vector<std::pair<std::string, Value>> hyper;
  bool training = true;
  std::vector<Field> fields;
  std::vector<std::shared_ptr<ModuleHook>> hooks; // in the order of their registration, also those that were removed

  Field* find(const std::string& name);
  /// The functions that hooks of a kind call now.
  std::vector<std::string> hooksOf(ModuleHook::Kind kind) const;
  bool hasHooks() const;
  bool hasSameHooks(const ModuleObject& other) const;
};

/// Appends every tensor inside, depth first in order: lists, tuples, dict values, module fields, parts of opaque objects.
void collectTensors(const Value& value, std::vector<at::Tensor>& tensors);
/// A name for each of these, in the same order: `xs_0` of a list `xs`, `m_weight` of a module `m`.
void collectTensorNames(const Value& value, const std::string& name, std::vector<std::string>& names);

} // namespace touchstone::values
