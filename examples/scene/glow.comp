#version 450
#extension GL_GOOGLE_include_directive : require
// Collects the bright parts of the picture, widely blurred, in a small image.
#include "scene.glsl"
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 3) uniform sampler2D light;
layout(set = 0, binding = 6, rgba16f) uniform writeonly image2D made;

void main() {
  ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(made);
  if (any(greaterThanEqual(texel, size))) return;
  vec2 centre = (vec2(texel) + 0.5) / vec2(size);
  vec2 step = vec2(frame.size.y / frame.size.x, 1.0) / 180.0;
  vec3 sum = vec3(0.0);
  float total = 0.0;
  for (int y = -8; y <= 8; y++) {
    for (int x = -8; x <= 8; x++) {
      float weight = exp(-float(x * x + y * y) * 0.064) + 0.06 * exp(-float(x * x + y * y) * 0.024);
      vec3 found = textureLod(light, centre + vec2(x, y) * step, 0.0).rgb;
      sum += min(max(found - 1.15, vec3(0.0)), vec3(4.0)) * weight;
      total += weight;
    }
  }
  imageStore(made, texel, vec4(sum / total, 1.0));
}
