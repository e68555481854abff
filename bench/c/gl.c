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

typedef struct {
  void (*clear)(uint32_t), (*uniform)(int32_t, float, float, float, float), (*draw)(uint32_t, int32_t, int32_t);
  void (*finish)(void);
} Frame;

// A frame of small triangles, each in another color.
void gl_frames(const Frame *gl, int32_t location, uint32_t draws, uint32_t times) {
  for (uint32_t i = 0; i < times; i++) {
    gl->clear(0x4000);
    for (uint32_t at = 0; at < draws; at++) {
      gl->uniform(location, (at & 15) / 16.f, 0.5f, 0.25f, 1);
      gl->draw(4, 0, 3);
    }
    gl->finish();
  }
}

// What native programs ask of EGL: an attribute of a configuration, a function's address.
void egl_attributes(uint32_t (*get)(void *, void *, int32_t, int32_t *), void *display, void *config, uint32_t times) {
  int32_t value;
  for (uint32_t i = 0; i < times; i++) get(display, config, 0x3020 + (i & 7), &value);
}
void egl_addresses(void *(*get)(const char *), uint32_t times) {
  static const char *const names[] = {"glDrawArrays", "eglCreateImageKHR", "glTexStorage2D", "eglSwapBuffers"};
  for (uint32_t i = 0; i < times; i++) get(names[i & 3]);
}
