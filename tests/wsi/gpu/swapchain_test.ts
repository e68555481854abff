import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { translate } from "naga-wasm";
import { callbackConsumer, loadVulkan, NativeWindow, openGpu, WsiError } from "../../../mod.ts";
import { createDebugMessenger } from "../../../loader/mod.ts";
import { VK_FORMAT_R8G8B8A8_UNORM } from "../../../loader/vk.ts";
import { lavapipePath, swiftshaderPath, validationManifest } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { openBlocks } from "../../../ffi/block.ts";
import { mappings, openFiles } from "../../support/open_files.ts";

const DRAWING = translate({
  from: "wgsl",
  to: "spirv",
  source: `
@group(0) @binding(0) var<uniform> color: vec4f;
@vertex fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return vec4f(vec2f(f32(index & 1), f32(index >> 1)) * 4 - 1, 0, 1);
}
@fragment fn shade() -> @location(0) vec4f { return color; }`,
});
const driver = lavapipePath();
const NEEDS = needs("Mesa lavapipe", driver);

/** Draws frames of these reds into a window, calls `between` behind each, and returns what the consumer saw. */
async function drawn(
  path: string,
  reds: readonly number[],
  between: (window: NativeWindow, frame: number) => void = () => {},
): Promise<string[]> {
  const seen: string[] = [], said: string[] = [];
  const consumer = callbackConsumer((frame) => {
    const { width, height, data } = frame.toRgba(), all = new Set(data.filter((_, at) => at % 4 === 0));
    seen.push(`${width}x${height} ${[...all].join()}`);
  });
  using native = new NativeWindow({ width: 8, height: 4, consumer });
  using vulkan = loadVulkan({ driver: path, layers: ["VK_LAYER_KHRONOS_validation"] });
  using gpu = openGpu({ vulkan, window: native, instanceExtensions: ["VK_EXT_debug_utils"] });
  using _messenger = createDebugMessenger(gpu.instance, ({ message }) => void said.push(message));
  const color = gpu.buffer(16);
  for (const [frame, red] of reds.entries()) {
    const target = await gpu.swapchain.acquire();
    color.floats.set([red / 255, 0, 0, 1]);
    gpu.draw({ target, vertex: DRAWING, fragment: DRAWING, bindings: [color] });
    assertEquals(gpu.pixels(target).data[0], red);
    gpu.swapchain.present();
    between(native, frame);
  }
  assertEquals(said, []);
  return seen;
}

for (const [name, path] of [["Mesa lavapipe", driver], ["SwiftShader and ANGLE", swiftshaderPath()]] as const) {
  const parts = needs(`${name}, Khronos validation layer`, path && validationManifest());

  Deno.test(`openGpu({ window }) shows each frame once, in order, on ${name}, and validation has nothing to say`, {
    ...parts,
  }, async () => {
    const reds = Array.from({ length: 12 }, (_, at) => 20 * at);
    assertEquals(await drawn(path!, reds), reds.map((red) => `8x4 ${red}`));
  });

  Deno.test(`openGpu({ window }) follows the window's size on ${name}`, parts, async () => {
    const sizes = [[5, 7], [5, 7], [64, 2], [3, 3], [8, 4]];
    const seen = await drawn(path!, [10, 20, 30, 40, 50, 60], (window, frame) => {
      if (sizes[frame]) window.resize(sizes[frame][0], sizes[frame][1]);
    });
    assertEquals(seen, ["8x4 10", "5x7 20", "5x7 30", "64x2 40", "3x3 50", "8x4 60"]);
  });
}

Deno.test("openGpu({ window }) keeps its swapchain while the window keeps its size, and makes another one then", {
  ...NEEDS,
}, async () => {
  using native = new NativeWindow({ width: 8, height: 4, consumer: callbackConsumer(() => {}) });
  using gpu = openGpu({ driver, window: native });
  const handles: unknown[] = [];
  for (let frame = 0; frame < 4; frame++) {
    const target = await gpu.swapchain.acquire();
    assert(gpu.swapchain.images.includes(target));
    handles.push(gpu.swapchain.handle);
    gpu.swapchain.present();
    if (frame === 1) native.resize(9, 9);
  }
  assertEquals([handles[0] === handles[1], handles[1] === handles[2], handles[2] === handles[3]], [true, false, true]);
});

