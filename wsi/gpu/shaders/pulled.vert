#version 450
// Two triangles that make a rectangle, without vertex buffers; each instance is a step further to the right.
layout(location = 0) flat out uvec4 tint;
layout(push_constant) uniform Push { vec4 rectangle; float depth; float step_; uint unused0; uint unused1; uvec4 tint; } push;

void main() {
  int corner = gl_VertexIndex % 6;
  bool right = corner == 1 || corner == 2 || corner == 4, low = corner == 2 || corner == 4 || corner == 5;
  float x = right ? push.rectangle.z : push.rectangle.x, y = low ? push.rectangle.w : push.rectangle.y;
  gl_Position = vec4(x + push.step_ * float(gl_InstanceIndex), y, push.depth, 1);
  tint = push.tint + uvec4(gl_InstanceIndex);
}
