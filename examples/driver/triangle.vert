#version 450
// A triangle in the middle of the picture, a colour at each corner.

layout(location = 0) out vec3 color;

const vec2 CORNERS[3] = vec2[](vec2(0.0, -0.8), vec2(0.8, 0.8), vec2(-0.8, 0.8));
const vec3 COLORS[3] = vec3[](vec3(1.0, 0.2, 0.2), vec3(0.2, 1.0, 0.2), vec3(0.2, 0.2, 1.0));

void main() {
  gl_Position = vec4(CORNERS[gl_VertexIndex], 0.0, 1.0);
  color = COLORS[gl_VertexIndex];
}
