import { peek64 } from "../../../../ffi/machine.ts";
import type { Arguments } from "../trace/arguments.ts";
import type { RecordedCall } from "./line.ts";
import { type Changes, MappedMemory } from "./mapped.ts";
import { commandBuffersIn, Submissions } from "./submissions.ts";

// deno-lint-ignore no-explicit-any -- structs of a call
type Fields = Record<string, any>;

/** Calls after which a program may read what the GPU has written. */
const WAITS = /^vk(WaitForFences|WaitSemaphores|QueueWaitIdle|DeviceWaitIdle)$/;
/** Calls with which the GPU may read what the program has written, or the program what the GPU has. */
const HANDS_OVER = /^vk(QueueSubmit2?|SetEvent|SignalSemaphore|UnmapMemory2?|InvalidateMappedMemoryRanges)$/;
/** Usages of a buffer that the GPU only reads: transfer source, (texel) uniform, index, vertex, indirect. */
const READ_USAGES = 0x1 | 0x4 | 0x10 | 0x40 | 0x80 | 0x100;
/** And of an image: transfer source, sampled, input attachment. */
const READ_IMAGE_USAGES = 0x1 | 0x4 | 0x80;

/**
 * Follows memory, submissions and command buffers from call to call, to say
 * what the calls themselves do not: what was written into mapped memory, what
 * can be read there, and what must have happened unseen.
 */
export class Effects {
  readonly #memory = new MappedMemory();
  readonly #submissions = new Submissions();
  /** The sizes of buffers that the GPU may write, and of such images that nobody knows. */
  readonly #written = new Map<string, number | undefined>();
  readonly #states = new Map<string, "begun" | "ended">();
  /** Fences that are signalled or will be. */
  readonly #usedFences = new Set<string>();
  readonly #changes: Changes;
  readonly #gap: (sentence: string) => void;

  /** Says what it finds. */
  constructor(changes: Omit<Changes, "gone">, gap: (sentence: string) => void) {
    this.#changes = { ...changes, gone: (memory) => gap(`Nobody saw how ${memory} was unmapped`) };
    this.#gap = gap;
  }

  /** Frees what it keeps of memory. */
  close(): void {
    this.#memory.close();
  }

  /** Before a call of a command, named without its suffix. */
  before(core: string, call: RecordedCall): void {
    const { args } = call;
    if (HANDS_OVER.test(core)) this.#memory.look(this.#submissions, this.#changes);
    if (core.startsWith("vkCmd")) this.#expect(args.commandBuffer, "begun", "vkBeginCommandBuffer");
    for (const each of core.startsWith("vkQueueSubmit") ? commandBuffersIn(call) : []) {
      this.#expect(each, "ended", "vkEndCommandBuffer");
    }
    if (core.startsWith("vkUnmapMemory")) this.#memory.unmapped(args.memory ?? args.pMemoryUnmapInfo.memory);
    else if (core === "vkFreeMemory") this.#memory.freed(args.memory);
    else if (core === "vkDestroyDevice") this.#memory.close(args.device);
    else if (core === "vkDestroyBuffer" || core === "vkDestroyImage") this.#memory.destroyed(args.buffer ?? args.image);
    else if (core === "vkFlushMappedMemoryRanges") {
      for (const { memory, offset, size } of args.pMemoryRanges) {
        this.#memory.flushed(memory, Number(offset), Number(size), this.#changes);
      }
    }
  }

  /** After a call that succeeded, whose line is written. */
  after(core: string, call: RecordedCall, raw: Arguments): void {
    const { args, out } = call;
    if (WAITS.test(core)) {
      this.#submissions.waited(core, args);
      this.#memory.look(this.#submissions, this.#changes);
    } else if (core.startsWith("vkQueueSubmit")) this.#submit(call);
    else if (core === "vkResetFences") { for (const fence of args.pFences) this.#usedFences.delete(fence); }
    else if (core === "vkCreateFence" && args.pCreateInfo.flags !== 0) this.#usedFences.add(out!.pFence);
    else if (core === "vkBeginCommandBuffer") this.#states.set(args.commandBuffer, "begun");
    else if (core === "vkEndCommandBuffer") this.#states.set(args.commandBuffer, "ended");
    else if (core === "vkCreateBuffer") this.#make(out!.pBuffer, args.pCreateInfo, READ_USAGES, args.pCreateInfo.size);
    else if (core === "vkCreateImage") this.#make(out!.pImage, args.pCreateInfo, READ_IMAGE_USAGES, undefined);
    else if (core.startsWith("vkBind")) this.#bind(args.pBindInfos ?? [args]);
    else if (core.startsWith("vkMapMemory")) this.#map(args.pMemoryMapInfo ?? args, raw);
    else if (core === "vkAllocateMemory") {
      this.#memory.allocated(out!.pMemory, Number(args.pAllocateInfo.allocationSize), args.device);
    }
  }

  #submit(call: RecordedCall): void {
    const { fence } = call.args;
    this.#submissions.add(call);
    if (!fence) return;
    if (this.#usedFences.has(fence)) this.#gap("Nobody saw a vkResetFences that must have been called");
    this.#usedFences.add(fence);
  }

  /** Usages may be in a chain, too, and are then taken to be all. */
  #make(name: string, { usage, pNext }: Fields, read: number, size: string | undefined): void {
    if ((usage & ~read) !== 0 || pNext) this.#written.set(name, size === undefined ? undefined : Number(size));
  }

  #bind(infos: readonly Fields[]): void {
    for (const { memory, memoryOffset, buffer, image } of infos) {
      const object = buffer ?? image;
      if (memory && this.#written.has(object)) {
        this.#memory.bound(memory, object, Number(memoryOffset), this.#written.get(object), this.#submissions);
      }
    }
  }

  #map({ memory, offset, size }: Fields, raw: Arguments): void {
    const address = peek64(raw.at(-1) as bigint), place = [Number(offset), Number(size)];
    this.#memory.mapped(memory, place, address, this.#submissions, this.#changes);
  }

  #expect(commandBuffer: string, state: "begun" | "ended", command: string): void {
    if (this.#states.get(commandBuffer) !== state) this.#gap(`Nobody saw a ${command} that must have been called`);
  }
}
