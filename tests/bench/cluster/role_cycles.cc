// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/role_cycles.hh"

namespace rackway::bench {
namespace {

double ratio(double sum, double count) {
  return count > 0 ? sum / count : 0;
}

}  // namespace

void RoleCycles::add_ingress(std::uint64_t cycles, unsigned frames) {
  if (was_interrupted(cycles, frames)) return;
  ingress_cycles_ += static_cast<double>(cycles);
  ingress_frames_ += frames;
}

void RoleCycles::add_link(std::uint64_t cycles, unsigned relayed, unsigned leaving) {
  if (was_interrupted(cycles, relayed + leaving)) return;
  const double c = static_cast<double>(cycles), r = relayed, e = leaving;
  link_cycles_ += c;
  relayed_ += r;
  leaving_ += e;
  rr_ += r * r;
  re_ += r * e;
  ee_ += e * e;
  rc_ += r * c;
  ec_ += e * c;
}

double RoleCycles::ingress() const {
  return ratio(ingress_cycles_, ingress_frames_);
}

double RoleCycles::relay() const {
  const double determinant = rr_ * ee_ - re_ * re_;
  if (relayed_ == 0) return 0;
  return leaving_ == 0 ? ratio(rc_, rr_) : ratio(rc_ * ee_ - ec_ * re_, determinant);
}

double RoleCycles::egress() const {
  const double determinant = rr_ * ee_ - re_ * re_;
  if (leaving_ == 0) return 0;
  return relayed_ == 0 ? ratio(ec_, ee_) : ratio(ec_ * rr_ - rc_ * re_, determinant);
}

double RoleCycles::whole_way() const {
  return ratio(ingress_cycles_ + link_cycles_, ingress_frames_);
}

}  // namespace rackway::bench
