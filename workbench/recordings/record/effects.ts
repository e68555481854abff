import { peek64 } from "../../../ffi/machine.ts";
import type { Arguments } from "../../../loader/layers/shipped/trace/arguments.ts";
import type { GatheredRange } from "../../layer_server/server/layer_kind.ts";
import type { Resource } from "./claims.ts";
import { commandBuffersIn, GIVES_ADDRESS, tellsProgress } from "./commands.ts";
import type { RecordedCall, WritesFoundBy } from "./line.ts";
import { GIVES_WORK, InFlight } from "./in_flight.ts";
import { type Changes, MappedMemory } from "./mapped.ts";
import { Reach } from "./reach.ts";
import { type Fields, namesIn, queryName } from "./uses.ts";
import type { PageWatches } from "./written_pages.ts";
import {
  VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
  VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
  VK_EVENT_SET,
  VK_IMAGE_TILING_OPTIMAL,
  VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_QUERY_RESULT_PARTIAL_BIT,
} from "../../../loader/gen/native_gen.ts";

/** Calls after which the GPU may read data that the program has written, or the program data of the GPU. */
const HANDS_OVER = /^vk(QueueSubmit2?|SetEvent|SignalSemaphore|UnmapMemory2?|InvalidateMappedMemoryRanges)$/;
/** Buffer usages that the GPU only reads. */
const READ_USAGES = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
  VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
/** Image usages that the GPU only reads. */
const READ_IMAGE_USAGES = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
  VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;

/**
 * Follows memory, submissions and command buffers from call to call, to find
 * what the calls themselves do not show: what was written into mapped memory,
 * what can be read there, and what must have happened unseen.
 */
