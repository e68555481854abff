// A layer's functions, by the number of its buffer: buffers cannot be handed to functions.
#define LAYER(K) \
  uint byte_##K(int at) { return (WORD(source##K, at >> 2) >> (8 * (at & 3))) & 255u; } \
  uint half_##K(int at) { return (WORD(source##K, at >> 2) >> (8 * (at & 2))) & 0xffffu; } \
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
    if (kind == RGBA || kind == RGBX) return bytes(word32(kind, WORD(source##K, (row >> 2) + x))); \
    if (kind == BGRA) return bytes(WORD(source##K, (row >> 2) + x)).bgra; \
    if (kind == TEN) return tens(WORD(source##K, (row >> 2) + x)); \
    if (kind == RGB) return uvec4(byte_##K(row + 3 * x), byte_##K(row + 3 * x + 1), byte_##K(row + 3 * x + 2), 255u); \
    if (kind == R5G6B5) { \
      uint v = half_##K(row + 2 * x), r = v >> 11, g = (v >> 5) & 63u, b = v & 31u; \
      return uvec4((r << 3) | (r >> 2), (g << 2) | (g >> 4), (b << 3) | (b >> 2), 255u); \
    } \
    if (kind == HALF) { \
      uint low = WORD(source##K, (row >> 2) + 2 * x), high = WORD(source##K, (row >> 2) + 2 * x + 1); \
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
