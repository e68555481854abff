/**
 * Small programs, and what differs between two drivers on one of them. Both are
 * one driver; layers make them differ.
 *
 * @module
 */
import { judged } from "../../../../../workbench/recordings/compare/contents/judge.ts";
import { type Rest, runStream } from "../../../../../workbench/recordings/compare/driver_process/run.ts";
import { seededChoices } from "../../../../../workbench/programs/choices.ts";
import { Model } from "../../../../../workbench/programs/model.ts";
import { setUp, tearDown } from "../../../../../workbench/programs/generate.ts";
import { Submissions } from "../../../../../workbench/programs/submissions.ts";
import type { RecordedStream } from "../../../../../workbench/layers.ts";
import type { Layer } from "../../../../../loader/layer.ts";
import { defineLayer, loadVulkan, type Vulkan } from "../../../../../loader/mod.ts";
import * as vk from "../../../../../loader/vk.ts";
import { little } from "../../../programs/everything.ts";

/** Texels of the images. */
export const EXTENT = { width: 2, height: 1, depth: 1 };
/** The first level of a colour image. */
export const LAYERS = { aspectMask: vk.VK_IMAGE_ASPECT_COLOR_BIT, mipLevel: 0, baseArrayLayer: 0, layerCount: 1 };
/** Bytes that are enough for any image or buffer here. */
export const ROOM = 4096;
const TRANSFERS = vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT;

/** Returns a program of one submission. */
export function program(write: (model: Model) => void): RecordedStream {
  const model = new Model({ ...little(), features: ["occlusionQueryPrecise"] }, seededChoices(0)), { writer } = model;
  setUp(writer, model.facts);
  const submissions = new Submissions(model);
  submissions.begin();
  write(model);
  submissions.submit(true);
  writer.end();
  tearDown(writer);
  return { lines: writer.lines, data: () => new Uint8Array() };
}

/** Creates an image of two texels in the general layout. */
export function image({ writer, memory }: Model, format: number, usage = 0): string {
  const aspectMask = format === vk.VK_FORMAT_X8_D24_UNORM_PACK32 ? vk.VK_IMAGE_ASPECT_DEPTH_BIT : LAYERS.aspectMask;
  const name = writer.create("VkImage", {
    flags: 0,
    imageType: vk.VK_IMAGE_TYPE_2D,
    format,
    extent: EXTENT,
    mipLevels: 1,
    arrayLayers: 1,
    samples: 1,
    tiling: 0,
    usage: TRANSFERS | usage,
    sharingMode: 0,
    initialLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
  });
  memory.bindImage(name, ROOM);
  barrier(writer, [{
    srcAccessMask: 0,
    dstAccessMask: vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT,
    oldLayout: vk.VK_IMAGE_LAYOUT_UNDEFINED,
    newLayout: vk.VK_IMAGE_LAYOUT_GENERAL,
    srcQueueFamilyIndex: vk.VK_QUEUE_FAMILY_IGNORED,
    dstQueueFamilyIndex: vk.VK_QUEUE_FAMILY_IGNORED,
    image: name,
    subresourceRange: { aspectMask, levelCount: 1, layerCount: 1, baseMipLevel: 0, baseArrayLayer: 0 },
  }]);
  return name;
}

/** Creates a buffer with the bytes of words, or of zeros. */
export function buffer({ writer, memory }: Model, words: readonly number[] = [0, 0]): string {
  const usage = vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT | vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const name = writer.create("VkBuffer", { size: words.length * 4, usage, sharingMode: 0 });
  memory.bindBuffer(name, ROOM);
  const pData = new Uint8Array(Uint32Array.from(words).buffer);
  writer.command("vkCmdUpdateBuffer", { dstBuffer: name, dstOffset: 0, pData });
  barrier(writer);
  return name;
}

/** Waits for everything. */
export function barrier(writer: Model["writer"], pImageMemoryBarriers: readonly object[] = []): void {
  const all = vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT;
  writer.command("vkCmdPipelineBarrier", {
    srcStageMask: vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
    dstStageMask: vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
    dependencyFlags: 0,
    pMemoryBarriers: [{ srcAccessMask: all, dstAccessMask: all }],
    pBufferMemoryBarriers: [],
    pImageMemoryBarriers,
  });
}

// deno-lint-ignore no-explicit-any -- the arguments depend on the command
type Hook = any;

/** Returns a layer that puts a word at the beginning of the buffer that a command has written. `at` is the buffer's argument. */
export function overwriting(command: string, at: number, word: number): Layer {
  const readers = new Set<bigint>();
  return defineLayer({
    name: "VK_LAYER_TEST_overwriting",
    commands: {
      /** Contents are read through buffers that nothing else can be done with. */
      vkCreateBuffer(this: Hook, next: (...args: Hook[]) => number, ...args: Hook[]) {
        const result = next(...args), { usage } = this.read("VkBufferCreateInfo", args[1]);
        if (usage === vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT) readers.add(this.u64(args[3]));
        return result;
      },
      [command](this: Hook, next: (...args: Hook[]) => void, ...args: Hook[]) {
        next(...args);
        if (!readers.has(args[at])) this.below(args[0]).vkCmdFillBuffer(args[0], args[at], 0n, 4n, word);
      },
    } as Layer["commands"],
  });
}

/** Returns the contents that differ after a program between a driver with one layer and with another, by name. */
export function differences(driver: string, stream: RecordedStream, one: Layer | undefined, other: Layer) {
  const [left, right] = [one, other].map((layer) => contentsAfter(driver, stream, layer));
  const all = left.map(({ piece, bytes, loose }, index) =>
    [piece.name, judged(piece, bytes, right[index].bytes, { steps: {}, share: 0, loose })] as const
  );
  return new Map(all.flatMap(([name, found]) => found ? [[name, found] as const] : []));
}

/** Returns only their names. */
export function apart(...args: Parameters<typeof differences>): string[] {
  return [...differences(...args).keys()];
}

function contentsAfter(driver: string, stream: RecordedStream, layer: Layer | undefined) {
  using vulkan = loadVulkan({ driver, layers: layer ? [layer] : [] });
  const found: ReturnType<typeof contentsIn>[] = [];
  runStream(vulkan as Vulkan, stream, {
    timeout: 60_000,
    onRest(rest) {
      found.push(contentsIn(rest));
      return true;
    },
  });
  return found.at(-1)!;
}

function contentsIn({ readable, read, looseIn }: Rest) {
  const all = read();
  return readable.map((piece, index) => ({ piece, bytes: all[index], loose: looseIn(piece) }));
}
