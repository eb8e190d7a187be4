#pragma once

#include "program/language/Case.h"

#include <map>
#include <string>

namespace touchstone::decoder {

/// The Case's `program`, to be changed; null when there is none.
language::Function* programOf(language::Case& theCase);

/// Puts classes and functions before those of the Case. Throws as parser::parseDefinitions().
void addDefinitions(language::Case& theCase, const std::string& text);

/// The one name that an assignment binds; empty: it is another statement, or binds something else.
std::string boundName(const language::Statement& statement);

/// `def` inside another function.
language::StatementPtr definitionOf(language::Function function);

/// Whether the statement, or one in its blocks, writes to a tensor; read off its text.
bool writesToTensors(const language::StatementPtr& statement);

/// The statement with names in place of names, wherever they stand.
language::StatementPtr withNames(const language::StatementPtr& statement,
                                 const std::map<std::string, std::string>& names);

} // namespace touchstone::decoder
