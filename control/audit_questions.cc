// SPDX-License-Identifier: Apache-2.0
#include "control/audit_questions.hh"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace rackway::control {
namespace {

constexpr unsigned kSwept = 8;     // prefixes of both families, each in its turn
constexpr unsigned kPrefixes = 4;  // random ones of each family
constexpr unsigned kAnywhere = 8;  // random addresses of each family
constexpr unsigned kByPrefix = 3;  // its first, its last, and one beside
static_assert((kSwept + 2 * kPrefixes) * kByPrefix + 2 * kAnywhere <= cluster::kMaxAuditLookups);

using Octets = std::array<std::uint8_t, 16>;

Octets octets_of(const IpAddress& address) {
  Octets octets{};
  std::memcpy(octets.data(), address.data(), address.size());
  return octets;
}

IpAddress address_of(const Octets& octets, Family family) {
  return *IpAddress::from_bytes(octets.data(), family == Family::ipv4 ? 4 : 16);
}

// The bits from that one on are other ones.
template <class Bits>
IpAddress with_tail(const IpAddress& address, unsigned from, Bits bits) {
  auto octets = octets_of(address);
  for (unsigned bit = from; bit < address.size() * 8; ++bit) {
    const auto mask = static_cast<std::uint8_t>(0x80 >> bit % 8);
    octets[bit / 8] =
        static_cast<std::uint8_t>(bits() ? octets[bit / 8] | mask : octets[bit / 8] & ~mask);
  }
  return address_of(octets, address.family());
}

IpAddress last_of(const IpPrefix& prefix) {
  return with_tail(prefix.address, prefix.length, [] { return true; });
}

// The address behind it, or before it; it itself at the end of all.
IpAddress beside(const IpAddress& address, bool behind) {
  auto octets = octets_of(address);
  for (std::size_t i = address.size(); i-- > 0;) {
    octets[i] = static_cast<std::uint8_t>(octets[i] + (behind ? 1 : -1));
    if (octets[i] != (behind ? 0x00 : 0xff)) return address_of(octets, address.family());
  }
  return address;
}

IpAddress random_from(const IpAddress& address, unsigned bit, std::mt19937_64& random) {
  return with_tail(address, bit, [&] { return (random() & 1) != 0; });
}

// The first route of the family from the address on, or else of the whole family.
std::optional<IpPrefix> route_from(const fib::Fib& content, const IpAddress& address) {
  const IpPrefix before_all{address, 0};
  const IpPrefix least{address.is_v4() ? IpAddress(Ipv4Address{}) : IpAddress(Ipv6Address{}), 0};
  for (const auto& from : {before_all, least}) {
    const auto found = content.routes_after(from, 1);
    if (!found.empty() && found[0].prefix.address.family() == address.family()) {
      return found[0].prefix;
    }
  }
  return std::nullopt;
}

std::string text_of(const cluster::AuditOutcome& outcome) {
  if (outcome.group == cluster::AuditOutcome::kNoGroup) return "no group";
  return "group " + std::to_string(outcome.group.value);
}

}  // namespace

AuditQuestions::AuditQuestions(std::uint64_t number, Epoch epoch, const fib::Fib& content,
                               std::optional<IpPrefix>& sweep, std::mt19937_64& random)
    : request_{.number = number, .epoch = epoch}, digest_(content.digest()) {
  const auto next = content.routes_after(sweep, kSwept);
  for (const auto& route : next) add_edges(route.prefix, content, random);
  sweep = next.size() < kSwept ? std::nullopt : std::optional(next.back().prefix);
  choose(Family::ipv4, content, random);
  choose(Family::ipv6, content, random);
}

// Routes crowd in small parts of the space: the next one is sought from a random distance of the
// one before, near ones as likely as far ones.
void AuditQuestions::choose(Family family, const fib::Fib& content, std::mt19937_64& random) {
  const unsigned bits = family == Family::ipv4 ? 32 : 64;  // few routes are longer
  const IpAddress zero = family == Family::ipv4 ? IpAddress(Ipv4Address{}) : Ipv6Address{};
  IpAddress at = random_from(zero, 0, random);
  for (unsigned i = 0; i < kPrefixes; ++i) {
    const auto prefix = route_from(content, at);
    if (!prefix) break;
    add_edges(*prefix, content, random);
    at = random_from(prefix->address, static_cast<unsigned>(random() % bits), random);
  }
  for (unsigned i = 0; i < kAnywhere; ++i) add(random_from(zero, 0, random), content, random);
}

void AuditQuestions::add_edges(const IpPrefix& prefix, const fib::Fib& content,
                               std::mt19937_64& random) {
  const auto last = last_of(prefix);
  const bool behind = (random() & 1) != 0;
  add(prefix.address, content, random);
  add(last, content, random);
  add(beside(behind ? last : prefix.address, behind), content, random);
}

void AuditQuestions::add(const IpAddress& address, const fib::Fib& content,
                         std::mt19937_64& random) {
  request_.lookups.push_back({address, static_cast<std::uint32_t>(random())});
  expected_.push_back(expected_of(content, address));
}

AuditQuestions::Expected AuditQuestions::expected_of(const fib::Fib& content,
                                                     const IpAddress& address) {
  const auto route = content.longest_match(address);
  const auto* group = route ? content.find(route->group) : nullptr;
  if (group == nullptr) return {};
  Expected expected{.kind = group->kind, .group = group->id};
  for (const auto& member : group->members) {
    const auto* adjacency = content.find(member.adjacency);
    if (adjacency != nullptr) expected.ways.emplace_back(member.adjacency, adjacency->mtu);
  }
  std::ranges::sort(expected.ways);
  return expected;
}

bool AuditQuestions::agrees(const Expected& expected, const cluster::AuditOutcome& outcome) {
  if (outcome.kind != expected.kind || outcome.group != expected.group) return false;
  return outcome.kind != fib::GroupKind::forward ||
         std::ranges::binary_search(expected.ways, std::pair(outcome.adjacency, outcome.mtu));
}

std::string AuditQuestions::fault_in(const cluster::AuditAnswer& answer) const {
  if (answer.outcomes.size() != expected_.size()) {
    return std::to_string(answer.outcomes.size()) + " outcomes of " +
           std::to_string(expected_.size()) + " lookups";
  }
  std::size_t wrong = 0;
  std::string first;
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    if (agrees(expected_[i], answer.outcomes[i])) continue;
    if (wrong++ == 0) {
      first = request_.lookups[i].address.to_string() + " leads to " + text_of(answer.outcomes[i]) +
              ", not as group " + std::to_string(expected_[i].group.value) + " says";
    }
  }
  if (wrong > 0) {
    return std::to_string(wrong) + " of " + std::to_string(expected_.size()) + " lookups, " + first;
  }
  return answer.has_digest && answer.digest != digest_ ? "the digest of its records" : "";
}

}  // namespace rackway::control
