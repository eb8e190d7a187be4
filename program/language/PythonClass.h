#pragma once

#include "program/language/Ast.h"

#include <string>
#include <vector>

namespace touchstone::language {

/// `NAME: annotation = value` in the body of a class; one of the two may be missing.
struct ClassField {
  std::string name;
  ExprPtr annotation;
  ExprPtr value;
  Place place = {};
};

/// A class of a case file that is no custom autograd function. A Case that has one runs in Python.
struct PythonClass {
  std::string name;
  std::vector<ExprPtr> bases; // `torch.nn.Module`, `typing.NamedTuple`, classes above it, …
  std::vector<ExprPtr> decorators; // `dataclasses.dataclass`
  std::vector<ClassField> fields; // in file order, before the methods
  std::vector<Function> methods; // each with its decorators: `property`, `staticmethod`, …
  Place place = {};
};

/// `NAME = value` at the top level of a case file.
struct Constant {
  std::string name;
  ExprPtr value;
  Place place = {};
};

} // namespace touchstone::language
