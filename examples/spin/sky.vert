#version 450
#extension GL_GOOGLE_include_directive : require
#include "spin.glsl"

// One triangle that covers the picture, at the far end of the depth range.
layout(location = 0) out vec3 outRay;

void main() {
  vec2 at = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);
  vec3 right = normalize(cross(frame.forward.xyz, vec3(0.0, 1.0, 0.0))), up = cross(right, frame.forward.xyz);
  outRay = frame.forward.xyz + at.x * frame.spin.z * right - at.y * frame.forward.w * up;
  gl_Position = vec4(at, 1.0, 1.0);
}
