#version 450
// Paints nothing: depth and stencil alone.
layout(constant_id = 0) const uint PATTERN = 0;
layout(location = 0) flat in uvec4 tint;


bool hidden() {
  uvec2 at = uvec2(gl_FragCoord.xy);
  return PATTERN == 1 && ((at.x ^ at.y) & 1) == 1 || PATTERN == 2 && at.x % 3 == 0;
}

void main() {
  if (hidden()) discard;

}
