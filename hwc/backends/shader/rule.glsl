// The P-rule in integers, pixel by pixel, for shaders of either kind: WORD(buffer, at) is a word of what a buffer holds.

// A shape: kind of pixels, blend mode << 4, and these.
const uint KIND = 15u, FILTERED = 64u, DIMMED = 128u, CONVERTED = 256u, OPAQUE = 512u;
const uint RGBA = 1u, RGBX = 2u, BGRA = 3u, RGB = 4u, R5G6B5 = 5u, TEN = 6u, HALF = 7u, RED = 8u, LUMA = 9u, YUV = 10u, WIDE = 11u;
const uint NONE = 1u, PREMULTIPLIED = 2u, COVERAGE = 3u;

struct Layer {
  ivec4 frame;
  ivec4 size;      // across, down, pitch in bytes, shape
  ivec4 origin;    // ox, oy, alpha, colour
  ivec4 map;       // xi, xj, yi, yj
  ivec4 scaling;   // start and step, across and down
  ivec4 luma;      // coefficient, what is added, offset, step
  ivec4 chroma;    // blue of Cb, green of Cb, green of Cr, red of Cr
  ivec4 planes;    // offset of Cb, of Cr, pitch, step | shifts << 8 | << 12
  ivec4 red;       // rows of the colour matrix
  ivec4 green;
  ivec4 blue;
  ivec4 table;     // where decode and encode begin
};

uvec4 times(uvec4 a, uint b) {
  uvec4 t = a * b + 128u;
  return (t + (t >> 8)) >> 8;
}

uvec4 bytes(uint word) {
  return (uvec4(word) >> uvec4(0u, 8u, 16u, 24u)) & 255u;
}

uint halfByte(uint bits) {
  if ((bits & 0x7fffu) > 0x7c00u || (bits & 0x8000u) != 0u) return 0u; // no number, or below 0
  uint exponent = (bits >> 10) & 31u, digits = bits & 1023u;
  if (exponent >= 15u) return 255u;
  if (exponent > 0u) digits |= 1024u;
  uint shift = 25u - max(exponent, 1u);
  return (digits * 255u + (1u << (shift - 1u))) >> shift;
}

uvec4 tens(uint word) {
  uvec3 c = (uvec3(word) >> uvec3(0u, 10u, 20u)) & 1023u;
  return uvec4((c * 510u + 1023u) / 2046u, (word >> 30) * 85u);
}

uvec4 yuv(Layer layer, int luma, int cb, int cr) {
  int y = int((uint(luma) * uint(layer.luma.x)) >> 16) + layer.luma.y;
  int u = cb - 128, v = cr - 128;
  ivec3 rgb = ivec3(y + v * layer.chroma.w, y - u * layer.chroma.y - v * layer.chroma.z, y + u * layer.chroma.x) >> 6;
  return uvec4(clamp(rgb, 0, 255), 255);
}

uint word32(uint kind, uint word) {
  return kind == RGBX ? word | 0xff000000u : word;
}

uint encoded(Layer layer, uvec3 light, ivec4 row) {
  ivec3 c = ivec3(light);
  int sum = (row.x * c.x + row.y * c.y + row.z * c.z + row.w + 2048) >> 12;
  uint at = uint(clamp(sum, 0, 16384));
  return (WORD(tables, uint(layer.table.y) + (at >> 2)) >> (8u * (at & 3u))) & 255u;
}

uvec4 converted(Layer layer, uint shape, uvec4 pixel) {
  uint a = pixel.a;
  bool isDimmed = ((shape >> 4) & 3u) == PREMULTIPLIED && a != 255u;
  uvec3 c = pixel.rgb;
  if (isDimmed) c = min((c * 255u + (a >> 1)) / max(a, 1u), uvec3(255u));
  uint decode = uint(layer.table.x);
  uvec3 light = uvec3(WORD(tables, decode + c.r), WORD(tables, decode + c.g), WORD(tables, decode + c.b));
  uvec4 result =
      uvec4(encoded(layer, light, layer.red), encoded(layer, light, layer.green), encoded(layer, light, layer.blue), a);
  return isDimmed ? uvec4(times(result, a).rgb, a) : result;
}

uvec4 blended(uint shape, uint alpha, uvec4 pixel, uvec4 below) {
  uint mode = (shape >> 4) & 3u;
  if (mode == COVERAGE) {
    uint own = times(uvec4(pixel.a), alpha).x;
    return min(times(uvec4(pixel.rgb, own), own) + times(below, 255u - own), uvec4(255u));
  }
  if ((shape & DIMMED) != 0u) pixel = times(pixel, alpha);
  if (mode == NONE) return pixel;
  return min(pixel + times(below, 255u - pixel.a), uvec4(255u));
}

bool isInside(Layer layer, ivec2 at) {
  return all(greaterThanEqual(at, layer.frame.xy)) && all(lessThan(at, layer.frame.zw));
}
