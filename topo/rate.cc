// SPDX-License-Identifier: Apache-2.0
#include "topo/rate.hh"

#include <algorithm>

namespace rackway::topo {
namespace {

// 0 if it is none.
std::uint64_t kilobits_of(char unit) {
  if (unit == 'M') return 1'000;
  if (unit == 'G') return 1'000'000;
  if (unit == 'T') return 1'000'000'000;
  return 0;
}

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::uint64_t number_in(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char c : digits) number = number * 10 + static_cast<std::uint64_t>(c - '0');
  return number;
}

}  // namespace

std::optional<Mbps> parse_rate(std::string_view text) {
  constexpr std::size_t kMostDigits = 9, kMostDecimals = 3;
  const std::uint64_t unit = text.empty() ? 0 : kilobits_of(text.back());
  if (unit == 0) return std::nullopt;
  text.remove_suffix(1);
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  const auto decimals = point == std::string_view::npos ? "" : text.substr(point + 1);
  const bool well_formed = !whole.empty() && whole.size() <= kMostDigits && all_digits(whole) &&
                           decimals.size() <= kMostDecimals && all_digits(decimals) &&
                           (point == std::string_view::npos || !decimals.empty());
  if (!well_formed) return std::nullopt;
  std::uint64_t thousandths = number_in(decimals);
  for (auto i = decimals.size(); i < kMostDecimals; ++i) thousandths *= 10;
  const std::uint64_t kilobits = number_in(whole) * unit + thousandths * unit / 1'000;
  const std::uint64_t rate = kilobits / 1'000;
  if (kilobits % 1'000 != 0 || rate == 0 || rate > kMaxRate) return std::nullopt;
  return static_cast<Mbps>(rate);
}

}  // namespace rackway::topo
