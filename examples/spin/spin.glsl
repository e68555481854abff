// What the shaders of the spinning island share: one frame's push constants and the evening
// sky. The sea is the plane y = 0; +y is up; lengths are metres.

layout(push_constant) uniform Frame {
  mat4 viewProjection;   // world to clip, Vulkan's (y down, depth 0 to 1)
  vec4 eye;              // xyz: camera, w: seconds since the start
  vec4 forward;          // xyz: where the camera looks, w: half height of the picture at distance 1
  vec4 spin;             // x: cosine, y: sine of the island's turn, z: half width at distance 1, w: 1 world, -1 mirrored
  vec4 target;           // x: 1 to encode as sRGB here, y: one step of the format, z: the frame's number or -1 for no strip
} frame;

const vec3 SUN = vec3(-0.6950, 0.3127, 0.6475);     // towards the light on the stone
const vec3 DISC = vec3(0.2886, 0.0673, -0.9551);    // towards the disc that is seen in the sky
const vec3 DEEP = vec3(0.010, 0.028, 0.055);
const float STRIP_BITS = 16.0, STRIP_PIXELS = 2.0;

// How near to the disc a direction is, 0 to 1.
float nearDisc(vec3 ray) {
  float near = 0.5 + 0.5 * dot(ray, DISC);
  return near * near;
}

// The sky along the horizon, which is the colour of the air as well.
vec3 airNear(float near) { return mix(vec3(0.42, 0.14, 0.26), vec3(1.30, 0.46, 0.15), near * near); }

// The evening sky without its disc.
vec3 skyNear(float near, float height) {
  vec3 middle = mix(vec3(0.17, 0.11, 0.32), vec3(0.58, 0.23, 0.31), near);
  vec3 colour = mix(airNear(near), middle, smoothstep(0.0, 0.16, height));
  return mix(colour, vec3(0.020, 0.036, 0.135), smoothstep(0.05, 0.33, height));
}
