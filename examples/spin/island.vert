#version 450
#extension GL_GOOGLE_include_directive : require
#include "spin.glsl"

layout(location = 0) in vec4 inPlace;    // xyz: on the island, before it turns; w: metres below the head of its column
layout(location = 1) in vec4 inNormal;   // xyz: of the face, w: glow
layout(location = 2) in vec4 inColour;   // rgb: linear colour of the stone, a: share of strata

layout(location = 0) out vec4 outPlace;
layout(location = 1) out vec4 outNormal;
layout(location = 2) out vec4 outColour;

vec3 turned(vec3 at) {
  return vec3(at.x * frame.spin.x + at.z * frame.spin.y, at.y, at.z * frame.spin.x - at.x * frame.spin.y);
}

void main() {
  float time = frame.eye.w;
  vec3 place = turned(inPlace.xyz) + vec3(0.0, 0.10 * sin(time * 0.8), 0.0);
  outPlace = vec4(place, inPlace.w);
  outNormal = vec4(turned(inNormal.xyz), inNormal.w);
  outColour = inColour;
  vec3 seen = vec3(place.x, place.y * frame.spin.w, place.z);
  if (frame.spin.w < 0.0) seen.x += 0.05 * sin(seen.y * 5.0 + time * 2.1) + 0.04 * sin(seen.y * 11.0 - time * 3.3);
  gl_Position = frame.viewProjection * vec4(seen, 1.0);
}
