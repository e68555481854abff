import { poke32 } from "../../ffi/machine.ts";
import { inFrame } from "../../ffi/arena.ts";
import { codec, structAt, type StructObject } from "../codec/codec.ts";
import type { AnyHook } from "../layer.ts";
import { apply, INNER, patchOf } from "../layers/define/device_changes.ts";
import { fillArray } from "../scripted/answer.ts";
import type { SurfaceFacts } from "./model.ts";
import type { Twin } from "./twin.ts";

const CAPABILITIES = "VkSurfaceCapabilitiesKHR", FORMAT = "VkSurfaceFormatKHR";
/** Flags of which a surface has those that both have. */
const FLAGS = ["supportedUsageFlags", "supportedTransforms", "supportedCompositeAlpha"] as const;

/**
 * Makes the hooks of the queries about surfaces. A surface belongs to the window
 * system, so that all twins tell what their source and the surface have in
 * common.
 */
export function surfaceHooks(twin: Twin): Record<string, AnyHook> {
  const { surface } = twin.model;
  if (!surface) return {};
  return {
    vkGetPhysicalDeviceSurfaceCapabilitiesKHR(next, gpu, handle, out) {
      const result = next(gpu, handle, out);
      if (result >= 0) putCapabilities(surface, out);
      return result;
    },
    vkGetPhysicalDeviceSurfaceCapabilities2KHR(next, gpu, info, out) {
      const result = next(gpu, info, out);
      if (result >= 0) putCapabilities(surface, out + INNER);
      return result;
    },
    ...surface.formats ? formatHooks(surface.formats) : {},
    ...surface.presentModes ? { vkGetPhysicalDeviceSurfacePresentModesKHR: modesHook(surface.presentModes) } : {},
  };
}

function putCapabilities({ capabilities: given }: SurfaceFacts, out: bigint): void {
  const driver = structAt(CAPABILITIES, out),
    numbers = driver as Readonly<Record<string, number>>,
    changed: StructObject = {};
  const number = (name: string) => given[name] as number | undefined;
  for (const name of FLAGS) if (number(name) !== undefined) changed[name] = (number(name)! & numbers[name]) >>> 0;
  if (number("minImageCount") !== undefined) {
    changed.minImageCount = Math.max(number("minImageCount")!, numbers.minImageCount);
  }
  const most = [number("maxImageCount"), numbers.maxImageCount].filter((count) => count); // 0 is no limit
  changed.maxImageCount = most.length > 0 ? Math.min(...most as number[]) : 0;
  apply(patchOf(CAPABILITIES, changed), out);
}

function formatHooks(formats: readonly StructObject[]): Record<string, AnyHook> {
  const keys = new Set(formats.map(keyOf)),
    hook = (struct: string): AnyHook => (next, gpu, surface, count, out) => {
      const { size } = codec(struct), inner = struct === FORMAT ? 0n : INNER;
      const all = listBelow(struct, (count, out) => next(gpu, surface, count, out));
      if (typeof all === "number") return all;
      const left = all.map((each) => (inner === 0n ? each : each.surfaceFormat) as StructObject)
        .filter((each) => keys.has(keyOf(each)));
      return fillArray(left, count, out, size, (each, to) => apply(patchOf(FORMAT, each), to + inner));
    };
  return {
    vkGetPhysicalDeviceSurfaceFormatsKHR: hook(FORMAT),
    vkGetPhysicalDeviceSurfaceFormats2KHR: hook("VkSurfaceFormat2KHR"),
  };
}

function keyOf({ format, colorSpace }: StructObject): string {
  return `${format} ${colorSpace}`;
}

/** Reads a list of structs of the driver, or its error. */
function listBelow(struct: string, ask: (count: bigint, out: bigint) => number): StructObject[] | number {
  const { size, encodeOut, decode } = codec(struct);
  return inFrame((memory) => {
    const count = memory.alloc(8), counted = ask(memory.address(count), 0n);
    if (counted < 0) return counted;
    const length = memory.view.getUint32(count, true), list = memory.alloc(size * length || 1);
    for (let index = 0; index < length; index++) encodeOut({}, list + size * index);
    const filled = ask(memory.address(count), memory.address(list));
    if (filled < 0) return filled;
    return Array.from({ length: memory.view.getUint32(count, true) }, (_, index) => decode(list + size * index));
  });
}

function modesHook(modes: readonly number[]): AnyHook {
  return (next, gpu, surface, count, out) => {
    const all = inFrame((memory) => {
      const at = memory.alloc(8), counted = next(gpu, surface, memory.address(at), 0n);
      if (counted < 0) return counted as number;
      const length = memory.view.getUint32(at, true), list = memory.alloc(4 * length || 1);
      const filled = next(gpu, surface, memory.address(at), memory.address(list));
      if (filled < 0) return filled as number;
      return Array.from(
        { length: memory.view.getUint32(at, true) },
        (_, index) => memory.view.getInt32(list + 4 * index, true),
      );
    });
    if (typeof all === "number") return all;
    return fillArray(all.filter((mode) => modes.includes(mode)), count, out, 4, (mode, to) => poke32(to, mode));
  };
}
