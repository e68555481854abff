import { chance, pick, randomBytes } from "../../../workbench/programs/choices.ts";
import type { VkCommandBuffer } from "../../../loader/vk.ts";
import {
  VK_ACCESS_HOST_READ_BIT,
  VK_ACCESS_HOST_WRITE_BIT,
  VK_ACCESS_TRANSFER_READ_BIT,
  VK_ACCESS_TRANSFER_WRITE_BIT,
  VK_PIPELINE_STAGE_HOST_BIT,
  VK_PIPELINE_STAGE_TRANSFER_BIT,
} from "../../../loader/vk.ts";
import { partOf, type TestBuffer } from "./buffers.ts";
import type { Work } from "./contents.ts";
import { type Context, used } from "./program.ts";

const TRANSFER = VK_PIPELINE_STAGE_TRANSFER_BIT, HOST = VK_PIPELINE_STAGE_HOST_BIT;
const BOTH = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
/** vkCmdUpdateBuffer takes no more. */
const MOST_UPDATE = 4096;

/** The buffers that commands read and write. */
export interface Targets {
  readonly from: readonly TestBuffer[];
  readonly to: readonly TestBuffer[];
}

/** Orders what follows after all that came before, the host's writes too. */
export function orderAll(commands: VkCommandBuffer): void {
  commands.vkCmdPipelineBarrier(TRANSFER | HOST, TRANSFER, 0, [
    { srcAccessMask: VK_ACCESS_HOST_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, dstAccessMask: BOTH },
  ]);
}

/** Makes results visible to the host. */
export function showHost(commands: VkCommandBuffer): void {
  commands.vkCmdPipelineBarrier(TRANSFER, HOST, 0, [
    { srcAccessMask: VK_ACCESS_TRANSFER_WRITE_BIT, dstAccessMask: VK_ACCESS_HOST_READ_BIT },
  ]);
}

/** Fills all of a buffer. Returns what that does to the contents. */
export function fillAll(commands: VkCommandBuffer, { handle, contents }: TestBuffer, value: number): Work {
  commands.vkCmdFillBuffer(handle, 0n, 2n ** 64n - 1n, value);
  return () => wordsOf(contents).fill(value);
}

/** Records one to four commands by chance. Returns what they do to the contents. */
export function recordSome(context: Context, commands: VkCommandBuffer, targets: Targets): Work[] {
  return Array.from({ length: context.choices.integer(1, 4) }, () => {
    orderAll(commands);
    return recordOne(context, commands, targets);
  });
}

function recordOne(context: Context, commands: VkCommandBuffer, { from, to }: Targets): Work {
  const { choices } = context, target = pick(choices, to), kind = choices.integer(0, 9);
  const sources = [...from, ...to].filter((each) => each !== target && each.isSource);
  if (kind >= 2 && sources.length > 0) return copy(context, commands, pick(choices, sources), target);
  const { offset, size } = partOf(choices, target, kind === 0 ? target.size : MOST_UPDATE);
  if (kind === 0) {
    const value = choices.integer(0, 0xffff_ffff);
    commands.vkCmdFillBuffer(target.handle, BigInt(offset), BigInt(size), value);
    return () => wordsOf(target.contents).fill(value, offset / 4, (offset + size) / 4);
  }
  const bytes = randomBytes(choices, size);
  commands.vkCmdUpdateBuffer(target.handle, BigInt(offset), bytes);
  return () => target.contents.set(bytes, offset);
}

function copy({ choices }: Context, commands: VkCommandBuffer, from: TestBuffer, to: TestBuffer): Work {
  const most = Math.min(from.size, to.size), source = partOf(choices, from, most);
  const words = (to.size - source.size) / 4, at = 4 * choices.integer(0, words);
  commands.vkCmdCopyBuffer(from.handle, to.handle, [
    { srcOffset: BigInt(source.offset), dstOffset: BigInt(at), size: BigInt(source.size) },
  ]);
  return () => to.contents.set(from.contents.subarray(source.offset, source.offset + source.size), at);
}

/** Records commands into a secondary command buffer, or calls them directly. Returns what they do. */
export function perhapsSecondary(
  context: Context,
  primary: VkCommandBuffer,
  secondary: VkCommandBuffer,
  record: (commands: VkCommandBuffer) => Work[],
): Work[] {
  if (!chance(context.choices, 20)) return record(primary);
  used(context, "secondary command buffer");
  secondary.vkBeginCommandBuffer({ pInheritanceInfo: {} });
  const work = record(secondary);
  secondary.vkEndCommandBuffer();
  primary.vkCmdExecuteCommands([secondary]);
  return work;
}

function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}
