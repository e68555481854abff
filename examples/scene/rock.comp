#version 450
// Makes the tiling noise that everything else reads. Integers decide every random choice, so all drivers agree.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 5, rgba8) uniform writeonly image2D made;

uint hashOf(uvec2 cell, uint seed) {
  uint h = cell.x * 0x9E3779B1u ^ cell.y * 0x85EBCA77u ^ seed * 0xC2B2AE3Du;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return h ^ (h >> 15);
}

float unit(uint hash) { return float(hash >> 8) * (1.0 / 16777216.0); }

// Value noise on a lattice of `period` cells that closes on itself.
float waves(vec2 at, uint period, uint seed) {
  vec2 scaled = at * float(period);
  vec2 cell = floor(scaled), within = scaled - cell;
  vec2 soft = within * within * within * (within * (within * 6.0 - 15.0) + 10.0);
  uvec2 low = uvec2(cell) % period, high = (low + 1u) % period;
  float a = unit(hashOf(low, seed)), b = unit(hashOf(uvec2(high.x, low.y), seed));
  float c = unit(hashOf(uvec2(low.x, high.y), seed)), d = unit(hashOf(high, seed));
  return mix(mix(a, b, soft.x), mix(c, d, soft.x), soft.y);
}

// Waves upon waves, each half as high and twice as fine.
float octaves(vec2 at, uint period, uint seed, int count) {
  float sum = 0.0, weight = 0.5, total = 0.0;
  for (int i = 0; i < count; i++) {
    sum += waves(at, period << uint(i), seed + uint(i)) * weight;
    total += weight;
    weight *= 0.5;
  }
  return sum / total;
}

// Bubbles in the stone: 0 in the middle of a pore, 1 outside.
float pores(vec2 at, uint period, uint seed) {
  vec2 scaled = at * float(period);
  ivec2 cell = ivec2(floor(scaled));
  float nearest = 1.0;
  for (int y = -1; y <= 1; y++) {
    for (int x = -1; x <= 1; x++) {
      ivec2 other = cell + ivec2(x, y);
      uvec2 wrapped = uvec2(other + int(period)) % period;
      uint hash = hashOf(wrapped, seed);
      vec2 centre = vec2(other) + vec2(unit(hash), unit(hashOf(wrapped, seed + 77u)));
      float size = 0.16 + 0.34 * unit(hashOf(wrapped, seed + 131u));
      nearest = min(nearest, length(scaled - centre) / size);
    }
  }
  return smoothstep(0.55, 1.0, nearest);
}

void main() {
  uvec2 texel = gl_GlobalInvocationID.xy;
  vec2 size = vec2(imageSize(made));
  if (any(greaterThanEqual(vec2(texel), size))) return;
  vec2 at = (vec2(texel) + 0.5) / size;
  float pore = pores(at, 24u, 1u) * mix(0.55, 1.0, pores(at, 56u, 2u));
  float grain = octaves(at, 16u, 3u, 3);
  float slow = octaves(at, 4u, 11u, 6);
  float ripple = octaves(at, 12u, 23u, 4);
  imageStore(made, ivec2(texel), vec4(pore, grain, slow, ripple));
}
