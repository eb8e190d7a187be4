#pragma once

#include "harness/conformance/ConformanceReport.h"

#include <string>
#include <vector>

namespace touchstone::conformance {

/// A report for people and for other programs. `changes`: see changesSince(); empty: there is no older one, or nothing changed.
struct Page {
  const ConformanceReport& report;
  bool isCompared = false;
  std::vector<std::string> changes;
};
std::string markdownPage(const Page& page);
/// One file that needs no other.
std::string htmlPage(const Page& page);
/// A line a cell of operator × dtype × direction, with a line of names first.
std::string csvTable(const ConformanceReport& report);
/// A test a level.
std::string junitPage(const ConformanceReport& report);
/// Some lines for a terminal.
std::string summaryText(const Page& page);

// What several pages say alike.
/// `12 agreed, 3 wrong, 1 not judged`; empty: nothing was tried.
std::string countsText(const LevelReport& level);
/// `Delegated 80 %`; empty: there is no proof.
std::string proofText(const LevelReport& level);
/// `8 probes, 2 Programs: add, mul and 6 more with int8`.
std::string placesText(const CauseReport& cause);
/// `torch 2.13.0, openvino 2026.4.1`.
std::string versionsText(const ConformanceReport& report);

/// Operators in their order with their cells by dtype, forward before backward.
struct OperatorTable {
  std::vector<std::string> dtypes;
  struct Row {
    std::string name;
    std::vector<std::string>
        cells; // by dtype: `+` of what is supported, `-` of what was left to PyTorch, `+W`, ``; see legendOf()
    bool isSupported = true; // wherever eager has a Case
  };
  std::vector<Row> rows;
};
OperatorTable operatorTableOf(const ConformanceReport& report);
/// A line a symbol that the table has.
std::vector<std::string> legendOf(const ConformanceReport& report);

} // namespace touchstone::conformance
