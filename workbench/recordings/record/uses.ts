import {
  VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR,
  VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV,
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
  VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
  VK_DESCRIPTOR_TYPE_SAMPLER,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
} from "../../../loader/gen/native_gen.ts";

// deno-lint-ignore no-explicit-any -- structs of a call
export type Fields = Record<string, any>;

/** A use of a part of a buffer or image by the GPU's work. */
export interface Use {
  /** The name of a buffer or image, or of a view or other object through which it is used; see also {@linkcode ANY}. */
  readonly object: string;
  /** Offset of the first byte, in bytes from the start of the buffer. */
  readonly start: number;
  /** Offset behind the last byte; `Infinity` for all the rest. */
  readonly end: number;
  /** Whether it may be written. */
  readonly writes: boolean;
  /** Whether all of it is written, so that a program may not write there meanwhile. */
  readonly exact: boolean;
}

/** A descriptor, and whether an offset is added to its own. */
export type Descriptor = Use & { readonly isDynamic: boolean };

/** Stands for all buffers that shaders can reach by an address. */
export const ADDRESSED = "*addressed";
/** Stands for all buffers and images. */
export const ANY = "*";

/** Names of objects with memory, and of those through which their memory is used. */
export const USING =
  /^Vk(Buffer|Image|BufferView|ImageView|Framebuffer|AccelerationStructure\w+|Micromap\w+|Tensor\w+)#/;
/** Commands that read the buffers that they name. What others do with them is unknown, so that they may write all. */
const READS = new RegExp(
  "^vkCmd(BindVertexBuffers|BindIndexBuffer|Draw|Dispatch|TraceRays|SetEvent|WaitEvents|PipelineBarrier|" +
    "BeginConditionalRendering|CopyBufferToImage|CopyMemoryTo|Decode)",
);
const BY_ADDRESS =
  /^vkCmd(Draw|Dispatch|TraceRays|Build|ExecuteGenerated|Copy(Acceleration|Micromap|Memory)|\w+ToMemory)/;
/** Commands after which shaders find descriptors in plain memory, and those that the GPU itself makes. */
const REACHES_ALL = /^vkCmd(BindDescriptorBuffers|ExecuteGenerated|Bind(Sampler|Resource)Heap)/;
/** VkDescriptorType values by which shaders only read. */
const READ_ONLY: readonly number[] = [
  VK_DESCRIPTOR_TYPE_SAMPLER,
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
  VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
  VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
  VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
  VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR,
  VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV,
];
const DYNAMIC: readonly number[] = [
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
];
const WHOLE = { start: 0, end: Infinity };

/** Returns what a command, named without its suffix, does with the buffers, images and views that it names. */
export function usesOf(core: string, args: Fields): Use[] {
  const info = Object.values(args).find((each) => each?.dstBuffer ?? each?.dstImage) ?? args;
  const written = EXACT[core]?.(info).map((range) => used(info.dstBuffer, range, true, true)) ?? [];
  const named = namesIn(core.startsWith("vkCmdPushDescriptorSet") ? {} : args).filter((name) =>
    USING.test(name) && !(written.length > 0 && name === info.dstBuffer)
  );
  return [
    ...written,
    ...named.map((name) => used(name, WHOLE, writes(core, name, info))),
    ...BY_ADDRESS.test(core) ? [used(ADDRESSED, WHOLE, true)] : [],
    ...REACHES_ALL.test(core) ? [used(ANY, WHOLE, true)] : [],
  ];
}

function used(object: string, { start, end }: { start: number; end: number }, writes: boolean, exact = false): Use {
  return { object, start, end, writes, exact };
}

/** Whether a command may write to what it names. A barrier writes an image whose layout it changes. */
function writes(core: string, name: string, info: Fields): boolean {
  if (name === info.srcBuffer || name === info.srcImage) return false;
  if (/^vkCmd(PipelineBarrier|WaitEvents|SetEvent)/.test(core)) {
    return name.startsWith("VkImage#") && !keepsLayout(name, info);
  }
  return !READS.test(core) || name === info.dstImage;
}

function keepsLayout(name: string, { pImageMemoryBarriers, pDependencyInfo, pDependencyInfos }: Fields): boolean {
  const infos: Fields[] = [{ pImageMemoryBarriers }, pDependencyInfo ?? {}, ...pDependencyInfos ?? []];
  return infos.flatMap((each) => each.pImageMemoryBarriers ?? []).every(({ image, oldLayout, newLayout }: Fields) =>
    image !== name || oldLayout === newLayout
  );
}

/** The ranges that commands write wholly. */
const EXACT: Readonly<Record<string, (info: Fields) => { start: number; end: number }[]>> = {
  vkCmdFillBuffer: ({ dstOffset, size }) => [placed(dstOffset, size)],
  vkCmdUpdateBuffer: ({ dstOffset, dataSize }) => [placed(dstOffset, dataSize)],
  vkCmdCopyBuffer: ({ pRegions }) => pRegions.map(({ dstOffset, size }: Fields) => placed(dstOffset, size)),
  vkCmdCopyBuffer2: ({ pRegions }) => pRegions.map(({ dstOffset, size }: Fields) => placed(dstOffset, size)),
  vkCmdCopyQueryPoolResults: ({ dstOffset, queryCount, stride }) => [placed(dstOffset, queryCount * Number(stride))],
};

/** Returns a range in numbers. A missing size and VK_WHOLE_SIZE are all the rest. */
export function placed(offset: unknown = 0, size: unknown): { start: number; end: number } {
  const start = Number(offset), count = size === undefined ? Infinity : Number(size);
  return { start, end: count >= 2 ** 63 ? Infinity : start + count };
}

/** Returns what shaders can do with each descriptor of a VkWriteDescriptorSet. */
export function descriptorsOf(
  { descriptorType: type, pBufferInfo, pImageInfo, pTexelBufferView }: Fields,
): Descriptor[] {
  const writes = !READ_ONLY.includes(type), isDynamic = DYNAMIC.includes(type);
  const one = (object: string | undefined, range = WHOLE) => ({ ...used(object ?? "", range, writes), isDynamic });
  if (pBufferInfo) return pBufferInfo.map((each: Fields) => one(each.buffer, placed(each.offset, each.range)));
  return pImageInfo?.map((each: Fields) => one(each.imageView)) ?? pTexelBufferView?.map((each: string) => one(each)) ??
    [];
}

/** Returns by which names the host can see that a command was reached: an event's, or a query's. */
export function markersOf(core: string, args: Fields): string[] {
  if (/^vkCmdSetEvent/.test(core)) return [args.event];
  return /^vkCmd(EndQuery|WriteTimestamp)/.test(core) ? [queryName(args.queryPool, args.query)] : [];
}

/** Returns the name of a query as a marker. */
export function queryName(pool: string, query: number): string {
  return `${pool} ${query}`;
}

/** Returns the names of objects in arguments. */
export function namesIn(value: unknown, found: string[] = []): string[] {
  if (typeof value === "string") {
    if (value.startsWith("Vk") && value.includes("#")) found.push(value);
  } else if (typeof value === "object" && value !== null) {
    for (const each of Object.values(value)) namesIn(each, found);
  }
  return found;
}
