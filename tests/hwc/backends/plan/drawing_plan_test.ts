import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { openBlocks } from "../../../../ffi/block.ts";
import {
  createCpuBackend,
  createPixmanBackend,
  createReferenceBackend,
  createTsBackend,
} from "../../../../hwc/backends/create.ts";
import { createVulkanBackend as createOver } from "../../../../hwc/backends/create.ts";
import { createVulkanBackend } from "../../../../hwc/backends/own_vulkan.ts";
import { loadVulkan } from "../../../../loader/mod.ts";
import { CompositionError } from "../../../../hwc/backends/backend.ts";
import { BLEND, COMPOSITION, DATASPACE, FORMAT } from "../../../../hwc/types.ts";
import { allocateBuffer, openBuffers } from "../../../../wsi/buffer/gralloc.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { openFiles } from "../../../support/open_files.ts";
import { CANDIDATES, colorLayer, composed, LAVAPIPE, layerOf, picture, PIXMAN, wordsOf } from "../canvas.ts";
import { CPU, noiseBuffer } from "../scene.ts";

Deno.test("compose() leaves out what cannot be seen, and says why", () => {
  using backend = createTsBackend();
  using target = picture(4, Array(16).fill(0));
  using wallpaper = noiseBuffer(FORMAT.RGBX_8888, 4, 4, 1), app = noiseBuffer(FORMAT.RGBX_8888, 4, 3, 2);
  const bar = colorLayer([0, 0, 0, 0.5], [0, 3, 4, 4], { blend: BLEND.PREMULTIPLIED, z: 3, name: "bar" });
  const layers = [
    bar,
    layerOf(app, { z: 2, name: "app" }),
    layerOf(wallpaper, { z: 1, name: "wallpaper" }),
    colorLayer([1, 0, 0, 1], [0, 0, 4, 2], { z: 0 }),
    colorLayer([1, 0, 0, 1], [4, 0, 9, 9], { z: 9 }),
    { ...bar, planeAlpha: 0 },
    { ...bar, composition: COMPOSITION.INVALID },
  ];
  const report = backend.compose(target, layers);
  assertEquals(report.layers.map(({ pixels }) => pixels), [4, 12, 4, 0, 0, 0, 0]); // of the wallpaper one row is seen
  assertEquals(report.layers.slice(3).map(({ culled }) => culled), [
    "opaque layers are above it",
    "it is outside the target",
    "its plane alpha is 0",
    "its composition type was never set",
  ]);
  assertEquals([report.backend, report.pixels, report.culled, report.layers[0].backend], ["ts", 20, 4, "ts"]);
  assertEquals(report.layers[1].name, "app");
  const partly = backend.compose(target, layers, { damage: [{ left: 0, top: 0, right: 1, bottom: 1 }] });
  assertEquals(partly.layers[0].culled, "it is outside the damage");
  assertEquals(partly.pixels, 1);
});

Deno.test("compose() with damage leaves the rest of the target alone", () => {
  using backend = createTsBackend();
  using target = picture(3, [1, 2, 3]);
  backend.compose(target, [], {
    damage: [{ left: 1, top: 0, right: 2, bottom: 1 }],
    background: { r: 1, g: 1, b: 1, a: 1 },
  });
  assertEquals(wordsOf(target), [1, 0xffffffff, 3]);
});

Deno.test("compose() takes the best painter for each layer", { ignore: PIXMAN.ignore }, () => {
  using backend = createCpuBackend();
  using target = picture(2, [0, 0, 0, 0]);
  using plain = noiseBuffer(FORMAT.RGBA_8888, 2, 2, 1), half = noiseBuffer(FORMAT.RGBA_FP16, 2, 2, 2);
  const layers = [
    layerOf(plain),
    layerOf(half, { blend: BLEND.PREMULTIPLIED, z: 1 }),
    layerOf(plain, { blend: BLEND.COVERAGE, z: 2 }),
  ];
  assertEquals(backend.compose(target, layers).layers.map((layer) => layer.backend), ["pixman", "ts", "ts"]);
  const exact = backend.compose(target, layers, { rule: "round-once" });
  assertEquals(exact.layers.map((layer) => layer.backend), ["reference", "reference", "reference"]);
  using deep = picture(2, [0, 0, 0, 0], FORMAT.RGBA_1010102);
  assertEquals(backend.compose(deep, layers).layers.map((layer) => layer.backend), [
    "reference",
    "reference",
    "reference",
  ]);
});

