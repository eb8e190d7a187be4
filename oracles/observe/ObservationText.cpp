#include "oracles/observe/ObservationText.h"

#include "oracles/observe/TensorSlot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace touchstone::observe {

namespace {

constexpr int64_t kShownElements = 4;

/// Sets every NaN among numbers of one bit layout to the one without sign and payload.
template <class Bits>
void unifyNaNs(std::vector<char>& bytes, Bits infinity, Bits quietBit) {
  for (size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits)) {
    Bits bits = 0;
    std::memcpy(&bits, bytes.data() + at, sizeof(Bits));
    const auto magnitude = static_cast<Bits>(bits & static_cast<Bits>(std::numeric_limits<Bits>::max() >> 1));
    if (magnitude > infinity) {
      bits = static_cast<Bits>(infinity | quietBit);
      std::memcpy(bytes.data() + at, &bits, sizeof(Bits));
    }
  }
}

std::vector<char> bytesOf(const at::Tensor& values) {
  std::vector<char> bytes(static_cast<size_t>(values.numel()) * values.itemsize());
  if (!bytes.empty()) {
    std::memcpy(bytes.data(), values.const_data_ptr(), bytes.size());
  }
  switch (c10::toRealValueType(values.scalar_type())) {
    case at::kHalf: unifyNaNs<uint16_t>(bytes, 0x7C00, 0x0200); break;
    case at::kBFloat16: unifyNaNs<uint16_t>(bytes, 0x7F80, 0x0040); break;
    case at::kFloat: unifyNaNs<uint32_t>(bytes, 0x7F800000, 0x00400000); break;
    case at::kDouble: unifyNaNs<uint64_t>(bytes, 0x7FF0000000000000, 0x0008000000000000); break;
    default: break;
  }
  return bytes;
}

