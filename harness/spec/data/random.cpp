// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/random.h"

#include <bit>
#include <cmath>
#include <span>

#include "engine/base/fnv.h"

namespace assay::spec {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

// Natural logarithm by the series of 2 atanh((m - 1) / (m + 1)) with m in [1/2, 1): std::log may differ in the last bit
// between C libraries.
double portable_log(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  const double t = (mantissa - 1.0) / (mantissa + 1.0);
  const double t2 = t * t;
  double sum = 0.0;
  for (int k = 31; k >= 1; k -= 2) {
    sum = sum * t2 + 1.0 / static_cast<double>(k);
  }
  constexpr double kLn2 = 0.693147180559945309417232121458;
  return 2.0 * t * sum + static_cast<double>(exponent) * kLn2;
}

double polynomial(std::span<const double> coefficients, double x) {
  double sum = 0.0;
  for (std::size_t i = coefficients.size(); i-- > 0;) {
    sum = sum * x + coefficients[i];
  }
  return sum;
}

// M. J. Wichura, Algorithm AS 241: The Percentage Points of the Normal Distribution, Applied Statistics 37 (1988).
double inverse_normal(double p) {
  constexpr double kA[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                           1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                           3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double kB[] = {1.0,
                           4.2313330701600911252e+1,
                           6.8718700749205790830e+2,
                           5.3941960214247511077e+3,
                           2.1213794301586595867e+4,
                           3.9307895800092710610e+4,
                           2.8729085735721942674e+4,
                           5.2264952788528545610e+3};
  constexpr double kC[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                           3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                           2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double kD[] = {1.0,
                           2.05319162663775882187e0,
                           1.67638483018380384940e0,
                           6.89767334985100004550e-1,
                           1.48103976427480074590e-1,
                           1.51986665636164571966e-2,
                           5.47593808499534494600e-4,
                           1.05075007164441684324e-9};
  constexpr double kE[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                           2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                           2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double kF[] = {1.0,
                           5.99832206555887937690e-1,
                           1.36929880922735805310e-1,
                           1.48753612908506148525e-2,
                           7.86869131145613259100e-4,
                           1.84631831751005468180e-5,
                           1.42151175831644588870e-7,
                           2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kA, r) / polynomial(kB, r);
  }
  const double tail = q < 0.0 ? p : 1.0 - p;
  double r = std::sqrt(-portable_log(tail));
  double value = 0.0;
  if (r <= 5.0) {
    r -= 1.6;
    value = polynomial(kC, r) / polynomial(kD, r);
  } else {
    r -= 5.0;
    value = polynomial(kE, r) / polynomial(kF, r);
  }
  return q < 0.0 ? -value : value;
}

}  // namespace

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    word = splitmix64(seed);
  }
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

std::int64_t Random::integer(std::int64_t low, std::int64_t high) {
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  std::uint64_t draw = next();
  if (span != 0) {
    // The largest multiple of span that fits 64 bits; draws beyond it would favour small values.
    const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % span + 1) % span;
    while (draw > limit) {
      draw = next();
    }
    draw %= span;
  }
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + draw);
}

double Random::normal() { return inverse_normal((static_cast<double>(next() >> 12U) + 0.5) * 0x1p-52); }

std::uint64_t seed_of(std::string_view name) { return fnv1a(name) & ((std::uint64_t{1} << 53U) - 1); }

}  // namespace assay::spec
