#version 450
// Changes the texels of a storage image.
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D image;
layout(push_constant) uniform Push { uint count; uint added; uint shift; } push;

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, imageSize(image)))) return;
  uint texel = imageLoad(image, at).x;
  imageStore(image, at, uvec4(texel * 5 + push.added + uint(at.x) * 7 + uint(at.y) * 13));
}
