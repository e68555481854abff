// What every shader of the scene shares: the frame's uniforms, the sky, and the rays that meet the sea.
// The sea is the plane y = 0; +y is up; lengths are metres.

layout(set = 0, binding = 0, std140) uniform Frame {
  mat4 viewProjection;   // world to clip, Vulkan's (y down, depth 0 to 1)
  mat4 sunProjection;    // world to the shadow map's clip space
  vec4 eye;              // xyz: camera, w: seconds since the start
  vec4 right;            // xyz: from the centre of the picture to its right edge, on the plane at distance 1
  vec4 up;               // xyz: from the centre of the picture to its upper edge
  vec4 forward;          // xyz: where the camera looks
  vec4 sun;              // xyz: towards the light that casts shadows
  vec4 disc;             // xyz: towards the disc that is seen in the sky
  vec4 lava[2];          // xyz: two glowing places, w: strength
  vec4 size;             // xy: pixels rendered, zw: pixels of the picture
} frame;

// Tiling noise made by rock.comp. r: pores, g: grain, b: slow waves, a: ripples of water.
layout(set = 0, binding = 1) uniform sampler2D rock;

vec4 noiseAt(vec2 at) { return textureLod(rock, at, 0.0); }

// Direction from the eye through a point of the picture; (0, 0) is the upper left corner, (1, 1) the lower right.
vec3 rayThrough(vec2 at) {
  vec2 clip = at * 2.0 - 1.0;
  return normalize(frame.forward.xyz + clip.x * frame.right.xyz - clip.y * frame.up.xyz);
}

// Where a ray that points down meets the sea; w is the distance.
vec4 seaAlong(vec3 ray) {
  float distance = frame.eye.y / max(-ray.y, 1e-4);
  return vec4(frame.eye.xyz + ray * distance, distance);
}

// The colour of the evening sky without clouds and disc.
vec3 airTowards(vec3 ray) {
  float height = clamp(ray.y, 0.0, 1.0);
  float towardsSun = 0.5 + 0.5 * dot(normalize(ray.xz), normalize(frame.disc.xz));
  vec3 low = mix(vec3(0.50, 0.17, 0.26), vec3(1.35, 0.47, 0.14), pow(towardsSun, 6.0));
  vec3 middle = mix(vec3(0.20, 0.14, 0.36), vec3(0.62, 0.25, 0.30), pow(towardsSun, 4.0));
  vec3 high = vec3(0.022, 0.040, 0.150);
  vec3 colour = mix(low, middle, smoothstep(0.0, 0.13, height));
  return mix(colour, high, smoothstep(0.06, 0.30, height));
}

// Three ranges of hills along the horizon, each paler than the one before it. w: 1 where there is a hill.
vec4 hillsTowards(vec3 ray) {
  float angle = atan(ray.x, -ray.z) * 0.15915494;
  vec4 result = vec4(0.0);
  if (ray.y > 0.09) return result;
  for (int range = 0; range < 3; range++) {
    float far = float(2 - range);
    vec2 at = vec2(angle * (2.0 + far) + far * 0.37, 0.13 + 0.29 * far);
    float ridge = noiseAt(at).b * 0.055 + noiseAt(at * 4.0).b * 0.016;
    float top = ridge * (0.40 + 0.36 * far) - 0.006;
    float inside = smoothstep(0.0, 0.0012, top - ray.y);
    vec3 air = airTowards(normalize(vec3(ray.x, 0.03, ray.z)));
    vec3 colour = mix(vec3(0.07, 0.05, 0.13), air, 0.34 + 0.24 * far);
    result = mix(result, vec4(colour, 1.0), inside);
  }
  return result;
}

// The whole sky.
vec3 skyTowards(vec3 ray) {
  vec3 colour = airTowards(ray);
  float cosine = dot(ray, frame.disc.xyz);
  float disc = smoothstep(0.99952, 0.99968, cosine);
  float halo = pow(max(cosine, 0.0), 48.0) * 0.55 + pow(max(cosine, 0.0), 900.0) * 1.6;
  colour += vec3(1.25, 0.58, 0.22) * halo;

  float height = max(ray.y, 0.02);
  vec2 plane = ray.xz / (height + 0.10);
  float veil = noiseAt(plane * vec2(0.020, 0.085) + vec2(0.11, 0.3) + frame.eye.w * 0.0005).b * 0.65
             + noiseAt(plane * vec2(0.055, 0.21) + vec2(0.57, 0.1)).b * 0.35;
  float cover = smoothstep(0.47, 0.72, veil) * smoothstep(0.03, 0.12, ray.y) * (1.0 - smoothstep(0.45, 0.9, ray.y));
  vec3 lit = mix(vec3(0.62, 0.30, 0.42), vec3(1.9, 0.86, 0.42), pow(0.5 + 0.5 * cosine, 5.0));
  colour = mix(colour, lit, cover * 0.62);
  colour = mix(colour, vec3(9.0, 5.2, 2.2), disc * (1.0 - 0.6 * cover));

  vec4 hills = hillsTowards(ray);
  return mix(colour, hills.rgb, hills.a);
}

// Slope of the water at a place of the sea, calmer with distance so that no detail is finer than a pixel.
vec2 slopeAt(vec3 place, float distance) {
  vec2 drift = vec2(0.013, 0.021) * frame.eye.w;
  vec2 near = noiseAt(place.xz * vec2(0.045, 0.085) + drift).ab - 0.5;
  vec2 wide = noiseAt(place.zx * vec2(0.017, 0.011) - drift * 0.6).ba - 0.5;
  return near * 0.17 / (1.0 + distance * 0.030) + wide * 0.05 / (1.0 + distance * 0.012);
}

// How much of what comes from above the sea mirrors, by Schlick's formula.
float mirrored(float cosine) { return 0.04 + 0.96 * pow(1.0 - clamp(cosine, 0.0, 1.0), 4.0); }

const vec3 DEEP = vec3(0.012, 0.030, 0.055);
