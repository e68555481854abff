#version 450
// Mixes one buffer into another: integers only, so that every driver has the same words.
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;
layout(constant_id = 1) const uint FACTOR = 3;
layout(constant_id = 2) const uint ROUNDS = 1;
layout(set = 0, binding = 0, std430) readonly buffer From { uint words[]; } from[2];
layout(set = 0, binding = 1, std430) buffer To { uint words[]; } to;
layout(push_constant) uniform Push { uint count; uint added; uint shift; } push;

void main() {
  uint at = gl_GlobalInvocationID.x;
  if (at >= push.count) return;
  uint word = to.words[at];
  for (uint round = 0; round < ROUNDS; round++) {
    word = word * FACTOR + (from[0].words[at] ^ from[1].words[push.count - 1 - at]);
    word = (word << push.shift) | (word >> (32 - push.shift));
  }
  to.words[at] = word + push.added;
}
