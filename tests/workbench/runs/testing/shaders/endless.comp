#version 450
// Never ends as long as nobody else writes to the buffer. A driver may give up
// a loop after some thousand turns: many groups keep that one busy, too.

layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) coherent volatile buffer Flag {
  uint flag;
  uint turns;
};

void main() {
  while (flag == 0u) turns++;
}
