#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Writes one sample of each texel of some rows into a buffer, four numbers each.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform utexture2DMS image;
layout(set = 0, binding = 1, std430) writeonly buffer To { uvec4 texels[]; } to;
layout(push_constant) uniform Push { uint which; uint width; uint top; uint rows; uint first; } push;

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= push.width || at.y >= push.rows) return;
  to.texels[push.first + at.y * push.width + at.x] = texelFetch(image, ivec2(at.x, push.top + at.y), int(push.which));
}
