#version 450
// Writes one plane of a YUV picture: each invocation a word of the plane, and of that the samples inside the area.

layout(local_size_x = 32, local_size_y = 8) in;

layout(set = 0, binding = 0) readonly buffer Picture { uint words[]; } picture; // RGBA
layout(set = 0, binding = 1) buffer Target { uint words[]; } target;

const int WIDE = 1, PAIRS = 2, SECOND_FIRST = 4, SHARED_ACROSS = 8, SHARED_DOWN = 16, AT_LEFT = 32, AT_TOP = 64, LUMA = 128;

layout(push_constant) uniform Plane {
  ivec4 area;   // in samples: left, top, right, bottom
  ivec4 source; // width, height, words from row to row, flags as above
  ivec4 place;  // first word, words from row to row, largest sample, first word of each row to write
  ivec4 first;  // factors of red, green and blue, and what is added
  ivec4 second; // the same for the second sample of a pair
};

int sampleOf(ivec4 factors, ivec3 sum, int shift) {
  return min((factors.x * sum.x + factors.y * sum.y + factors.z * sum.z + factors.w) >> shift, place.z);
}

ivec3 color(ivec2 at) {
  at = clamp(at, ivec2(0), source.xy - 1);
  uint word = picture.words[at.y * source.z + at.x];
  return ivec3(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u);
}

ivec3 weights(bool isShared, bool isOnFirst) {
  return !isShared ? ivec3(0, 4, 0) : isOnFirst ? ivec3(1, 2, 1) : ivec3(0, 2, 2);
}

// Sixteen 16ths of the pixels around the place of a chroma sample.
ivec3 around(ivec2 at) {
  int flags = source.w;
  bool across = (flags & SHARED_ACROSS) != 0, down = (flags & SHARED_DOWN) != 0;
  ivec3 columns = weights(across, (flags & AT_LEFT) != 0), rows = weights(down, (flags & AT_TOP) != 0), sum = ivec3(0);
  ivec2 first = ivec2(across ? at.x * 2 : at.x, down ? at.y * 2 : at.y);
  for (int y = 0; y < 3; y++) {
    for (int x = 0; x < 3; x++) {
      if (rows[y] * columns[x] != 0) sum += rows[y] * columns[x] * color(first + ivec2(x - 1, y - 1));
    }
  }
  return sum;
}

void main() {
  int flags = source.w, unit = (flags & WIDE) != 0 ? 2 : 1, pair = (flags & PAIRS) != 0 ? 2 : 1;
  int column = place.w + int(gl_GlobalInvocationID.x), row = area.y + int(gl_GlobalInvocationID.y);
  int firstSample = column * 4 / (unit * pair);
  if (row >= area.w || firstSample >= area.z) return;
  int at = place.x + row * place.y + column;
  uint word = target.words[at], mask = unit == 2 ? 0xffffu : 0xffu;
  for (int k = 0; k < 4 / unit; k++) {
    int byte = column * 4 + k * unit, x = byte / (unit * pair);
    if (x < area.x || x >= area.z) continue;
    bool isSecond = pair == 2 && (((byte / unit) & 1) == 1) != ((flags & SECOND_FIRST) != 0);
    int value = (flags & LUMA) != 0 ? sampleOf(first, color(ivec2(x, row)), 16)
                                    : sampleOf(isSecond ? second : first, around(ivec2(x, row)), 20);
    uint stored = unit == 2 ? uint(value) << 6 : uint(value);
    word = (word & ~(mask << (8 * k * unit))) | (stored << (8 * k * unit));
  }
  target.words[at] = word;
}
