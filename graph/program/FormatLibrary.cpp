// The definitions behind <fmt/format.h>. The wheel of torch brings fmt's headers, which stand before the system's in the
// include path, but exports no library for them; the system's library is of another version.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
} // namespace detail
FMT_END_NAMESPACE
