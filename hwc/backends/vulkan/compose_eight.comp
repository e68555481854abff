#version 450
#extension GL_GOOGLE_include_directive : require
// Up to eight layers at once.
#define LAYERS 8
#include "compose.glsl"
