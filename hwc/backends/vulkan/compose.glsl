// Composes up to LAYERS layers, 1 or 8, into one target, pixel by pixel, in integers: the P-rule.
// What kind of layers these are is given as specialisation constants, so that what is not needed is not compiled.

layout(local_size_x = 32, local_size_y = 8) in;

layout(constant_id = 0) const uint COUNT = LAYERS;
layout(constant_id = 1) const uint TARGET = 0u; // 1: blue first, 2: no alpha, 4: goes on from what is there
layout(constant_id = 2) const bool IS_SPECIALISED = false;
layout(constant_id = 3) const uint SHAPE_0 = 0u;
#if LAYERS == 8
layout(constant_id = 4) const uint SHAPE_1 = 0u;
layout(constant_id = 5) const uint SHAPE_2 = 0u;
layout(constant_id = 6) const uint SHAPE_3 = 0u;
layout(constant_id = 7) const uint SHAPE_4 = 0u;
layout(constant_id = 8) const uint SHAPE_5 = 0u;
layout(constant_id = 9) const uint SHAPE_6 = 0u;
layout(constant_id = 10) const uint SHAPE_7 = 0u;
#endif

// A shape: kind of pixels, blend mode << 4, and these.
const uint KIND = 15u, FILTERED = 64u, DIMMED = 128u, CONVERTED = 256u, OPAQUE = 512u;
const uint RGBA = 1u, RGBX = 2u, BGRA = 3u, RGB = 4u, R5G6B5 = 5u, TEN = 6u, HALF = 7u, RED = 8u, LUMA = 9u, YUV = 10u, WIDE = 11u;
const uint NONE = 1u, PREMULTIPLIED = 2u, COVERAGE = 3u;

layout(set = 0, binding = 0) buffer Target { uint pixels[]; } target;
layout(set = 0, binding = 1) readonly buffer Tables { uint words[]; } tables;

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
layout(set = 0, binding = 2, std140) uniform Layers { Layer layers[LAYERS]; };

layout(set = 0, binding = 3) readonly buffer Source0 { uint words[]; } source0;
#if LAYERS == 8
layout(set = 0, binding = 4) readonly buffer Source1 { uint words[]; } source1;
layout(set = 0, binding = 5) readonly buffer Source2 { uint words[]; } source2;
layout(set = 0, binding = 6) readonly buffer Source3 { uint words[]; } source3;
layout(set = 0, binding = 7) readonly buffer Source4 { uint words[]; } source4;
layout(set = 0, binding = 8) readonly buffer Source5 { uint words[]; } source5;
layout(set = 0, binding = 9) readonly buffer Source6 { uint words[]; } source6;
layout(set = 0, binding = 10) readonly buffer Source7 { uint words[]; } source7;
#endif

layout(push_constant) uniform Area {
  ivec4 area;      // left, top, right, bottom
  uint pitch;      // words from row to row of the target
  uint background; // RGBA, red in the lowest byte
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
  return uint(min(unpackHalf2x16(bits).x, 1.0) * 255.0 + 0.5);
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
  return (tables.words[uint(layer.table.y) + (at >> 2)] >> (8u * (at & 3u))) & 255u;
}

