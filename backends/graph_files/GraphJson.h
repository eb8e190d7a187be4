#pragma once

#include "graph/ir/Graph.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <vector>

namespace touchstone::graph_files {

/// A Graph as JSON, without its constants (their positions are kept). Every argument comes back as what it was: whole numbers,
/// floating ones (infinities, NaN and negative zero too), dtypes and containers are told apart. docs/graph_files.md has the
/// form. Throws ir::Unsupported for a Graph with callables, whose code no file holds.
nlohmann::json graphToJson(const ir::Graph& graph);

/// The Graph again; `constants` in the order of Graph::constants(). Throws std::runtime_error that says what is wrong: a
/// field that is missing or of another type, a name that is none, a reference to a later node, an operator that does not exist or
/// that no Program may call (graphOperatorDenialReason()).
ir::Graph graphFromJson(const nlohmann::json& object, const std::vector<std::shared_ptr<const void>>& constants);

/// A floating number; infinities and NaN are `{"float": "inf"}`. The latter throws std::runtime_error for another text.
nlohmann::json doubleToJson(double value);
double doubleFromJson(const nlohmann::json& object);

/// A tensor's metadata, without its storage: `{"dtype": "float32", "sizes": [3], "strides": [1], …}`.
nlohmann::json metadataToJson(const ir::TensorMetadata& metadata);
ir::TensorMetadata metadataFromJson(const nlohmann::json& object);

} // namespace touchstone::graph_files
