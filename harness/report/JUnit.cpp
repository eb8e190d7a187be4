#include "harness/report/JUnit.h"

#include <algorithm>

namespace touchstone::report {

std::string escapeXml(const std::string& text) {
  std::string result;
  for (const char character : text) {
    switch (character) {
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      case '"': result += "&quot;"; break;
      default: {
        const auto code = static_cast<unsigned char>(character);
        result +=
            code < 0x20 && character != '\n' && character != '\t' ? '?' : character; // XML has no control characters
      }
    }
  }
  return result;
}

std::string junitText(const std::string& suite, const std::vector<JUnitCase>& cases) {
  const auto failures =
      std::count_if(cases.begin(), cases.end(), [](const JUnitCase& each) { return !each.failure.empty(); });
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + escapeXml(suite) +
                     "\" tests=\"" + std::to_string(cases.size()) + "\" failures=\"" + std::to_string(failures) +
                     "\">\n";
  for (const JUnitCase& each : cases) {
    text += "  <testcase name=\"" + escapeXml(each.name) + "\" classname=\"" + escapeXml(each.className) + "\"";
    if (each.failure.empty()) {
      text += "/>\n";
    } else {
      text += ">\n    <failure message=\"" + escapeXml(each.failure) + "\">" + escapeXml(each.details) +
              "</failure>\n  </testcase>\n";
    }
  }
  return text + "</testsuite>\n";
}

} // namespace touchstone::report
