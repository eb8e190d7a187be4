#pragma once

#include <string>
#include <vector>

namespace touchstone::report {

/// A text for XML and HTML; `?` for control characters, which XML has not.
std::string escapeXml(const std::string& text);

/// One test of a JUnit report: a case file under one backend.
struct JUnitCase {
  std::string name;
  std::string className;
  std::string failure; // empty: passed
  std::string details;
};

/// The XML text that CI systems read.
std::string junitText(const std::string& suite, const std::vector<JUnitCase>& cases);

} // namespace touchstone::report
