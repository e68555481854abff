#version 450
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "column.glsl"

layout(location = 0) out vec3 outPlace;
layout(location = 1) out vec3 outNormal;
layout(location = 2) out vec4 outColour;
layout(location = 3) out vec4 outKind;   // x: metres below the head, y: share of strata, z: radius, w: height

void main() {
  Vertex vertex = columnVertex();
  outPlace = vertex.place;
  outNormal = vertex.normal;
  outColour = inColour;
  outKind = vec4(vertex.below, inKind.z, inPlace.w, inForm.x);
  gl_Position = frame.viewProjection * vec4(vertex.place * vec3(1.0, pass.mirror, 1.0), 1.0);
}