std::string hexadecimal(const std::vector<char>& bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

/// FNV-1a, the same on every machine.
uint64_t hashOf(const std::vector<char>& bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

/// Without the sign of a NaN.
double shown(double number) {
  return std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number;
}

template <class Number>
std::string listOf(const at::Tensor& elements) {
  const auto* numbers = elements.const_data_ptr<Number>();
  std::string text;
  for (int64_t i = 0; i < elements.numel(); ++i) {
    if constexpr (std::is_same_v<Number, c10::complex<double>>) {
      text += fmt::format("{}{:.9g}{:+.9g}j", i == 0 ? "" : ", ", shown(numbers[i].real()), shown(numbers[i].imag()));
    } else if constexpr (std::is_same_v<Number, double>) {
      text += fmt::format("{}{:.9g}", i == 0 ? "" : ", ", shown(numbers[i]));
    } else {
      text += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
    }
  }
  return text;
}

std::string firstElements(const at::Tensor& values) {
  const at::Tensor first = values.flatten().slice(0, 0, std::min(values.numel(), kShownElements));
  const std::string numbers = values.is_complex()          ? listOf<c10::complex<double>>(first.to(at::kComplexDouble))
                              : values.is_floating_point() ? listOf<double>(first.to(at::kDouble))
                                                           : listOf<int64_t>(first.to(at::kLong));
  return "[" + numbers + (values.numel() > kShownElements ? ", …]" : "]");
}

std::string textOfElements(const at::Tensor& values, ValuesText how) {
  const std::vector<char> bytes = bytesOf(values);
  return how == ValuesText::kBits ? hexadecimal(bytes)
                                  : fmt::format("{:016x} {}", hashOf(bytes), firstElements(values));
}

std::string firstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string textOfTensor(const TensorObservation& tensor, ValuesText how) {
  std::string text;
  for (const TensorField& field : kTensorFields) {
    if (field.name) {
      const auto* flag = std::get_if<bool TensorObservation::*>(&field.member);
      text += fmt::format("{} {}; ", field.name, flag ? std::to_string(tensor.**flag) : textOf(field, tensor));
    }
  }
  return text + "autograd error " + firstLine(tensor.autogradError) + "; values " +
         (tensor.values.defined() ? textOfElements(tensor.values, how) : "error " + firstLine(tensor.valuesError));
}

std::string textOfDouble(double number) {
  return fmt::format("{:016x}", std::isnan(number) ? uint64_t{0x7FF8000000000000} : std::bit_cast<uint64_t>(number));
}

std::string textOfNonTensor(const values::Value& value) {
  std::string text = value.typeName();
  if (const auto* flag = value.maybe<bool>()) {
    return text + (*flag ? " 1" : " 0");
  }
  if (const auto* number = value.maybe<int64_t>()) {
    return fmt::format("{} {}", text, *number);
  }
  if (const auto* number = value.maybe<double>()) {
    return text + " " + textOfDouble(*number);
  }
  if (const auto* number = value.maybe<std::complex<double>>()) {
    return text + " " + textOfDouble(number->real()) + " " + textOfDouble(number->imag());
  }
  if (const auto* characters = value.maybe<std::string>()) {
    return text + " " + *characters;
  }
  if (const auto* dtype = value.maybe<at::ScalarType>()) {
    return text + " " + c10::toString(*dtype);
  }
  return text;
}

class TextCollector {
 public:
  explicit TextCollector(ValuesText how) : how_(how) {}

  void add(std::string name, std::string text) { texts.emplace_back(std::move(name), std::move(text)); }
  void add(const char* name, const std::optional<ExceptionObservation>& exception) {
    if (exception) {
      add(name, exception->phase + ": " + exception->type + ": " + firstLine(exception->message));
    }
  }
  void add(const char* role, const std::vector<TensorObservation>& tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      add(fmt::format("{} {}", role, i), textOfTensor(tensors[i], how_));
    }
  }
  std::string elements(const at::Tensor& values) const { return textOfElements(values, how_); }
  std::string tensor(const TensorObservation& tensor) const { return textOfTensor(tensor, how_); }

  ObservationTexts texts;

 private:
  const ValuesText how_;
};

/// Not of gradients.
Location::Role roleOf(LaterChange::Of of) {
  switch (of) {
    case LaterChange::Of::kOutput: return Location::Role::kOutput;
    case LaterChange::Of::kArgument: return Location::Role::kArgument;
    case LaterChange::Of::kWatched: return Location::Role::kWatched;
    case LaterChange::Of::kTangent: return Location::Role::kTangent;
    case LaterChange::Of::kGradient: break;
  }
  throw std::logic_error("a gradient is told by its leaf");
}

/// That of an input that has another one than at the look before.
void addLaterLayout(const CallObservation& call, const LaterChange& change, TextCollector& found) {
  if (change.of != LaterChange::Of::kArgument && change.of != LaterChange::Of::kWatched) {
    return;
  }
  const Location where{roleOf(change.of), change.index};
  const TensorObservation& first = *observationAt(call, slotAt(where));
  std::pair before(first.sizes, first.strides);
  for (const LaterChange& other : call.changes) {
    if (other.of == change.of && other.index == change.index && other.after < change.after) {
      before = {other.sizes, other.strides};
    }
  }
  if (before != std::pair(change.sizes, change.strides)) {
    found.add(fmt::format("{} layout looked at again after call {}", where.text(), change.after),
              fmt::format("{} {}", change.sizes, change.strides));
  }
}

/// Those that can be told: other NaNs are none.
void addLaterChanges(const CallObservation& call, TextCollector& found) {
  const auto text = [&](const at::Tensor& values) { return values.defined() ? found.elements(values) : "error"; };
  for (const LaterChange& change : call.changes) {
    const TensorSlot slot = slotAt(change), before{slot.kind, slot.index, slot.after - 1};
    const std::string now = text(change.values);
    if (now != text(valuesAt(call, before))) {
      const auto index = static_cast<size_t>(change.index);
      const std::string name = change.of == LaterChange::Of::kGradient
                                   ? fmt::format("gradient {} of {}", index, call.gradients[index].leaf.text())
                                   : Location{roleOf(change.of), change.index}.text();
      found.add(fmt::format("{} looked at again after call {}", name, change.after), now);
    }
    addLaterLayout(call, change, found);
  }
}

} // namespace

ObservationTexts observationTexts(const CallObservation& call, ValuesText values) {
  TextCollector found(values);
  found.add("exception", call.exception);
  found.add("backward exception", call.backwardException);
  found.add("structure", call.structure);
  found.add("argument structure", call.argumentStructure);
  found.add("state", call.state);
  for (size_t i = 0; i < call.nonTensors.size(); ++i) {
    found.add(fmt::format("non-tensor {}", i), textOfNonTensor(call.nonTensors[i]));
  }
  found.add("output", call.outputs);
  found.add("arg", call.arguments);
  found.add("watched", call.watched);
  addLaterChanges(call, found);
  for (size_t i = 0; i < call.inputStorages.size(); ++i) {
    if (call.inputStorages[i].defined()) {
      found.add(fmt::format("input storage {}", i), found.elements(call.inputStorages[i]));
    }
  }
  for (const StorageMember& member : call.partition) {
    found.add(member.location.text() + " in storage",
              fmt::format("{} [{}, {}) object {}", member.storage, member.firstByte, member.endByte, member.object));
  }
  for (const EffectObservation& effect : call.effects) {
    std::string changed;
    for (const Location& location : effect.changed) {
      changed += (changed.empty() ? "" : ", ") + location.text();
    }
    found.add("writing to " + effect.written.text(), changed);
  }
  for (size_t i = 0; i < call.gradients.size(); ++i) {
    const GradientObservation& gradient = call.gradients[i];
    found.add(fmt::format("gradient {} of {}", i, gradient.leaf.text()),
              gradient.gradient ? found.tensor(*gradient.gradient) : "None");
  }
  return std::move(found.texts);
}

} // namespace touchstone::observe
