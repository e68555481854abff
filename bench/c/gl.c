// What the OpenGL ES benchmarks compare with: the same work in C, in the same process.
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

// Calls a command of one enumeration.
void gl_calls(void (*command)(uint32_t), uint32_t value, uint32_t times) {
  for (uint32_t i = 0; i < times; i++) command(value);
}

// Fills a table as Android's loader does: what the library exports, else what eglGetProcAddress knows.
void gl_fill(void *library, void *(*get)(const char *), const char *names, void **table, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    table[i] = dlsym(library, names);
    if (!table[i]) table[i] = get(names);
    names += strlen(names) + 1;
  }
}

// Calls commands in an order, with as many integers as any of them takes.
void gl_mixed(void (**commands)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t), const uint8_t *order,
              uint32_t length, uint32_t times) {
  for (uint32_t i = 0; i < times; i++) commands[order[i % length]](1, 1, 1, 1, 1, 1);
}
