#version 450
#extension GL_GOOGLE_include_directive : require
// Develops the picture: ripples in what the sea mirrors, glow, tone, and four rendered pixels to one written.
#include "scene.glsl"
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 3) uniform sampler2D light;
layout(set = 0, binding = 4) uniform sampler2D glow;
layout(set = 0, binding = 7, std430) writeonly buffer Picture { uint pixels[]; } picture;   // RGBA, 8 bits each

// Light at a rendered pixel, moved by the ripples where it is the sea's.
vec3 lightAt(vec2 at) {
  vec4 here = textureLod(light, at, 0.0);
  if (here.a <= 0.0) return here.rgb;
  vec4 place = seaAlong(rayThrough(at));
  vec2 slope = slopeAt(place.xyz, place.w);
  vec4 moved = textureLod(light, at + slope * vec2(0.10, 0.55) * here.a, 0.0);
  return moved.a > here.a * 0.8 ? moved.rgb : here.rgb;   // less: the place it moved to is not (wholly) the sea's
}

// A curve that keeps the dark parts and rolls the bright ones off (Narkowicz's fit of the ACES curve).
vec3 toned(vec3 x) { return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0); }

void main() {
  uvec2 pixel = gl_GlobalInvocationID.xy;
  uvec2 size = uvec2(frame.size.zw);
  if (any(greaterThanEqual(pixel, size))) return;
  vec2 at = (vec2(pixel) + 0.5) / vec2(size);
  vec2 quarter = 0.25 / vec2(size);
  vec3 sum = vec3(0.0);
  // Each of the four is toned before the mean, or one bright pixel would outshine an edge.
  vec3 bloom = textureLod(glow, at, 0.0).rgb * 0.85;
  vec2 fromCentre = (at - 0.5) * vec2(1.0, 0.8);
  float vignette = 1.0 - 0.55 * dot(fromCentre, fromCentre);
  for (int i = 0; i < 4; i++) {
    vec2 corner = at + quarter * vec2(i % 2 * 2 - 1, i / 2 * 2 - 1);
    sum += toned((lightAt(corner) + bloom) * vignette * 0.90);
  }
  vec3 colour = pow(sum * 0.25, vec3(1.0 / 2.2));
  picture.pixels[pixel.y * size.x + pixel.x] = packUnorm4x8(vec4(colour, 1.0));
}
