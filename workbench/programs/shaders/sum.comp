#version 450
// Every workgroup adds its words in shared memory and adds the sum to one word with an atomic.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint words[]; } from;
layout(set = 0, binding = 1, std430) buffer To { uint words[]; } to;
layout(push_constant) uniform Push { uint count; uint added; uint shift; } push;
shared uint parts[16];

void main() {
  uint at = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
  parts[local] = at < push.count ? from.words[at] : 0;
  barrier();
  for (uint half_ = 8; half_ > 0; half_ >>= 1) {
    if (local < half_) parts[local] += parts[local + half_];
    barrier();
  }
  if (local == 0) {
    atomicAdd(to.words[0], parts[0]);
    atomicMax(to.words[1], parts[0]);
    atomicXor(to.words[2], parts[0] + push.added);
  }
}
