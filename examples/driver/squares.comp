#version 450
// Each number becomes its square.

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Numbers {
  uint numbers[];
};

void main() {
  uint index = gl_GlobalInvocationID.x;
  if (index < numbers.length()) numbers[index] *= numbers[index];
}
