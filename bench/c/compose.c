/* Does again, in C, what a backend has called of pixman and libyuv: a list of
 * calls, sixteen words each. Images are known by their places in a table. */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

typedef void *Image;

static Image (*create_bits)(uint32_t, int, int, void *, int);
static Image (*create_solid)(const void *);
static int (*set_transform)(Image, const void *);
static int (*set_filter)(Image, uint32_t, const void *, int);
static void (*set_repeat)(Image, uint32_t);
static int (*unref)(Image);
static void (*composite)(uint32_t, Image, Image, Image, int, int, int, int, int, int, int, int);
static int (*yuv420)(const void *, int, const void *, int, const void *, int, int, void *, int, const void *, int, int);

enum { BITS, SOLID, TRANSFORM, FILTER, REPEAT, UNREF, COMPOSITE, YUV420 };

static Image images[1024];

int compose_open(void) {
  void *pixman = dlopen("libpixman-1.so.0", RTLD_NOW), *libyuv = dlopen("libyuv.so.0", RTLD_NOW);
  if (!pixman || !libyuv) return 0;
  create_bits = (Image(*)(uint32_t, int, int, void *, int))dlsym(pixman, "pixman_image_create_bits_no_clear");
  create_solid = (Image(*)(const void *))dlsym(pixman, "pixman_image_create_solid_fill");
  set_transform = (int (*)(Image, const void *))dlsym(pixman, "pixman_image_set_transform");
  set_filter = (int (*)(Image, uint32_t, const void *, int))dlsym(pixman, "pixman_image_set_filter");
  set_repeat = (void (*)(Image, uint32_t))dlsym(pixman, "pixman_image_set_repeat");
  unref = (int (*)(Image))dlsym(pixman, "pixman_image_unref");
  *(void **)&composite = dlsym(pixman, "pixman_image_composite32");
  *(void **)&yuv420 = dlsym(libyuv, "Android420ToARGBMatrix");
  return create_bits && create_solid && set_transform && set_filter && set_repeat && unref && composite && yuv420;
}

static void play(const int64_t *c) {
  const int64_t *a = c + 1;
#define P(n) ((void *)(intptr_t)a[n])
  switch (c[0]) {
    case BITS: images[a[0]] = create_bits(a[1], a[2], a[3], P(4), a[5]); break;
    case SOLID: images[a[0]] = create_solid(a + 1); break;
    case TRANSFORM: set_transform(images[a[0]], a + 1); break;
    case FILTER: set_filter(images[a[0]], a[1], 0, 0); break;
    case REPEAT: set_repeat(images[a[0]], a[1]); break;
    case UNREF: unref(images[a[0]]); break;
    case COMPOSITE:
      composite(a[0], images[a[1]], a[2] < 0 ? 0 : images[a[2]], images[a[3]], a[4], a[5], 0, 0, a[6], a[7], a[8], a[9]);
      break;
    case YUV420:
      yuv420(P(0), a[1], P(2), a[3], P(4), a[5], a[6], P(7), a[8], P(9), a[10], a[11]);
      break;
  }
}

void compose_play(const int64_t *calls, uint32_t count, uint32_t times) {
  for (; times > 0; times--)
    for (uint32_t i = 0; i < count; i++) play(calls + 16 * i);
}

