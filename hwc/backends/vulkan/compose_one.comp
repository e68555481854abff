#version 450
#extension GL_GOOGLE_include_directive : require
// One layer: quicker to compile.
#define LAYERS 1
#include "compose.glsl"
