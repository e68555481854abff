import type { RecordedLine } from "../record/line.ts";
import { Cleared, type Edit, everyValue, GONE } from "./edits.ts";

/** Edits that are tried together, as few as one. */
export type EditGroup = readonly Edit[];

/** Lines whose values are not what a program draws: memory, questions and submissions. */
const UNTOUCHED = /^vk(AllocateMemory|Get|Enumerate|Queue|Wait|Bind(Buffer|Image)Memory|Map|Begin|End|Reset)/;
/** Mip levels, and layers: an image, its views, attachments and copies have the same, so that they change together. */
const LEVELS = /^(mipLevels|levelCount)$/, LAYERS = /^(arrayLayers|layerCount|layers)$/;
/** Numbers of a level or a layer. */
const LEVEL = /^(mipLevel|baseMipLevel)$/, LAYER = /^baseArrayLayer$/;
/** Numbers of things: draws, dispatches, descriptors, layers, levels. */
const COUNTS =
  /^(instanceCount|vertexCount|indexCount|groupCount[XYZ]|drawCount|layers|layerCount|arrayLayers|levelCount|mipLevels|descriptorCount|maxSets|queryCount)$/;
/** Lengths of areas. An image, its attachments and areas have the same, so that they change together. */
const LENGTHS = /^(width|height|depth)$/;
/** Sizes of buffers and their parts, in bytes. A descriptor's range is what a shader may read, so that it stays. */
const SIZES = /^size$/;
/** Places that are simplest at zero. */
const PLACES = /^(first\w+|vertexOffset|x|y|z|\w*[oO]ffset|baseMipLevel|baseArrayLayer|mipLevel)$/;
/** Lists whose items say what the call does. */
const NEEDED_LISTS =
  /^(pSubmits|pCommandBuffers|pCreateInfos|pStages|pQueueCreateInfos|pQueuePriorities|pViewports|pScissors)$/;
/** Flags whose bits each allow something. */
const PERMISSIONS = /^(usage|flags|stageFlags|srcStageMask|dstStageMask|srcAccessMask|dstAccessMask)$/;
/** Commands whose flags say that they wait: without these, what they give depends on the time. */
const WAITING = /^vkCmdCopyQueryPoolResults/;
/** Sizes stay multiples of so many bytes, and no buffer is smaller. */
const LEAST_SIZE = 16;

/** Lists of which one item is as valid as several. */
const FREE_LISTS = /^(pRegions|pRects)$/;

/**
 * Returns edits that make a recording smaller without breaking rules of their own accord: counts, and regions of
 * copies.
 */
export function countEdits(lines: readonly RecordedLine[]): EditGroup[] {
  const regions: EditGroup[] = [];
  everyValue(lines, (value, path, line) => {
    const isItem = typeof path.at(-1) === "number" && typeof value === "object";
    if (isItem && FREE_LISTS.test(nameAt(path))) regions.push([{ line, path, value: GONE }]);
  });
  return [...regions, ...numbers(lines, COUNTS, () => 1, (command) => command.startsWith("vkCmd"))];
}

/** State whose zero is valid everywhere: a test that always fails, nothing blended, nothing clamped. */
const DEFAULTS =
  /^(cullMode|frontFace|polygonMode|\w*BlendFactor|\w*BlendOp|\w*[cC]ompareOp|\w*(fail|pass|Fail|Pass)Op|logicOp|borderColor|addressMode[UVW]|[rgba]|float32|u?int32|data|mipmapMode|magFilter|minFilter|mipLodBias|minLod|depthBias\w+|blendConstants|stencilReference|reference)$/;

/** State that is switched off, and state at its default. */
export function defaultEdits(lines: readonly RecordedLine[]): EditGroup[] {
  const groups: EditGroup[] = [];
  everyValue(lines, (value, path, line, command) => {
    if (UNTOUCHED.test(command) || isFeature(path)) return;
    const isNumber = typeof value === "number" && value !== 0 && DEFAULTS.test(nameAt(path));
    if (path.at(-1) === "pSpecializationInfo" && value) groups.push([{ line, path, value: GONE }]);
    if (isNumber || value === true) groups.push([{ line, path, value: isNumber ? 0 : false }]);
  });
  return groups;
}

/**
 * Features, extensions, chains, permissions such as usages, and items of lists
 * that may not be needed. Only a validation layer knows: drivers rarely mind
 * what is missing.
 */
