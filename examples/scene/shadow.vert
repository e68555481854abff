#version 450
#extension GL_GOOGLE_include_directive : require
#include "scene.glsl"
#include "column.glsl"

void main() { gl_Position = frame.sunProjection * vec4(columnVertex().place, 1.0); }