Deno.test("can() says of pixman what it cannot do", { ignore: PIXMAN.ignore }, () => {
  using backend = createPixmanBackend();
  using target = picture(2, [0, 0, 0, 0]);
  using plain = noiseBuffer(FORMAT.RGBA_8888, 2, 2, 1), half = noiseBuffer(FORMAT.RGBA_FP16, 2, 2, 2);
  using video = noiseBuffer(FORMAT.YCBCR_420_888, 2, 2, 3), wide = noiseBuffer(FORMAT.YCBCR_P010, 2, 2, 3);
  assertEquals(backend.can(layerOf(plain, { blend: BLEND.COVERAGE }), target), "pixman has no straight alpha");
  assertEquals(backend.can(layerOf(half), target), "pixman reads rgba-fp16 slowly or not at all");
  assertEquals(backend.can(layerOf(wide), target), "libyuv has no exact way to read this YUV format");
  assertEquals(backend.can(layerOf(plain), target, { rule: "hwc2trunc" }), 'pixman has no rule "hwc2trunc"');
  const managed = backend.can(layerOf(plain, { dataspace: DATASPACE.V0_SRGB }), target, {
    dataspace: DATASPACE.DISPLAY_P3,
  });
  assertEquals(managed, "pixman does not convert colours");
  const error = assertThrows(() => backend.compose(target, [layerOf(half, { name: "film" })]), CompositionError);
  assertEquals([error.code, error.message], [
    "cannot-compose",
    'Cannot compose layer 0 "film": pixman: pixman reads rgba-fp16 slowly or not at all',
  ]);
  if (Deno.build.arch !== "x86_64") return;
  const standards = [
    DATASPACE.V0_BT601_625,
    DATASPACE.V0_JFIF,
    DATASPACE.V0_BT709,
    DATASPACE.BT2020,
    DATASPACE.BT2020_ITU_PQ,
  ];
  for (const dataspace of standards) {
    assertEquals(backend.can(layerOf(video, { dataspace }), target), true, `${dataspace}`);
  }
});

Deno.test("compose() refuses what makes no sense, and draws nothing then", () => {
  using backend = createReferenceBackend();
  using target = picture(1, [0x1234]), video = noiseBuffer(FORMAT.YV12, 2, 2, 1);
  const color = colorLayer([1, 1, 1, 1], [0, 0, 1, 1]);
  const refused = (layer: object, part: string) => {
    const error = assertThrows(() => backend.compose(target, [color, { ...color, ...layer }]), CompositionError);
    assertEquals(error.code, "bad-layer");
    assertStringIncludes(error.message, part);
    assertStringIncludes(String(backend.can({ ...color, ...layer }, target)), part);
  };
  refused({ blend: 0 }, "its blend mode is 0; give 1 to 3");
  refused({ planeAlpha: NaN }, "its plane alpha is NaN; give 0 to 1");
  refused({ transform: 8 }, "its transform is 8; give 0 to 7");
  refused({ colorTransform: [1] }, "its colour transform has 1 numbers; give 16");
  const closed = noiseBuffer(FORMAT.RGBA_8888, 1, 1, 1);
  closed.close();
  refused({ buffer: closed, composition: COMPOSITION.DEVICE }, "its buffer is closed");
  using depth = allocateBuffer({ width: 2, height: 2, format: FORMAT.DEPTH_16, usage: CPU });
  assertEquals(assertThrows(() => backend.compose(depth, [color]), CompositionError).code, "bad-target");
  assertEquals(typeof backend.can(color, depth), "string");
  assertEquals(backend.can(color, video), true);
  assertEquals(wordsOf(target), [0x1234]);
  backend.close();
  assertEquals(assertThrows(() => backend.compose(target, []), CompositionError).code, "closed");
});

Deno.test("compose() leaves out buffers without pixels, empty crops and empty frames", () => {
  using backend = createTsBackend();
  using target = picture(1, [0]), blob = allocateBuffer({ width: 64, height: 1, format: FORMAT.BLOB, usage: CPU });
  using plain = noiseBuffer(FORMAT.RGBA_8888, 2, 2, 1);
  const empty = { left: 5, top: 0, right: 5, bottom: 2 };
  const layers = [layerOf(blob), layerOf(plain, { sourceCrop: empty }), layerOf(plain, { displayFrame: empty })];
  assertEquals(backend.compose(target, layers).layers.map(({ culled }) => culled), [
    "HAL_PIXEL_FORMAT_BLOB has no pixels to compose",
    "its crop is empty or outside the buffer",
    "its display frame is empty",
  ]);
});

