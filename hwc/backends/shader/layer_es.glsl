#version 450
#extension GL_GOOGLE_include_directive : require
// For OpenGL ES, which pastes no tokens: one layer, whose number is put in the place of K.
#define WORD(BUFFER, AT) word(BUFFER, int(AT))
#include "layer.glsl"
LAYER(K)
