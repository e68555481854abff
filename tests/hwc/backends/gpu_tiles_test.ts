/**
 * Tiles as a GPU's driver makes them: a picture in each layout that the driver lists is composed as the same picture in
 * rows. Runs where NVIDIA's driver is; on machines whose driver exports no dma-bufs (without `/dev/dri`) its files stay
 * within the driver, and the rest of the way is the same.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { backendOf } from "../../../hwc/backends/compose.ts";
import { createTsBackend } from "../../../hwc/backends/create.ts";
import { type ComposeDevice, OPAQUE_FILES, openComposeDevice } from "../../../hwc/backends/vulkan/device.ts";
import { VulkanPainter } from "../../../hwc/backends/vulkan/painter.ts";
import { modifiersOf, VulkanTiles } from "../../../hwc/backends/vulkan/tiles.ts";
import { loadVulkan } from "../../../loader/mod.ts";
import { lavapipePath, nvidiaManifest } from "../../../tools/setup/parts.ts";
import { FORMAT, TRANSFORM } from "../../../hwc/types.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { MODIFIER, modifierName } from "../../../wsi/buffer/modifier.ts";
import { layerOf, picture, wordsOf } from "./canvas.ts";
import { CPU } from "./scene.ts";
import { RGBA, tiledImage } from "./tiled_images.ts";

const WIDTH = 301, HEIGHT = 163;
const WORDS = Uint32Array.from({ length: WIDTH * HEIGHT }, (_, at) => Math.imul(at + 1, 0x9e3779b1) >>> 0);

/** Opens the driver's first device, in whose dma-bufs or own files images with modifiers lie; `undefined` if in none. */
function openDevice(driver: string): { on: ComposeDevice; [Symbol.dispose](): void } | undefined {
  const vulkan = loadVulkan({ driver });
  for (const memory of [undefined, OPAQUE_FILES]) {
    const on = openComposeDevice(vulkan, { layersAtOnce: 1 }, memory);
    const close = () => {
      on[Symbol.dispose]();
      vulkan.close();
    };
    if (on.tileMemory !== 0) return { on, [Symbol.dispose]: close };
    on[Symbol.dispose]();
  }
  vulkan.close();
}

/** A target with a picture as it is, and turned. */
function composed(backend: ReturnType<typeof backendOf>, buffer: GraphicBuffer): number[] {
  using target = allocateBuffer({ width: 480, height: 320, format: FORMAT.RGBA_8888, usage: CPU });
  const displayFrame = { left: 310, top: 5, right: 310 + HEIGHT, bottom: 5 + WIDTH };
  const layers = [layerOf(buffer), layerOf(buffer, { displayFrame, transform: TRANSFORM.ROT_90, z: 1 })];
  for (const layer of layers) assertEquals(backend.can(layer, target), true);
  backend.compose(target, layers);
  return wordsOf(target);
}

/** The layouts of a driver that are composed, each of which shows the picture of rows. */
function composeAll(driver: string): string[] {
  using producer = openDevice(driver)!, consumer = openDevice(driver)!, plain = createTsBackend();
  using backend = backendOf("vulkan", [new VulkanPainter(consumer.on)]), rows = picture(WIDTH, [...WORDS]);
  const expected = composed(plain, rows), done: string[] = [];
  for (const modifier of modifiersOf(producer.on, RGBA.vk)) {
    using tiles = tiledImage(producer.on, modifier, WIDTH, WORDS);
    if (modifier === MODIFIER.LINEAR) continue;
    assertEquals(composed(backend, tiles), expected, modifierName(modifier));
    assertEquals(composed(backend, tiles), expected, "the same image once more");
    backend.forget(tiles);
    done.push(modifierName(modifier));
  }
  return done;
}

const NVIDIA = nvidiaManifest();
// Few machines have one, so it is no part that is missing elsewhere.
Deno.test("a GPU's tiles are composed as the same picture in rows", { ignore: NVIDIA === undefined }, () => {
  const done = composeAll(NVIDIA!);
  console.log(`composed: ${done.join(", ")}`);
  assert(done.length > 0);
});

/** Mesa's software driver lists modifiers in newer versions than Debian 12's: those of rows. */
const LAVAPIPE = lavapipePath(), LISTS_ROWS = LAVAPIPE !== undefined && listsModifiers(LAVAPIPE);

function listsModifiers(driver: string): boolean {
  using device = openDevice(driver);
  return device !== undefined;
}

Deno.test("an image of explicit rows is imported by its modifier and copied", { ignore: !LISTS_ROWS }, () => {
  using producer = openDevice(LAVAPIPE!)!, consumer = openDevice(LAVAPIPE!)!;
  assertEquals(modifiersOf(producer.on, RGBA.vk), [MODIFIER.LINEAR]);
  const tiles = new VulkanTiles(consumer.on);
  using image = tiledImage(producer.on, MODIFIER.LINEAR, WIDTH, WORDS);
  assertEquals(tiles.reads(image), true);
  const rows = picture(image.stride, Array(image.stride * HEIGHT).fill(0));
  tiles.copy(image, rows);
  const seen = wordsOf(rows).filter((_, at) => at % image.stride < WIDTH);
  assertEquals(Uint32Array.from(seen), WORDS);
  rows.close();
  tiles.close();
});
