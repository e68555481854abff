#version 450
// The colour that is pushed, as far as its alpha says, over that of the corners.

layout(push_constant) uniform Push {
  vec4 pushed;
};
layout(location = 0) in vec3 color;
layout(location = 0) out vec4 pixel;

void main() {
  pixel = vec4(mix(color, pushed.rgb, pushed.a), 1.0);
}
