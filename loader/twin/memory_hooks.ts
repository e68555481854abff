import { inFrame } from "../../ffi/arena.ts";
import { copyToArena, peek32, peek64, poke32 } from "../../ffi/machine.ts";
import { layoutOf } from "../codec/layout/layout.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import { DEVICE_NAMES } from "../gen/command_table_gen.js";
import {
  VK_ERROR_MEMORY_MAP_FAILED,
  VK_ERROR_OUT_OF_DEVICE_MEMORY,
  VK_ERROR_TOO_MANY_OBJECTS,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
} from "../gen/enums_core_gen.js";
import type { AnyHook, Hook } from "../layer.ts";
import { apply, eachLink, INNER, patchOf } from "../layers/define/device_changes.ts";
import type { DeviceAccount } from "./device_account.ts";
import type { Twin } from "./twin.ts";

type Hooks = Record<string, AnyHook>;

const BUDGET = "VkPhysicalDeviceMemoryBudgetPropertiesEXT", MEMORY = "VkPhysicalDeviceMemoryProperties";
/** Places in VkMemoryAllocateInfo. */
const ALLOCATION = {
  size: offsetIn("VkMemoryAllocateInfo", "allocationSize"),
  type: offsetIn("VkMemoryAllocateInfo", "memoryTypeIndex"),
  bytes: layoutOf("VkMemoryAllocateInfo").size,
};

function offsetIn(struct: string, member: string): bigint {
  return BigInt(layoutOf(struct).fields.find(({ name }) => name === member)!.offset);
}

/** Makes the hooks that keep account of memory, and give types and heaps of the twin for those of the driver. */
export function memoryHooks(twin: Twin): Hooks {
  const memory2: AnyHook = (next, gpu, out) => {
    next(gpu, out);
    putMemory(twin, gpu, out + INNER);
    eachLink(out, (name, address) => name === BUDGET && putBudget(twin, gpu, address));
  };
  const map: AnyHook = (next, device, memory, ...rest) =>
    refuseMap(twin, device, memory) ?? next(device, memory, ...rest);
  const mapInfo: AnyHook = (next, device, info, ...rest) =>
    refuseMap(twin, device, peek64(info + offsetIn("VkMemoryMapInfo", "memory"))) ?? next(device, info, ...rest);
  return {
    ...twin.model.memory ? requirementHooks(twin) : {},
    vkGetPhysicalDeviceMemoryProperties(next, gpu, out) {
      next(gpu, out);
      putMemory(twin, gpu, out);
    },
    vkGetPhysicalDeviceMemoryProperties2: memory2,
    vkGetPhysicalDeviceMemoryProperties2KHR: memory2,
    vkAllocateMemory: allocateHook(twin),
    vkFreeMemory(next, device, memory, allocator) {
      next(device, memory, allocator);
      twin.account(device)?.freed(memory);
    },
    vkMapMemory: map,
    vkMapMemory2: mapInfo,
    vkMapMemory2KHR: mapInfo,
  };
}

function putMemory(twin: Twin, gpu: bigint, out: bigint): void {
  const { memory } = twin.gpu(gpu);
  if (memory) apply(patchOf(MEMORY, memory.properties), out);
}

/** The budget is the whole heap, because no other process takes some of it. */
function putBudget(twin: Twin, gpu: bigint, out: bigint): void {
  const { memory } = twin.gpu(gpu);
  if (!memory || twin.offer.ignores(BUDGET)) return;
  const sixteen = (values: bigint[]) => [...values, ...Array<bigint>(16 - values.length).fill(0n)];
  apply(
    patchOf(BUDGET, {
      heapBudget: sixteen(memory.heaps.map(({ size }) => size)),
      heapUsage: sixteen(memory.heaps.map((_, heap) => twin.usedOf(gpu, heap))),
    }),
    out,
  );
}

function allocateHook(twin: Twin): Hook<"vkAllocateMemory"> {
  return (next, device, info, allocator, out) => {
    const account = twin.account(device), size = peek64(info + ALLOCATION.size), type = peek32(info + ALLOCATION.type);
    if (!account) return next(device, info, allocator, out);
    const { memory } = account, heap = memory?.types[type]?.heapIndex ?? 0;
    const refusal = refuseAllocation(twin, account, { size, type, heap });
    if (refusal !== undefined) return refusal;
    const result = memory
      ? withType(info, memory.below(type), (info) => next(device, info, allocator, out))
      : next(device, info, allocator, out);
    if (result >= 0) account.took(peek64(out), { size, type, heap });
    return result;
  };
}