uvec4 converted(Layer layer, uint shape, uvec4 pixel) {
  uint a = pixel.a;
  bool isDimmed = ((shape >> 4) & 3u) == PREMULTIPLIED && a != 0u && a != 255u;
  uvec3 c = pixel.rgb;
  if (isDimmed) c = min((c * 255u + (a >> 1)) / a, uvec3(255u));
  uint decode = uint(layer.table.x);
  uvec3 light = uvec3(tables.words[decode + c.r], tables.words[decode + c.g], tables.words[decode + c.b]);
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

// A layer's functions, by the number of its buffer: buffers cannot be handed to functions.
#define LAYER(K) \
  uint byte_##K(int at) { return (source##K.words[at >> 2] >> (8 * (at & 3))) & 255u; } \
  uint half_##K(int at) { return (source##K.words[at >> 2] >> (8 * (at & 2))) & 0xffffu; } \
  uvec4 yuv_##K(Layer layer, uint kind, int x, int y) { \
    int luma = layer.luma.z + y * layer.size.z + x * layer.luma.w; \
    int shiftX = (layer.planes.w >> 8) & 15, shiftY = layer.planes.w >> 12; \
    int chroma = (y >> shiftY) * layer.planes.z + (x >> shiftX) * (layer.planes.w & 255); \
    int cb = layer.planes.x + chroma, cr = layer.planes.y + chroma; \
    if (kind == WIDE) return yuv(layer, int(half_##K(luma)), int(byte_##K(cb + 1)), int(byte_##K(cr + 1))); \
    return yuv(layer, int(byte_##K(luma)) * 257, int(byte_##K(cb)), int(byte_##K(cr))); \
  } \
  uvec4 texel_##K(Layer layer, uint kind, int i, int j) { \
    int x = layer.origin.x + i * layer.map.x + j * layer.map.y; \
    int y = layer.origin.y + i * layer.map.z + j * layer.map.w; \
    int row = y * layer.size.z; \
    if (kind == RGBA || kind == RGBX) return bytes(word32(kind, source##K.words[(row >> 2) + x])); \
    if (kind == BGRA) return bytes(source##K.words[(row >> 2) + x]).bgra; \
    if (kind == TEN) return tens(source##K.words[(row >> 2) + x]); \
    if (kind == RGB) return uvec4(byte_##K(row + 3 * x), byte_##K(row + 3 * x + 1), byte_##K(row + 3 * x + 2), 255u); \
    if (kind == R5G6B5) { \
      uint v = half_##K(row + 2 * x), r = v >> 11, g = (v >> 5) & 63u, b = v & 31u; \
      return uvec4((r << 3) | (r >> 2), (g << 2) | (g >> 4), (b << 3) | (b >> 2), 255u); \
    } \
    if (kind == HALF) { \
      uint low = source##K.words[(row >> 2) + 2 * x], high = source##K.words[(row >> 2) + 2 * x + 1]; \
      return uvec4(halfByte(low & 0xffffu), halfByte(low >> 16), halfByte(high & 0xffffu), halfByte(high >> 16)); \
    } \
    if (kind == RED) return uvec4(byte_##K(row + x), 0u, 0u, 255u); \
    if (kind == LUMA) return uvec4(uvec3(byte_##K(row + x)), 255u); \
    return yuv_##K(layer, kind, x, y); \
  } \
  uvec4 filtered_##K(Layer layer, uint kind, ivec2 at) { \
    int px = layer.scaling.x + layer.scaling.y * at.x, py = layer.scaling.z + layer.scaling.w * at.y; \
    int wide = layer.size.x - 1, high = layer.size.y - 1; \
    int i0 = clamp(px >> 16, 0, wide), i1 = clamp((px >> 16) + 1, 0, wide); \
    int j0 = clamp(py >> 16, 0, high), j1 = clamp((py >> 16) + 1, 0, high); \
    uint right = uint(px >> 9) & 127u, below = uint(py >> 9) & 127u; \
    uvec4 upper = texel_##K(layer, kind, i0, j0) * (128u - right) + texel_##K(layer, kind, i1, j0) * right; \
    uvec4 lower = texel_##K(layer, kind, i0, j1) * (128u - right) + texel_##K(layer, kind, i1, j1) * right; \
    return (upper * (128u - below) + lower * below) >> 14; \
  } \
  uvec4 over_##K(uint fixedShape, ivec2 at, uvec4 color) { \
    Layer layer = layers[K]; \
    if (!isInside(layer, at)) return color; \
    uint shape = IS_SPECIALISED ? fixedShape : uint(layer.size.w); \
    uint kind = shape & KIND; \
    ivec2 inFrame = at - layer.frame.xy; \
    uvec4 pixel; \
    if (kind == 0u) pixel = bytes(uint(layer.origin.w)); \
    else if ((shape & FILTERED) != 0u) pixel = filtered_##K(layer, kind, inFrame); \
    else pixel = texel_##K(layer, kind, inFrame.x, inFrame.y); \
    if ((shape & CONVERTED) != 0u) pixel = converted(layer, shape, pixel); \
    return blended(shape, uint(layer.origin.z), pixel, color); \
  }

LAYER(0)
#if LAYERS == 8
LAYER(1)
LAYER(2)
LAYER(3)
LAYER(4)
LAYER(5)
LAYER(6)
LAYER(7)
#endif

// The uppermost layer that hides all below it: there it begins.
#define FIND(K, SHAPE) \
  if (COUNT > uint(K) && ((IS_SPECIALISED ? SHAPE : uint(layers[K].size.w)) & OPAQUE) != 0u && isInside(layers[K], at)) { \
    first = K; \
  }
#define DRAW(K, SHAPE) if (COUNT > uint(K) && first <= K) color = over_##K(SHAPE, at, color);

void main() {
  ivec2 at = area.xy + ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, area.zw))) return;
  int place = at.y * int(pitch) + at.x, first = 0;
  uvec4 color = bytes(background);
  if ((TARGET & 4u) != 0u) {
    color = bytes(target.pixels[place]);
    if ((TARGET & 1u) != 0u) color = color.bgra;
  }
#if LAYERS == 8
  FIND(0, SHAPE_0) FIND(1, SHAPE_1) FIND(2, SHAPE_2) FIND(3, SHAPE_3)
  FIND(4, SHAPE_4) FIND(5, SHAPE_5) FIND(6, SHAPE_6) FIND(7, SHAPE_7)
  DRAW(0, SHAPE_0) DRAW(1, SHAPE_1) DRAW(2, SHAPE_2) DRAW(3, SHAPE_3)
  DRAW(4, SHAPE_4) DRAW(5, SHAPE_5) DRAW(6, SHAPE_6) DRAW(7, SHAPE_7)
#else
  DRAW(0, SHAPE_0)
#endif
  if ((TARGET & 1u) != 0u) color = color.bgra;
  if ((TARGET & 2u) != 0u) color.a = 255u;
  target.pixels[place] = color.r | (color.g << 8) | (color.b << 16) | (color.a << 24);
}
