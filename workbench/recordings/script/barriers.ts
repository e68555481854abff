import type { Fields, RecordedCall } from "../record/line.ts";
import { coreName } from "../record/commands.ts";
import {
  VK_ACCESS_MEMORY_READ_BIT,
  VK_ACCESS_MEMORY_WRITE_BIT,
  VK_IMAGE_ASPECT_COLOR_BIT,
  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
  VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
  VK_SUBPASS_EXTERNAL,
} from "../../../loader/gen/enums_core_gen.js";
import { barriersOf } from "../state_tracker/effects.ts";
import type { Resources } from "../state_tracker/resources.ts";
import type { Group, Node } from "./node.ts";
import type { Values } from "./values.ts";
import type { Variables } from "./variables.ts";

/** The words that barriers are written with. */
export interface BarrierWords {
  readonly values: Values;
  readonly variables: Variables;
  readonly resources: Resources;
}

/** A helper of scripts that is a barrier between all earlier and all later commands. */
const HELPER = /^(fullBarrier|turnImage|zeroImage)\(/;

/** Whether a command is a barrier alone. */
export function isBarrier({ command }: RecordedCall): boolean {
  return /^vkCmdPipelineBarrier2?$/.test(coreName(command));
}

/**
 * Writes a barrier with helpers of scripts, which wait for everything. Returns `undefined` for one that has a meaning
 * besides, as a change of the queue family has.
 *
 * @param cleared The image barriers behind which the image becomes zero.
 */
export function barrierLines(
  call: RecordedCall,
  cleared: readonly Fields[],
  self: string,
  words: BarrierWords,
): Node[] | undefined {
  const infos = call.args.pDependencyInfo ?? call.args, images = barriersOf(call.args) ?? [];
  const all = [...infos.pMemoryBarriers ?? [], ...infos.pBufferMemoryBarriers ?? [], ...images];
  if ([infos, ...all].some(isSpecial)) return undefined;
  const turned = images.filter((each) => each.oldLayout !== each.newLayout);
  if (turned.length === 0) return [`fullBarrier(${self});`];
  return turned.map((each) =>
    cleared.some(({ image, subresourceRange }) => image === each.image && subresourceRange === each.subresourceRange)
      ? zeroLine(each, self, words)
      : helper(
        "turnImage",
        [self, imageOf(each, words), layout(each.oldLayout, words), layout(each.newLayout, words)],
        each,
        words,
      )
  );
}

/** Writes that an image gets a layout and becomes zero. */
export function zeroLine(barrier: Fields, self: string, words: BarrierWords): Node {
  return helper("zeroImage", [self, imageOf(barrier, words), layout(barrier.newLayout, words)], barrier, words);
}

/** Writes that an image gets another layout. */
export function turnLine(
  barrier: Pick<Fields, "image" | "oldLayout" | "newLayout" | "subresourceRange">,
  words: BarrierWords,
): Node {
  const { oldLayout, newLayout } = barrier;
  return helper(
    "turnImage",
    ["commands", imageOf(barrier, words), layout(oldLayout, words), layout(newLayout, words)],
    barrier,
    words,
  );
}

/** The dependencies of a render pass, waiting for everything. */
export function wideDependencies(dependencies: readonly Fields[]): Fields[] {
  const stages = (subpass: number) =>
    subpass === VK_SUBPASS_EXTERNAL ? VK_PIPELINE_STAGE_ALL_COMMANDS_BIT : VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT;
  return dependencies.map((each) => ({
    ...each,
    srcStageMask: stages(each.srcSubpass),
    dstStageMask: stages(each.dstSubpass),
    srcAccessMask: VK_ACCESS_MEMORY_WRITE_BIT,
    dstAccessMask: VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
  }));
}

/** Leaves out barriers that another one beside them contains, images that become zero again, and layouts between. */
export function withoutTwins(lines: readonly Node[]): Node[] {
  return withoutLayoutsBetween(withoutRepeated(lines));
}

/** An image that becomes zero and then gets another layout has that layout at once, if nothing happens between. */
function withoutLayoutsBetween(lines: readonly Node[]): Node[] {
  const left: Node[] = [];
  for (const line of lines) {
    const since = left.findLastIndex((each) => !isCallOf(each, "zeroImage(") && !isCallOf(each, "turnImage(")) + 1;
    const at = left.findLastIndex((each, index) =>
      index >= since && isCallOf(each, "zeroImage(") && leadsTo(each, line)
    );
    if (at < 0) left.push(line);
    else left[at] = { ...left[at] as Group, items: zeroItems(line as Group) };
  }
  return left;
}

function isCallOf(node: Node, open: string): node is Group {
  return typeof node === "object" && node.open === open;
}

/** Whether a line turns all that another one clears, from the layout that is there then. */
function leadsTo(zero: Group, line: Node): boolean {
  if (!isCallOf(line, "turnImage(")) return false;
  const [commands, image, from, , ...part] = line.items;
  return JSON.stringify([commands, image, from, ...part]) === JSON.stringify(zero.items);
}

function zeroItems({ items: [commands, image, , to, ...part] }: Group): Node[] {
  return [commands, image, to, ...part];
}

function withoutRepeated(lines: readonly Node[]): Node[] {
  const isHelper = (node: Node | undefined) => HELPER.test(typeof node === "object" ? node.open : node ?? "");
  const isZero = (node: Node) => typeof node === "object" && node.open === "zeroImage(";
  const left: Node[] = [];
  for (const line of lines) {
    const isFull = (node: Node | undefined) => typeof node === "string" && node.startsWith("fullBarrier(");
    if (isFull(left.at(-1)) && isHelper(line)) left.pop();
    if (isZero(line) && JSON.stringify(line) === JSON.stringify(left.at(-1))) left.pop();
    if (!isFull(line) || !isHelper(left.at(-1))) left.push(line);
  }
  return left;
}

function helper(name: string, args: Node[], { image, subresourceRange }: Fields, words: BarrierWords): Node {
  return { open: `${name}(`, items: [...args, ...partOf(image, subresourceRange, words)], close: ");", fills: true };
}

function imageOf({ image }: Fields, { variables }: BarrierWords): string {
  return variables.of(image);
}

function layout(value: number, { values }: BarrierWords): Node {
  return values.of({ name: "layout", type: "VkImageLayout" }, value);
}

/** The part of an image: nothing for the colours of all of it, its aspects for another whole image, or a range. */
function partOf(image: string, range: Fields, { values, resources }: BarrierWords): Node[] {
  const facts = resources.image(image), part = resources.part(image, range);
  const isWhole = part.baseMipLevel === 0 && part.levelCount === (facts?.mipLevels ?? 1) &&
    part.baseArrayLayer === 0 && part.layerCount === (facts?.arrayLayers ?? 1);
  if (!isWhole) return [values.struct("VkImageSubresourceRange", range)];
  const { aspectMask } = part;
  return aspectMask === VK_IMAGE_ASPECT_COLOR_BIT
    ? []
    : [values.of({ name: "aspectMask", type: "VkImageAspectFlags" }, aspectMask)];
}

/** A chain, and an image or buffer that goes to another family of queues. */
function isSpecial({ pNext, srcQueueFamilyIndex, dstQueueFamilyIndex }: Fields): boolean {
  return (pNext?.length ?? 0) > 0 || srcQueueFamilyIndex !== dstQueueFamilyIndex;
}