/** Calls `use` with a copy of VkMemoryAllocateInfo that has another type. */
function withType(info: bigint, type: number, use: (info: bigint) => number): number {
  if (peek32(info + ALLOCATION.type) === type) return use(info);
  return inFrame((memory) => {
    const at = memory.alloc(ALLOCATION.bytes);
    copyToArena(at, info, ALLOCATION.bytes);
    memory.view.setUint32(at + Number(ALLOCATION.type), type, true);
    return use(memory.address(at));
  });
}

function refuseAllocation(
  twin: Twin,
  { allocations, memory, used }: DeviceAccount,
  { size, type, heap }: { size: bigint; type: number; heap: number },
): number | undefined {
  const refuse = (result: number, fact: string, sentence: string) =>
    twin.refuse("vkAllocateMemory", result, [fact], sentence);
  const most = twin.limits.maxMemoryAllocationCount as number | undefined;
  if (most !== undefined && allocations.size >= most) {
    return refuse(VK_ERROR_TOO_MANY_OBJECTS, "maxMemoryAllocationCount", `maxMemoryAllocationCount is ${most}`);
  }
  const largest = twin.properties("VkPhysicalDeviceMaintenance3Properties").maxMemoryAllocationSize as
    | bigint
    | undefined;
  if (largest !== undefined && size > largest) {
    const sentence = `maxMemoryAllocationSize is ${largest}`;
    return refuse(VK_ERROR_OUT_OF_DEVICE_MEMORY, "maxMemoryAllocationSize", sentence);
  }
  if (!memory) return undefined;
  if (used[heap] + size > memory.heaps[heap].size) {
    const sentence = `heap ${heap} has ${memory.heaps[heap].size} bytes, and too few are left`;
    return refuse(VK_ERROR_OUT_OF_DEVICE_MEMORY, `memoryHeaps[${heap}]`, sentence);
  }
  if (memory.below(type) >= 0) return undefined;
  const sentence = `the driver below has no memory that can stand for type ${type}`;
  return refuse(VK_ERROR_OUT_OF_DEVICE_MEMORY, `memoryTypes[${type}]`, sentence);
}

/** Only memory that the host sees can be mapped, even if the memory that stands for it could be. */
function refuseMap(twin: Twin, device: bigint, handle: bigint): number | undefined {
  const account = twin.account(device), type = account?.allocations.get(handle)?.type;
  const flags = type === undefined ? undefined : account?.memory?.types[type]?.propertyFlags;
  if (flags === undefined || (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) !== 0) return undefined;
  const sentence = `memory type ${type} is not visible to the host`;
  return twin.refuse("vkMapMemory", VK_ERROR_MEMORY_MAP_FAILED, [`memoryTypes[${type}]`], sentence);
}

/** The member that tells types of memory, and structs that have it inside. */
const BITS = "memoryTypeBits", INSIDE: readonly string[] = ["memoryRequirements"];

/** Makes a hook for each command that tells which types of memory something can have. */
function requirementHooks(twin: Twin): Hooks {
  const hooks: Hooks = {};
  for (const name of DEVICE_NAMES.split(" ")) {
    const command = findCommand(name),
      index = command?.params.findIndex(({ type, written }) => written && offsetOfBits(type) !== undefined);
    if (command && index !== undefined && index >= 0) hooks[name] = requirementHook(twin, command, index);
  }
  return hooks;
}

/** Returns the offset of the bits in a struct; `undefined` if it has none. */
function offsetOfBits(struct: string): number | undefined {
  if (!/^Vk\w+(Requirements|Properties)/.test(struct)) return undefined;
  const found = layoutOf(struct).fields.find(({ name }) => name === BITS || INSIDE.includes(name));
  if (!found || found.name === BITS) return found?.offset;
  const inner = offsetOfBits(found.type);
  return inner === undefined ? undefined : found.offset + inner;
}

function requirementHook(twin: Twin, { params }: Command, index: number): AnyHook {
  const { type, len } = params[index], { size } = layoutOf(type), offset = BigInt(offsetOfBits(type)!);
  const counter = params.findIndex(({ name }) => name === len);
  return (next, ...args) => {
    const result = next(...args), memory = twin.account(args[0])?.memory, first = args[index] as bigint;
    if (!memory || first === 0n || typeof result === "number" && result < 0) return result;
    const count = counter < 0 ? 1 : peek32(args[counter] as bigint);
    for (let at = first, left = count; left > 0; left--, at += BigInt(size)) {
      poke32(at + offset, memory.bits(peek32(at + offset)));
    }
    return result;
  };
}
