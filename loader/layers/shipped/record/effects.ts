import { peek64 } from "../../../../ffi/machine.ts";
import type { Arguments } from "../trace/arguments.ts";
import type { RecordedCall } from "./line.ts";
import { type Changes, MappedMemory } from "./mapped.ts";
import { commandBuffersIn, Submissions } from "./submissions.ts";
import {
  VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
  VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
  VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
  VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
  VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
  VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
  VK_IMAGE_USAGE_SAMPLED_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
} from "../../../gen/native_gen.ts";

// deno-lint-ignore no-explicit-any -- structs of a call
type Fields = Record<string, any>;

/** Calls after which a program may read data that the GPU has written. */
const WAITS = /^vk(WaitForFences|WaitSemaphores|QueueWaitIdle|DeviceWaitIdle)$/;
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
  readonly #memory = new MappedMemory();
  readonly #submissions = new Submissions();
  /** The sizes of buffers and images that the GPU may write. The size of an image is unknown. */
  readonly #written = new Map<string, number | undefined>();
  readonly #states = new Map<string, "begun" | "ended">();
  /** Fences that are or will be signalled. */
  readonly #usedFences = new Set<string>();
  readonly #changes: Changes;
  readonly #gap: (sentence: string) => void;
  readonly #before: Readonly<Record<string, (args: Fields) => void>> = {
    vkUnmapMemory: ({ memory }) => this.#memory.unmapped(memory),
    vkUnmapMemory2: ({ pMemoryUnmapInfo }) => this.#memory.unmapped(pMemoryUnmapInfo.memory),
    vkFlushMappedMemoryRanges: ({ pMemoryRanges }) => this.#flush(pMemoryRanges),
    vkFreeMemory: ({ memory }) => this.#memory.freed(memory),
    vkDestroyBuffer: ({ buffer }) => this.#memory.destroyed(buffer),
    vkDestroyImage: ({ image }) => this.#memory.destroyed(image),
    vkDestroyDevice: ({ device }) => this.#memory.close(device),
  };
  readonly #after: Readonly<Record<string, (args: Fields, out: Fields, raw: Arguments) => void>> = {
    vkCreateBuffer: ({ pCreateInfo: info }, { pBuffer }) => this.#make(pBuffer, info, READ_USAGES, info.size),
    vkCreateImage: ({ pCreateInfo }, { pImage }) => this.#make(pImage, pCreateInfo, READ_IMAGE_USAGES, undefined),
    vkAllocateMemory: ({ pAllocateInfo, device }, { pMemory }) =>
      this.#memory.allocated(pMemory, Number(pAllocateInfo.allocationSize), device),
    vkMapMemory: (args, _, raw) => this.#map(args, raw),
    vkMapMemory2: ({ pMemoryMapInfo }, _, raw) => this.#map(pMemoryMapInfo, raw),
    vkBeginCommandBuffer: ({ commandBuffer }) => this.#states.set(commandBuffer, "begun"),
    vkEndCommandBuffer: ({ commandBuffer }) => this.#states.set(commandBuffer, "ended"),
    vkCreateFence: ({ pCreateInfo }, { pFence }) => pCreateInfo.flags !== 0 && this.#usedFences.add(pFence),
    vkResetFences: ({ pFences }) => pFences.forEach((fence: string) => this.#usedFences.delete(fence)),
  };

  /** Reports to these functions. */
  constructor(changes: Omit<Changes, "gone">, gap: (sentence: string) => void) {
    this.#changes = { ...changes, gone: (memory) => gap(`Nobody saw how ${memory} was unmapped`) };
    this.#gap = gap;
  }

  /** Frees the copies of memory. */
  close(): void {
    this.#memory.close();
  }

  /** Runs before a call of a command, which is named without its suffix. */
  before(core: string, call: RecordedCall): void {
    const { args } = call;
    if (HANDS_OVER.test(core)) this.#memory.look(this.#submissions, this.#changes);
    if (core.startsWith("vkCmd")) this.#expect(args.commandBuffer, "begun", "vkBeginCommandBuffer");
    for (const each of core.startsWith("vkQueueSubmit") ? commandBuffersIn(call) : []) {
      this.#expect(each, "ended", "vkEndCommandBuffer");
    }
    this.#before[core]?.(args);
  }

  /** Runs after a successful call whose line is written. */
  after(core: string, call: RecordedCall, raw: Arguments): void {
    if (WAITS.test(core)) {
      this.#submissions.waited(core, call.args);
      this.#memory.look(this.#submissions, this.#changes);
    } else if (core.startsWith("vkBind")) this.#bind(call.args.pBindInfos ?? [call.args]);
    else if (core.startsWith("vkQueueSubmit")) this.#submit(call);
    else this.#after[core]?.(call.args, call.out ?? {}, raw);
  }

  #flush(ranges: readonly Fields[]): void {
    for (const { memory, offset, size } of ranges) {
      this.#memory.flushed(memory, Number(offset), Number(size), this.#changes);
    }
  }

  #submit(call: RecordedCall): void {
    const { fence } = call.args;
    this.#submissions.add(call);
    if (!fence) return;
    if (this.#usedFences.has(fence)) this.#gap("Nobody saw a vkResetFences that must have been called");
    this.#usedFences.add(fence);
  }

  /** A chain may contain usages, too. Then all usages are assumed. */
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
