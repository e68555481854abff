#version 450
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(location = 0) in vec2 inAt;
layout(location = 0) out vec4 outColour;   // rgb: light, a: how far the ripples of the sea move it

vec4 seaTowards(vec3 ray) {
  vec4 place = seaAlong(ray);
  vec2 slope = slopeAt(place.xyz, place.w);
  vec3 normal = normalize(vec3(slope.x, 1.0, slope.y));
  vec3 bounced = reflect(ray, normal);
  bounced.y = abs(bounced.y) + 0.004;
  vec3 sky = skyTowards(normalize(bounced));
  vec3 colour = mix(DEEP, min(sky, vec3(3.0)), mirrored(dot(normal, -ray)));
  float haze = 1.0 - exp(-max(place.w - 60.0, 0.0) * 0.0022);
  colour = mix(colour, airTowards(normalize(vec3(ray.x, 0.015, ray.z))), haze * 0.85);
  return vec4(colour, 1.0 / (1.0 + place.w * 0.02));
}

void main() {
  vec3 ray = rayThrough(inAt);
  outColour = ray.y < 0.0 ? seaTowards(ray) : vec4(skyTowards(ray), 0.0);
}
