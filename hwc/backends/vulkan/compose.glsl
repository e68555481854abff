// Composes up to LAYERS layers, 1 or 8, into one target.
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

#define WORD(BUFFER, AT) BUFFER.words[AT]
layout(set = 0, binding = 0) buffer Target { uint pixels[]; } target;
layout(set = 0, binding = 1) readonly buffer Tables { uint words[]; } tables;

#include "../shader/rule.glsl"

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

#include "../shader/layer.glsl"
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
