#version 450
// One triangle that covers the picture, at the far end of the depth range.
layout(location = 0) out vec2 outAt;

void main() {
  outAt = vec2(gl_VertexIndex == 1 ? 2.0 : 0.0, gl_VertexIndex == 2 ? 2.0 : 0.0);
  gl_Position = vec4(outAt * 2.0 - 1.0, 1.0, 1.0);
}
