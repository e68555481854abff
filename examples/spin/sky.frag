#version 450
#extension GL_GOOGLE_include_directive : require
#include "light.glsl"

layout(location = 0) in vec3 inRay;
layout(location = 0) out vec4 outColour;

// What the disc adds to a sky: its halo, and itself.
vec3 lit(vec3 sky, vec3 ray) {
  float cosine = max(dot(ray, DISC), 0.0);
  float halo = exp2((cosine - 1.0) * 60.0) * 0.55 + exp2((cosine - 1.0) * 900.0) * 1.3;
  return mix(sky + vec3(1.25, 0.58, 0.22) * halo, vec3(8.0, 4.8, 2.2), smoothstep(0.99905, 0.99925, cosine));
}

// Sky with long clouds.
vec3 skyTowards(vec3 ray, float near) {
  vec3 colour = skyNear(near, ray.y);
  float bands = sin(ray.y * 46.0 + sin(ray.x * 5.0 + frame.eye.w * 0.02) * 1.6) * sin(ray.x * 7.0 - ray.y * 31.0);
  float cloud = smoothstep(0.15, 0.95, bands) * smoothstep(0.02, 0.10, ray.y) * (1.0 - smoothstep(0.16, 0.34, ray.y));
  return lit(mix(colour, mix(vec3(0.55, 0.26, 0.40), vec3(1.9, 0.84, 0.42), near * near), cloud * 0.45), ray);
}

// The sea: what its ripples mirror, by Schlick's formula, over the dark below.
vec3 seaTowards(vec3 ray, float near) {
  float distance = frame.eye.y / max(-ray.y, 1e-3), time = frame.eye.w;
  vec2 place = frame.eye.xz + ray.xz * distance;
  float calm = 1.0 / (1.0 + distance * 0.05);
  vec2 slope = vec2(sin(place.x * 1.9 + place.y * 0.6 + time * 1.1) + sin(place.x * 4.3 - place.y * 2.9 + time * 1.9),
                    sin(place.y * 2.3 - place.x * 0.7 + time * 1.3) + sin(place.y * 5.1 + place.x * 3.1 - time * 1.6));
  vec3 normal = normalize(vec3(slope.x * 0.035 * calm, 1.0, slope.y * 0.060 * calm));
  vec3 bounced = reflect(ray, normal);
  bounced.y = abs(bounced.y) + 0.004;
  float turned = 1.0 - clamp(dot(normal, -ray), 0.0, 1.0);
  turned *= turned;
  vec3 colour = mix(DEEP, min(lit(skyNear(near, bounced.y), bounced), vec3(3.0)), 0.04 + 0.96 * turned * turned);
  return mix(colour, airNear(near), 0.85 - 0.85 / (1.0 + max(distance - 25.0, 0.0) * 0.008));
}

void main() {
  vec3 ray = normalize(inRay);
  float near = nearDisc(ray);
  outColour = developed(ray.y < 0.0 ? seaTowards(ray, near) : skyTowards(ray, near));
  vec2 cell = floor(gl_FragCoord.xy / STRIP_PIXELS);
  if (frame.target.z < 0.0 || cell.y > 0.0 || cell.x >= STRIP_BITS) return;
  outColour = vec4(vec3(float(uint(frame.target.z) >> uint(cell.x) & 1u)), 1.0);
}
