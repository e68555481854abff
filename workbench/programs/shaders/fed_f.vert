#version 450
// Places from a vertex buffer, and a tint of every instance, of real numbers, each times a whole one.
layout(location = 0) in vec2 place;
layout(location = 1) in vec4 given;
layout(constant_id = 0) const uint RED = 1;
layout(constant_id = 1) const uint GREEN = 1;
layout(constant_id = 2) const uint BLUE = 1;
layout(constant_id = 3) const uint ALPHA = 1;
layout(location = 0) flat out uvec4 tint;
layout(push_constant) uniform Push { vec4 rectangle; float depth; float step_; uint unused0; uint unused1; uvec4 tint; } push;

void main() {
  gl_Position = vec4(place, push.depth, 1);
  tint = push.tint + uvec4(ivec4(floor(given * vec4(RED, GREEN, BLUE, ALPHA) + 0.5)));
}