export function needlessEdits(lines: readonly RecordedLine[]): EditGroup[] {
  const groups: EditGroup[] = [], bits = new Map<string, Edit[]>();
  everyValue(lines, (value, path, line, command) => {
    if (UNTOUCHED.test(command)) return;
    const name = nameAt(path), isItem = typeof path.at(-1) === "number";
    const isGroup = typeof value !== "number" && (isItem ? !NEEDED_LISTS.test(name) : /^p[A-Z]/.test(name));
    if (value === true && isFeature(path) || isGroup && !isInput(path, value)) {
      groups.push([{ line, path, value: GONE }]);
    } else if (typeof value === "number" && PERMISSIONS.test(name) && !WAITING.test(command)) {
      addBits(bits, { line, path, value }, name);
    }
  });
  return [...groups, ...bits.values()];
}

/** The same bit of the same flags is taken away everywhere at once. */
function addBits(bits: Map<string, Edit[]>, { line, path, value }: Edit & { value: number }, name: string): void {
  for (let bit = 1; bit > 0 && bit <= value; bit *= 2) {
    if ((value & bit) === 0 || value === bit && name !== "flags") continue;
    const key = `${name} ${value} ${bit}`, edits = bits.get(key) ?? [];
    edits.push({ line, path, value: new Cleared(bit) });
    bits.set(key, edits);
  }
}

function isFeature(path: readonly (string | number)[]): boolean {
  return path.includes("pEnabledFeatures") || path.includes("pNext");
}

/** A parameter itself, a list as a whole, and bytes: without them the call makes no sense. */
function isInput(path: readonly (string | number)[], value: unknown): boolean {
  if (path.length === 1 || Array.isArray(value)) return true;
  if (typeof value !== "object" || value === null) return typeof path.at(-1) !== "number";
  return Object.hasOwn(value, "bytes") || Object.hasOwn(value, "data");
}

/** Counts, lengths, sizes and places at their least. */
export function leastEdits(lines: readonly RecordedLine[]): EditGroup[] {
  return [
    ...numbers(lines, COUNTS, () => 1),
    ...together(lines, LEVELS, () => 1),
    ...together(lines, LAYERS, () => 1),
    ...together(lines, LEVEL, () => 0),
    ...together(lines, LAYER, () => 0),
    ...equalNumbers(lines, LENGTHS, () => 1),
    ...equalNumbers(lines, SIZES, () => LEAST_SIZE),
    ...numbers(lines, PLACES, () => 0),
  ];
}

/** The same, at half. */
export function halfEdits(lines: readonly RecordedLine[]): EditGroup[] {
  const half = (value: number) => Math.ceil(value / 2);
  return [
    ...numbers(lines, COUNTS, half),
    ...equalNumbers(lines, LENGTHS, half),
    ...equalNumbers(lines, SIZES, (value) => Math.max(LEAST_SIZE, Math.ceil(value / 2 / LEAST_SIZE) * LEAST_SIZE)),
  ];
}

function numbers(
  lines: readonly RecordedLine[],
  names: RegExp,
  change: (value: number) => number,
  isMeant = (command: string) => !UNTOUCHED.test(command),
): EditGroup[] {
  const groups: EditGroup[] = [];
  everyValue(lines, (value, path, line, command) => {
    const number = numberIn(value);
    if (number === undefined || !isMeant(command) || !names.test(nameAt(path))) return;
    const smaller = change(number);
    if (Math.abs(smaller) >= Math.abs(number)) return;
    groups.push([{ line, path, value: typeof value === "string" ? `${smaller}` : smaller }]);
  });
  return groups;
}

/** A number, also one of 64 bits, which is text in a recording. Such as VK_WHOLE_SIZE are none. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

/** Equal numbers of one name change together: an image's width is that of the area that is drawn. */
function equalNumbers(lines: readonly RecordedLine[], names: RegExp, change: (value: number) => number): EditGroup[] {
  const all = numbers(lines, names, change).flat();
  return [...Map.groupBy(all, (edit) => JSON.stringify([nameAt(edit.path), numberIn(valueOf(lines, edit))])).values()];
}

/** Equal numbers change together, whatever their names. */
function together(lines: readonly RecordedLine[], names: RegExp, change: (value: number) => number): EditGroup[] {
  const groups = Map.groupBy(numbers(lines, names, change).flat(), (edit) => numberIn(valueOf(lines, edit)));
  return [...groups.values()].filter((group) => group.length > 1);
}

function valueOf(lines: readonly RecordedLine[], { line, path }: Edit): unknown {
  const found = lines[line] as { args?: unknown };
  // deno-lint-ignore no-explicit-any -- a path into values of any shape
  return path.reduce((at: any, key) => at?.[key], found.args);
}

/** The name of a member, or of the list that an item is in. */
function nameAt(path: readonly (string | number)[]): string {
  return path.findLast((each): each is string => typeof each === "string") ?? "";
}
