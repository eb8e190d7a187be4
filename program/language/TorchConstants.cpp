#include "program/language/TorchConstants.h"

namespace touchstone::language {

const std::set<std::string>& dtypeNames() {
  static const std::set<std::string> names = {"bfloat16", "bool",    "complex128", "complex32", "complex64", "float16",
                                              "float32",  "float64", "int16",      "int32",     "int64",     "int8",
                                              "uint16",   "uint32",  "uint64",     "uint8"};
  return names;
}

const std::set<std::string>& torchConstants() {
  static const std::set<std::string> names = [] {
    std::set<std::string> all = {"double",
                                 "float",
                                 "half",
                                 "int",
                                 "long",
                                 "short",
                                 "cdouble",
                                 "cfloat",
                                 "chalf",
                                 "channels_last",
                                 "contiguous_format",
                                 "channels_last_3d",
                                 "newaxis",
                                 "preserve_format",
                                 "strided",
                                 "e",
                                 "inf",
                                 "nan",
                                 "pi"};
    all.insert(dtypeNames().begin(), dtypeNames().end());
    return all;
  }();
  return names;
}

} // namespace touchstone::language
