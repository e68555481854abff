#version 450
// Fetches texels of a level and layer of an image into a buffer, four words each.
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform isampler2DArray image;
layout(set = 0, binding = 1, std430) writeonly buffer To { uvec4 texels[]; } to;
layout(push_constant) uniform Push { uint level; uint layer; uint width; uint height; } push;

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= push.width || at.y >= push.height) return;
  to.texels[at.y * push.width + at.x] = uvec4(texelFetch(image, ivec3(at, push.layer), int(push.level)));
}
