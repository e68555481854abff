#version 450
#extension GL_GOOGLE_include_directive : require
#include "light.glsl"

layout(location = 0) in vec4 inPlace;
layout(location = 1) in vec4 inNormal;
layout(location = 2) in vec4 inColour;
layout(location = 0) out vec4 outColour;

// Layers of ash, pumice and rust on the flanks.
vec3 strata(float height) {
  float level = height * 2.1 + 0.25 * sin(height * 3.7), within = fract(level);
  float pick = fract(floor(level) * 0.381966);
  vec3 layer = mix(vec3(0.30, 0.16, 0.10), vec3(0.62, 0.53, 0.44), pick);
  return layer * (0.80 + 0.25 * within);
}

void main() {
  vec3 normal = normalize(inNormal.xyz);
  vec3 towards = vec3(inPlace.x, inPlace.y * frame.spin.w, inPlace.z) - frame.eye.xyz;
  float distance = length(towards);
  vec3 ray = towards / distance;

  float flank = 1.0 - abs(normal.y);
  vec3 stone = mix(inColour.rgb, strata(inPlace.y), inColour.a * flank);
  float open = mix(1.0, 0.40, smoothstep(0.0, 1.5, inPlace.w) * flank);
  vec3 above = mix(vec3(0.11, 0.09, 0.17), vec3(0.36, 0.29, 0.50), normal.y * 0.5 + 0.5) * open;
  vec3 light = above + vec3(2.9, 1.55, 0.80) * max(dot(normal, SUN), 0.0) * mix(open, 1.0, 0.6);
  float rim = 1.0 - max(dot(normal, -ray), 0.0);
  rim *= rim;
  vec3 shade = stone * light + vec3(0.95, 0.40, 0.18) * rim * rim * (0.35 + 0.65 * max(dot(normal, DISC), 0.0)) * 0.55;

  float heat = inNormal.w * (0.86 + 0.14 * sin(frame.eye.w * 1.7 + inPlace.x * 2.0 + inPlace.z * 3.0));
  heat *= step(-0.1, normal.y) * (1.0 - 0.75 * smoothstep(0.0, 0.7, inPlace.w) * flank);
  shade += vec3(4.6, 0.95, 0.08) * heat * heat + vec3(0.9, 0.55, 0.2) * heat * heat * heat;

  float fade = 1.0 - exp(-max(distance - 10.0, 0.0) * 0.030);
  shade = mix(shade, airNear(nearDisc(ray)), fade);
  if (frame.spin.w < 0.0) shade = mix(DEEP + 0.06 * airNear(nearDisc(ray)), shade, 0.50 / (1.0 + 0.30 * inPlace.y));
  outColour = developed(shade);
}
