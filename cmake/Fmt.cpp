// What of fmt does not depend on what is formatted, compiled once instead of in every source that formats.
#include <fmt/format-inl.h>

using namespace fmt; // `locale_ref` is in one of the two, by fmt's version
using namespace fmt::detail;

template dragonbox::decimal_fp<float> fmt::detail::dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> fmt::detail::dragonbox::to_decimal(double) noexcept;
template thousands_sep_result<char> fmt::detail::thousands_sep_impl(locale_ref);
template char fmt::detail::decimal_point_impl(locale_ref);
