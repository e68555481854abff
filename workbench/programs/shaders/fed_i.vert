#version 450
// Places from a vertex buffer, and a tint of every instance, of signed integers.
layout(location = 0) in vec2 place;
layout(location = 1) in ivec4 given;
layout(location = 0) flat out uvec4 tint;
layout(push_constant) uniform Push { vec4 rectangle; float depth; float step_; uint unused0; uint unused1; uvec4 tint; } push;

void main() {
  gl_Position = vec4(place, push.depth, 1);
  tint = push.tint + uvec4(given);
}