export class Effects {
  readonly #memory: MappedMemory;
  readonly #inFlight = new InFlight();
  readonly #reach = new Reach();
  /** Buffers and images. */
  readonly #made = new Map<string, Resource>();
  readonly #states = new Map<string, "begun" | "ended">();
  /** Fences that are or will be signalled. */
  readonly #usedFences = new Set<string>();
  /** Writes of the program before each submission whose line is still to come. */
  readonly #taken: (() => void)[][] = [];
  /** The properties of the memory types of physical devices, and the physical devices of devices. */
  readonly #types = new Map<string, readonly number[]>();
  readonly #gpus = new Map<string, string>();
  readonly #changes: Changes;
  readonly #gap: (sentence: string) => void;
  readonly #before: Readonly<Record<string, (args: Fields) => void>> = {
    vkUnmapMemory: ({ memory }) => this.#memory.unmapped(memory),
    vkUnmapMemory2: ({ pMemoryUnmapInfo }) => this.#memory.unmapped(pMemoryUnmapInfo.memory),
    vkFlushMappedMemoryRanges: ({ pMemoryRanges }) =>
      this.#each(pMemoryRanges, (...range) => this.#memory.flushed(...range, this.#changes)),
    vkFreeMemory: ({ memory }) => this.#memory.freed(memory),
    vkDestroyBuffer: ({ buffer }) => this.#forget(buffer),
    vkDestroyImage: ({ image }) => this.#forget(image),
    vkDestroyDevice: ({ device }) => this.#memory.close(device),
    vkSetEvent: ({ event }) => this.#inFlight.event(event, true),
    vkResetEvent: ({ event }) => this.#inFlight.event(event, false),
    vkSignalSemaphore: ({ pSignalInfo }) => this.#inFlight.signals(pSignalInfo.semaphore, BigInt(pSignalInfo.value)),
    vkUpdateDescriptorSets: (args) => this.#reach.update(args),
    vkQueueBindSparse: ({ pBindInfo = [] }) => this.#boundInPages(pBindInfo),
    vkResetFences: ({ pFences }) => pFences.forEach((fence: string) => this.#usedFences.delete(fence)),
  };
  readonly #after: Readonly<Record<string, (args: Fields, out: Fields, raw: Arguments) => void>> = {
    vkCreateBuffer: ({ pCreateInfo: info }, { pBuffer }) =>
      this.#make(pBuffer, info, READ_USAGES, { size: Number(info.size), isOpaque: false }),
    vkCreateImage: ({ pCreateInfo: info }, { pImage }) =>
      this.#make(pImage, info, READ_IMAGE_USAGES, {
        size: undefined,
        isOpaque: info.tiling === VK_IMAGE_TILING_OPTIMAL,
      }),
    vkCreateSemaphore: ({ pCreateInfo }, { pSemaphore }) => this.#inFlight.semaphore(pSemaphore, pCreateInfo),
    vkAllocateMemory: ({ pAllocateInfo, device }, { pMemory }) => this.#allocate(pMemory, pAllocateInfo, device),
    vkGetPhysicalDeviceMemoryProperties: ({ physicalDevice }, out) => this.#types.set(physicalDevice, typesIn(out)),
    vkGetPhysicalDeviceMemoryProperties2: ({ physicalDevice }, out) => this.#types.set(physicalDevice, typesIn(out)),
    vkCreateDevice: ({ physicalDevice }, { pDevice }) => this.#gpus.set(pDevice, physicalDevice),
    vkInvalidateMappedMemoryRanges: ({ pMemoryRanges }) =>
      this.#each(pMemoryRanges, (...range) => this.#memory.invalidated(...range, this.#changes)),
    vkMapMemory: ({ memory }) => this.#memory.readMapped(memory, this.#changes),
    vkMapMemory2: ({ pMemoryMapInfo: { memory } }) => this.#memory.readMapped(memory, this.#changes),
    vkBeginCommandBuffer: ({ commandBuffer }) => this.#states.set(commandBuffer, "begun"),
    vkEndCommandBuffer: ({ commandBuffer }) => this.#states.set(commandBuffer, "ended"),
    vkCreateFence: ({ pCreateInfo }, { pFence }) => pCreateInfo.flags !== 0 && this.#usedFences.add(pFence),
    vkGetDeviceQueue: ({ device }, { pQueue }) => this.#inFlight.queue(pQueue, device),
    vkGetDeviceQueue2: ({ device }, { pQueue }) => this.#inFlight.queue(pQueue, device),
    vkGetQueryPoolResults: (args) => this.#inFlight.reached(queriesIn(args)),
  };

  /** Reports to these functions. */
  constructor(
    changes: Pick<Changes, "written" | "readable">,
    gap: (sentence: string) => void,
    watches: PageWatches,
  ) {
    this.#memory = new MappedMemory(watches, this.#inFlight);
    this.#changes = {
      ...changes,
      gone: (memory) => gap(`Nobody saw how ${memory} was unmapped, or its pages kept from being read`),
      unknown: (object) =>
        gap(
          `Nobody saw who wrote to ${object}, which the GPU may have been writing when the program gave it more work there`,
        ),
    };
    this.#gap = gap;
  }

  /** See {@linkcode MappedMemory.ranges}. */
  get ranges(): readonly GatheredRange[] {
    return this.#memory.ranges;
  }

  /** Takes what the program wrote, for the next submission, whose line comes later. */
  capture(isGathered: boolean): void {
    const all: (() => void)[] = [];
    const written: Changes["written"] = (...change) => void all.push(() => this.#changes.written(...change));
    this.#memory.look({ ...this.#changes, written }, [], isGathered);
    this.#taken.push(all);
  }

  /** See {@linkcode MappedMemory.isQuiet}. */
  get isQuiet(): boolean {
    return this.#memory.isQuiet;
  }

  /** Frees the copies of memory. */
  close(): void {
    this.#memory.close();
  }

  /** Runs when the driver is entered by a command, which is named without its suffix. Returns the objects that end. */
  before(core: string, call: RecordedCall, raw: Arguments): readonly string[] {
    const { args } = call;
    if (core.startsWith("vkCmd")) this.#command(core, args, raw);
    else if (GIVES_WORK.test(core)) this.#submit(core, call);
    else if (HANDS_OVER.test(core)) this.#memory.look(this.#changes);
    else if (core === "vkBeginCommandBuffer") this.#reach.begin(args.commandBuffer);
    this.#before[core]?.(args);
    return /^vk(Destroy|Free|ResetDescriptorPool)/.test(core) ? this.#end(core, args) : [];
  }

  /** The owner that an end names, such as the device or the pool, goes on. */
  #end(core: string, args: Fields): readonly string[] {
    const { device, instance: _, commandPool, descriptorPool, ...ended } = args, pool = commandPool ?? descriptorPool;
    const listed = args.pCommandBuffers ?? args.pDescriptorSets, own = core === "vkDestroyDevice" ? { device } : ended;
    const names = this.#reach.forget(namesIn(listed ?? (pool ? { pool } : own)), listed && pool);
    for (const each of names) {
      this.#states.delete(each);
      this.#usedFences.delete(each);
      this.#inFlight.forget(each);
    }
    return names;
  }

  /** Runs after a successful call whose line is not written yet, and adds what only the recording knows. */
  returned(core: string, call: RecordedCall, raw: Arguments): void {
    if (/^vkMapMemory2?$/.test(core)) call.writes = this.#map(call.args.pMemoryMapInfo ?? call.args, raw);
  }

  /** Runs after a successful call whose line is written. */
  after(core: string, call: RecordedCall, raw: Arguments): void {
    const { args, out = {} } = call;
    if (GIVES_WORK.test(core)) this.#inFlight.returned(call, true);
    else if (core.startsWith("vkBind")) this.#bind(args.pBindInfos ?? [args]);
    else if (/^vk(Create|Allocate)/.test(core)) this.#reach.made(args, out);
    if (GIVES_ADDRESS.test(core)) this.#address(args.pInfo, BigInt(call.result!));
    if (call.result === VK_EVENT_SET) this.#inFlight.reached([args.event]);
    this.#inFlight.waited(core, args);
    this.#after[core]?.(args, out, raw);
    // The program's own writes are looked for when it hands them over.
    if (tellsProgress(call.command) && !this.isQuiet) this.#memory.look(this.#changes);
  }

  /** Runs after a call that failed, or did nothing. */
  failed(core: string, call: RecordedCall): void {
    if (GIVES_WORK.test(core)) this.#inFlight.returned(call, false);
  }

  #each(ranges: readonly Fields[], use: (memory: string, offset: number, size: number) => void): void {
    for (const { memory, offset, size } of ranges) use(memory, Number(offset), Number(size));
  }

  /** A program that does not ask for the types of memory counts on coherent memory. */
  #allocate(name: string, { allocationSize, memoryTypeIndex }: Fields, device: string): void {
    const flags = this.#types.get(this.#gpus.get(device) ?? "")?.[memoryTypeIndex] ??
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const isCoherent = (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) !== 0;
    this.#memory.allocated(name, Number(allocationSize), device, isCoherent);
  }

  #command(core: string, args: Fields, raw: Arguments): void {
    this.#expect(args.commandBuffer, "begun", "vkBeginCommandBuffer");
    // The size follows from the data, which may be in a file of its own.
    this.#reach.command(core, core === "vkCmdUpdateBuffer" ? { ...args, dataSize: raw[3] } : args);
  }

  #submit(core: string, call: RecordedCall): void {
    const commandBuffers = commandBuffersIn(call), { fence } = call.args;
    for (const each of commandBuffers) this.#expect(each, "ended", "vkEndCommandBuffer");
    const work = this.#reach.of(commandBuffers);
    const taken = core === "vkQueueSubmit" ? this.#taken.shift() : undefined;
    if (taken) taken.forEach((put) => put());
    else if (HANDS_OVER.test(core)) this.#memory.look(this.#changes, work.uses);
    const { added, forgotten } = this.#inFlight.add(call, work.markers);
    this.#memory.given(work, added);
    if (forgotten && this.#memory.takeBack(forgotten)) {
      this.#gap("Nobody saw how work ended that the GPU was given, and that can write to mapped memory");
    }
    if (!fence) return;
    if (this.#usedFences.has(fence)) this.#gap("Nobody saw a vkResetFences that must have been called");
    this.#usedFences.add(fence);
  }

  /** A chain may contain usages, too. Then all usages are assumed. */
  #make(name: string, { usage, pNext }: Fields, read: number, rest: Omit<Resource, "isWritable">): void {
    this.#made.set(name, { ...rest, isWritable: (usage & ~read) !== 0 || pNext !== undefined });
  }

  #forget(name: string): void {
    this.#made.delete(name);
    this.#memory.destroyed(name);
  }

  #bind(infos: readonly Fields[]): void {
    for (const { memory, memoryOffset, buffer, image } of infos) {
      const object = buffer ?? image, made = this.#made.get(object);
      if (memory && made) this.#memory.bound(memory, object, Number(memoryOffset), made);
    }
  }

  /** Pages are the driver's, so that neither their bytes can be followed nor another driver have the same. */
  #boundInPages(infos: readonly Fields[]): void {
    const bound = infos.flatMap(({ pBufferBinds = [], pImageOpaqueBinds = [], pImageBinds = [] }) =>
      [...pBufferBinds, ...pImageOpaqueBinds, ...pImageBinds].map(({ buffer, image }) => buffer ?? image)
    );
    for (const name of new Set(bound)) {
      this.#gap(`Nobody saw what is in the pages of ${name} that vkQueueBindSparse bound`);
    }
  }

  #map({ memory, offset, size }: Fields, raw: Arguments): WritesFoundBy | undefined {
    return this.#memory.mapped(memory, [Number(offset), Number(size)], peek64(raw.at(-1) as bigint));
  }

  /** An acceleration structure is known by one address. */
  #address({ buffer, accelerationStructure }: Fields, address: bigint): void {
    const size = this.#made.get(buffer)?.size ?? 1;
    this.#memory.addressed(buffer ?? accelerationStructure, address, BigInt(size));
  }

  #expect(commandBuffer: string, state: "begun" | "ended", command: string): void {
    if (this.#states.get(commandBuffer) !== state) this.#gap(`Nobody saw a ${command} that must have been called`);
  }
}

/** The properties of each memory type in the answer to a query. */
function typesIn({ pMemoryProperties: told }: Fields): number[] {
  return (told.memoryProperties ?? told).memoryTypes.map(({ propertyFlags }: Fields) => propertyFlags);
}

/** The queries that are available for sure after a successful call. */
function queriesIn({ queryPool, firstQuery, queryCount, flags }: Fields): string[] {
  if ((flags & VK_QUERY_RESULT_PARTIAL_BIT) !== 0) return [];
  return Array.from({ length: queryCount }, (_, index) => queryName(queryPool, firstQuery + index));
}
