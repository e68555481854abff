#version 450
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"

layout(set = 0, binding = 2) uniform sampler2D shadowMap;
layout(push_constant) uniform Pass { float mirror; } pass;

layout(location = 0) in vec3 inPlace;
layout(location = 1) in vec3 inNormal;
layout(location = 2) in vec4 inColour;
layout(location = 3) in vec4 inKind;
layout(location = 0) out vec4 outColour;   // rgb: light, a: how far the ripples of the sea move it

const vec3 STRATA[7] = vec3[7](
  vec3(0.115, 0.095, 0.110), vec3(0.300, 0.150, 0.110), vec3(0.520, 0.330, 0.200), vec3(0.200, 0.160, 0.175),
  vec3(0.660, 0.560, 0.450), vec3(0.400, 0.240, 0.170), vec3(0.740, 0.680, 0.600));

// Layers of the stone, warped a little, with soft borders.
vec3 strataAt(vec3 place) {
  float warp = noiseAt(place.xz * 0.031).b * 2.2 + noiseAt(vec2(place.x + place.z, place.y) * 0.05).g * 0.45;
  float level = (place.y * 1.7 + warp) * 0.95 + 40.0;
  float index = floor(level), within = level - index;
  vec3 here = STRATA[int(mod(index * 3.0, 7.0))], above = STRATA[int(mod(index * 3.0 + 3.0, 7.0))];
  return mix(here, above, smoothstep(0.86, 1.0, within)) * mix(0.86, 1.08, within);
}

// Part of the sun that arrives, from nine places of the shadow map around the fragment's own.
float sunAt(vec3 place, vec3 normal) {
  vec4 clip = frame.sunProjection * vec4(place + normal * 0.06, 1.0);
  vec2 at = clip.xy * 0.5 + 0.5;
  if (any(lessThan(at, vec2(0.002))) || any(greaterThan(at, vec2(0.998))) || clip.z > 1.0) return 1.0;
  float lit = 0.0;
  float texel = 1.0 / float(textureSize(shadowMap, 0).x);
  for (int y = -1; y <= 1; y++) {
    for (int x = -1; x <= 1; x++) {
      float depth = textureLod(shadowMap, at + vec2(x, y) * texel * 1.25, 0.0).r;
      lit += clamp((depth - clip.z) * 900.0 + 1.6, 0.0, 1.0);
    }
  }
  return lit / 9.0;
}

vec3 lavaLight(vec3 place, vec3 normal) {
  vec3 sum = vec3(0.0);
  for (int i = 0; i < 2; i++) {
    vec3 towards = frame.lava[i].xyz - place;
    float square = dot(towards, towards);
    float facing = 0.35 + 0.65 * max(dot(normal, towards * inversesqrt(square)), 0.0);
    sum += vec3(1.0, 0.30, 0.06) * frame.lava[i].w * facing / (1.0 + square);
  }
  return sum;
}

// The stone's own colour: strata on the flanks, the instance's colour on the head, pores and grain on both.
vec3 stoneAt(vec3 normal, float near) {
  if (inKind.y < 0.0) return inColour.rgb;
  float head = smoothstep(0.45, 0.75, normal.y);
  vec3 flank = mix(inColour.rgb, strataAt(inPlace), inKind.y);
  vec3 colour = mix(flank, inColour.rgb, head);
  vec2 along = abs(normal.y) > 0.6 ? inPlace.xz : vec2(abs(normal.x) > abs(normal.z) ? inPlace.z : inPlace.x, inPlace.y);
  vec4 detail = noiseAt(along * 0.42);
  float pore = mix(1.0, mix(0.60, 1.05, detail.r), near * (1.0 - 0.6 * head));
  return colour * pore * mix(1.0, 0.80 + 0.40 * detail.g, near);
}

// Crust over glowing stone.
vec3 glowAt() {
  vec4 detail = noiseAt(inPlace.xz * 0.12 + vec2(inPlace.y * 0.012, inPlace.y * 0.055 + frame.eye.w * 0.01));
  float heat = clamp(inColour.a * (inKind.y < 0.0 ? 1.0 : 1.0 - smoothstep(0.25, 1.1, inKind.x)) * (0.55 + 0.9 * (1.0 - detail.b)) - 0.42 * detail.g, 0.0, 1.6);
  return vec3(4.2, 0.90, 0.08) * heat * heat + vec3(1.6, 1.0, 0.35) * pow(heat, 6.0) * 0.5;
}

void main() {
  vec3 normal = normalize(inNormal);
  vec3 seen = vec3(inPlace.x, inPlace.y * pass.mirror, inPlace.z) - frame.eye.xyz;
  float distance = length(seen);
  vec3 ray = seen / distance;
  float near = 1.0 - smoothstep(40.0, 90.0, distance);

  vec3 colour = stoneAt(normal, near);
  float sun = max(dot(normal, frame.sun.xyz), 0.0) * sunAt(inPlace, normal);
  float open = mix(1.0, 0.42, smoothstep(0.0, 1.8, inKind.x) * (1.0 - abs(normal.y)));
  vec3 above = mix(vec3(0.10, 0.09, 0.17), vec3(0.34, 0.28, 0.50), normal.y * 0.5 + 0.5);
  vec3 below = vec3(0.30, 0.13, 0.12) * max(-normal.y, 0.0);
  vec3 light = (above + below) * open + vec3(2.9, 1.50, 0.72) * sun + lavaLight(inPlace, normal);
  vec3 shade = colour * light + glowAt() * step(0.01, inColour.a);

  float rim = pow(1.0 - max(dot(normal, -normalize(inPlace - frame.eye.xyz)), 0.0), 4.0) * max(dot(ray, frame.disc.xyz), 0.0);
  shade += vec3(0.55, 0.24, 0.12) * rim * 0.3;

  float haze = 1.0 - exp(-max(distance - 34.0, 0.0) * 0.0090);
  shade = mix(shade, airTowards(normalize(vec3(ray.x, abs(ray.y) * 0.4 + 0.02, ray.z))), haze);

  if (pass.mirror > 0.0) {
    outColour = vec4(shade, 0.0);
    return;
  }
  float depth = seaAlong(ray).w;
  outColour = vec4(mix(DEEP, shade, mirrored(-ray.y) * 0.9), 1.0 / (1.0 + depth * 0.02));
}