for (const { name, ignore, create } of CANDIDATES) {
  Deno.test(`${name} shows black where a protected layer must not be read`, { ignore }, () => {
    using backend = create();
    using open = picture(1, [0xff123456]), film = picture(1, [0xff030201]);
    const secret = layerOf(film, { isProtected: true, z: 1 });
    assertEquals(composed(backend, [1, 1], [secret]), [0xff000000]);
    assertEquals(composed(backend, [1, 1], [secret], { isProtected: true }), [0xff030201]);
    // Half of it is no less secret.
    const veil = { ...secret, blend: BLEND.PREMULTIPLIED, planeAlpha: 0.5 };
    assertEquals(composed(backend, [1, 1], [layerOf(open), veil]), [0xff000000]);
  });
}

Deno.test(
  "vulkan keeps what it is told is unchanged, sees what changed, and lets go",
  { ignore: LAVAPIPE.ignore },
  () => {
    using backend = createVulkanBackend({ driver: lavapipePath()!, deviceMemory: true, layersAtOnce: 1 });
    const before = openBuffers(), buffer = picture(1, [1]);
    const same = layerOf(buffer, { damage: [{ left: 0, top: 0, right: 0, bottom: 0 }] });
    const draw = (word: number, layer = layerOf(buffer)) => {
      buffer.lock().set([word]);
      buffer.unlock();
      return composed(backend, [1, 1], [layer])[0] & 0xff;
    };
    assertEquals([draw(2), draw(3, same), draw(4, same), draw(5), draw(6, same)], [2, 3, 3, 5, 6]);
    buffer.close();
    assertEquals(openBuffers(), before + 2); // this one, and the target of the last frame
    backend.forget(buffer);
    assertEquals(openBuffers(), before + 1);
    using target = picture(1, [0]);
    backend.compose(target, []);
    assertEquals(openBuffers(), before + 1); // this target alone
  },
);

Deno.test("backends leave nothing behind", { ignore: PIXMAN.ignore || LAVAPIPE.ignore }, () => {
  using video = noiseBuffer(FORMAT.YV12, 64, 64, 1), target = picture(64, Array(64 * 64).fill(0));
  const layer = layerOf(video, { transform: 4, displayFrame: { left: 0, top: 0, right: 50, bottom: 40 } });
  const round = () => {
    for (const create of [createCpuBackend, () => createVulkanBackend({ driver: lavapipePath()!, layersAtOnce: 1 })]) {
      const backend = create();
      backend.compose(target, [layer, layerOf(target, { displayFrame: { left: 0, top: 0, right: 1, bottom: 1 } })]);
      backend.close();
      backend.close();
    }
    return [openBlocks(), openBuffers(), openFiles()];
  };
  const once = round();
  assertEquals(round(), once);
});

Deno.test("vulkan composes more layers than one dispatch takes", { ignore: LAVAPIPE.ignore }, () => {
  using backend = LAVAPIPE.create(), expected = createTsBackend();
  using buffer = noiseBuffer(FORMAT.RGBA_8888, 5, 4, 1);
  const layers = Array.from(
    { length: 19 },
    (_, z) => layerOf(buffer, { blend: BLEND.PREMULTIPLIED, planeAlpha: 0.4, transform: z % 4, z }),
  );
  assertEquals(composed(backend, [5, 4], layers), composed(expected, [5, 4], layers));
});

Deno.test(
  "createVulkanBackend() says which devices there are when none is the one wanted",
  { ignore: LAVAPIPE.ignore },
  () => {
    const error = assertThrows(
      () => createVulkanBackend({ driver: lavapipePath()!, device: "Voodoo" }),
      CompositionError,
    );
    assertEquals(error.code, "device");
    assertStringIncludes(error.message, 'Cannot compose with Vulkan: no device "Voodoo" computes; found llvmpipe');
  },
);

Deno.test("createVulkanBackend() composes through the loader it is given, and leaves that open", {
  ignore: LAVAPIPE.ignore,
}, () => {
  using vulkan = loadVulkan({ driver: lavapipePath()! }), given = createOver(vulkan, { layersAtOnce: 1 });
  using buffer = noiseBuffer(FORMAT.RGBA_8888, 5, 4, 1);
  assertEquals(composed(given, [5, 4], [layerOf(buffer)]), composed(createTsBackend(), [5, 4], [layerOf(buffer)]));
  given.close();
  using instance = vulkan.vkCreateInstance({});
  assertEquals(instance.vkEnumeratePhysicalDevices().length > 0, true);
});
