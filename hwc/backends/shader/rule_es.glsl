#version 450
#extension GL_GOOGLE_include_directive : require
// For OpenGL ES, where words are texels.
#define WORD(BUFFER, AT) word(BUFFER, int(AT))
#include "rule.glsl"
