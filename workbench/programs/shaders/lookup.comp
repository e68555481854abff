#version 450
// Looks words up: a uniform buffer says which texels of a texel buffer are mixed into a storage buffer.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std140) uniform Table { uvec4 rows[4]; } table[2];
layout(set = 0, binding = 1) uniform usamplerBuffer texels;
layout(set = 0, binding = 2, std430) buffer To { uint words[]; } to;
layout(push_constant) uniform Push { uint count; uint added; uint shift; } push;

void main() {
  uint at = gl_GlobalInvocationID.x;
  if (at >= push.count) return;
  uint row = table[1].rows[at & 3][(at >> 2) & 3] ^ table[0].rows[(at >> 4) & 3][at & 3];
  uint texel = texelFetch(texels, int((row + at) % push.count)).x;
  to.words[at] = (to.words[at] ^ (texel << push.shift)) + push.added;
}