Deno.test("acquire() waits for a consumer that holds frames, without holding it up", NEEDS, async () => {
  const held: (() => void)[] = [];
  const consumer = callbackConsumer(() => new Promise<void>((resolve) => held.push(resolve)));
  using native = new NativeWindow({ width: 8, height: 4, consumer });
  using gpu = openGpu({ driver, window: native, swapchain: { timeout: 10_000 } });
  let acquired = 0;
  const free = setInterval(() => held.shift()?.(), 5); // runs only while acquire() lets it
  for (; acquired < 12; acquired++) {
    await gpu.swapchain.acquire();
    gpu.swapchain.present();
  }
  clearInterval(free);
  for (const each of held) each();
  assertEquals(native.statistics.queued, 12);
});

Deno.test("acquire() ends with a sentence if no image comes free", NEEDS, async () => {
  const held: (() => void)[] = [];
  const consumer = callbackConsumer(() => new Promise<void>((resolve) => held.push(resolve)));
  using native = new NativeWindow({ width: 8, height: 4, consumer });
  using gpu = openGpu({ driver, window: native, swapchain: { timeout: 30 } });
  const { code } = await assertRejects(
    async () => {
      for (let frame = 0; frame < 70; frame++) {
        await gpu.swapchain.acquire();
        gpu.swapchain.present();
      }
    },
    WsiError,
    "the window gave none for 30 ms; its consumer holds all frames",
  );
  assertEquals(code, "no-frame");
  while (held.length > 0) held.shift()!(); // and goes on when one does
  await gpu.swapchain.acquire();
  gpu.swapchain.present();
  for (const each of held) each();
});

Deno.test("a swapchain refuses calls out of turn, and settings that the window does not take", NEEDS, async () => {
  using native = new NativeWindow({ width: 8, height: 4, consumer: callbackConsumer(() => {}) });
  const gpu = openGpu({
    driver,
    window: native,
    swapchain: { imageFormat: VK_FORMAT_R8G8B8A8_UNORM, minImageCount: 4 },
  });
  assert(gpu.swapchain.images.length >= 4);
  assertThrows(() => gpu.swapchain.present(), TypeError, "acquire() one first");
  await gpu.swapchain.acquire();
  await assertRejects(() => gpu.swapchain.acquire(), TypeError, "present() the image before first");
  gpu.swapchain.present();
  assertThrows(() => gpu.swapchain.present(), TypeError, "acquire() one first");
  const late = gpu.swapchain.acquire();
  gpu.close();
  assertEquals((await assertRejects(() => late, WsiError)).code, "closed");

  const rows = [
    [{ imageFormat: 123456 as never }, "bad-format", "of format 123456: the window takes"],
    [{ presentMode: 99 as never }, "unsupported", "the present mode 99: the window has"],
    [{ minImageCount: 1000 }, "too-many", "Cannot use 1000 images: the window takes"],
  ] as const;
  for (const [swapchain, code, words] of rows) {
    assertEquals(assertThrows(() => openGpu({ driver, window: native, swapchain }), WsiError, words).code, code);
  }
  assertThrows(() => openGpu({ driver, swapchain: {} }), TypeError, "give a window");
  assertThrows(() => openGpu({ driver, window: { width: 4 } as never }), TypeError, "give a NativeWindow");
  assertThrows(
    () => openGpu({ driver, window: native, swapchain: { imageUse: 3 } as never }),
    TypeError,
    'mean "imageUsage"?',
  );
});

Deno.test("openGpu({ window }) leaves nothing behind, also with an image acquired", NEEDS, async () => {
  async function use(): Promise<void> {
    using native = new NativeWindow({ width: 8, height: 4, consumer: callbackConsumer(() => {}) });
    using gpu = openGpu({ driver, window: native });
    for (let frame = 0; frame < 3; frame++) {
      await gpu.swapchain.acquire();
      gpu.swapchain.present();
      native.resize(8 + frame, 4);
    }
    await gpu.swapchain.acquire();
  }
  const open = () => [openFiles(), openBlocks(), mappings("gralloc")];
  await use();
  const before = open();
  await use();
  assertEquals(open(), before, "open files, blocks and mappings");
});
