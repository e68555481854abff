#version 450
// Paints one attachment of real numbers.
layout(constant_id = 0) const uint PATTERN = 0;
layout(location = 0) flat in uvec4 tint;
layout(location = 0) out vec4 first;

bool hidden() {
  uvec2 at = uvec2(gl_FragCoord.xy);
  return PATTERN == 1 && ((at.x ^ at.y) & 1) == 1 || PATTERN == 2 && at.x % 3 == 0;
}

void main() {
  if (hidden()) discard;
  first = vec4(tint & 255) / 255;
}
