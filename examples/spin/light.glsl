// How light becomes bytes, for fragment shaders.
#include "spin.glsl"

// 0 to 1 by where in a 4 by 4 square of pixels this one is, evenly spread: hides the steps of the format.
float threshold() {
  uvec2 at = uvec2(gl_FragCoord.xy);
  uint x = at.x ^ at.y, y = at.y;
  return (float((x & 1u) << 3 | (y & 1u) << 2 | (x & 2u) | (y & 2u) >> 1) + 0.5) / 16.0;
}

// Light as the target wants it. Roots of roots come as near to sRGB's curve as eight bits can tell, and cost less.
vec4 developed(vec3 light) {
  vec3 colour = light / (1.0 + light * 0.32);
  vec3 second = sqrt(colour), fourth = sqrt(second), eighth = sqrt(fourth);
  vec3 coded = max(0.662 * second + 0.6841 * fourth - 0.3236 * eighth - 0.0225 * colour, vec3(0.0));
  return vec4(mix(colour, coded + (threshold() - 0.5) * frame.target.y, frame.target.x), 1.0);
}
