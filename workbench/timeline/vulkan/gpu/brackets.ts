import { inFrame } from "../../../../ffi/arena.ts";
import { peek64, poke64 } from "../../../../ffi/machine.ts";
import { codec } from "../../../../loader/codec/codec.ts";
import {
  VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
  VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
  VK_SUCCESS,
} from "../../../../loader/gen/native_gen.ts";
import { newObject } from "./below.ts";
import type { Queries } from "./queries.ts";

/** Two command buffers to stand before and behind submitted work, each of which writes a timestamp. */
export interface Bracket {
  readonly before: bigint;
  readonly after: bigint;
  /** The query pool with the two timestamps. */
  readonly queries: bigint;
}

/** The brackets of one queue family. A bracket is recorded once and submitted again and again. */
export class Brackets {
  readonly #queries: Queries;
  readonly #family: number;
  readonly #free: Bracket[] = [];
  #pool: bigint | undefined;
  #isRefused = false;

  /** Takes pools of at least two queries. */
  constructor(queries: Queries, family: number) {
    this.#queries = queries;
    this.#family = family;
  }

  /** Returns a bracket; `undefined` if the driver refuses. */
  take(): Bracket | undefined {
    if (this.#isRefused) return undefined;
    const bracket = this.#free.pop() ?? this.#make();
    this.#isRefused = bracket === undefined;
    return bracket;
  }

  /** Takes a bracket back whose work has ended. */
  put(bracket: Bracket): void {
    this.#free.push(bracket);
  }

  /** Destroys the command buffers, before the device is destroyed. */
  close(): void {
    const { device, below } = this.#queries;
    if (this.#pool !== undefined) below.vkDestroyCommandPool(device, this.#pool, 0n);
    this.#free.length = 0;
  }

  #make(): Bracket | undefined {
    const { device, below } = this.#queries;
    this.#pool ??= newObject(
      "VkCommandPoolCreateInfo",
      { queueFamilyIndex: this.#family },
      (info, out) => below.vkCreateCommandPool(device, info, 0n, out),
    );
    const queries = this.#pool === undefined ? undefined : this.#queries.take();
    if (queries === undefined) return undefined;
    const before = this.#recorded((buffer) => {
      below.vkCmdResetQueryPool(buffer, queries, 0, 2);
      below.vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries, 0);
    });
    const after = this.#recorded((buffer) =>
      below.vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 1)
    );
    return before === undefined || after === undefined ? undefined : { before, after, queries };
  }

  #recorded(record: (buffer: bigint) => void): bigint | undefined {
    const { device, below } = this.#queries;
    const buffer = newObject(
      "VkCommandBufferAllocateInfo",
      { commandPool: this.#pool!, commandBufferCount: 1 },
      (info, out) => below.vkAllocateCommandBuffers(device, info, out),
    );
    if (buffer === undefined) return undefined;
    poke64(buffer, peek64(device)); // native layers leave the dispatch key to the loader, which is above
    const begun = inFrame((memory) => {
      const { size, encode } = codec("VkCommandBufferBeginInfo"), info = memory.alloc(size);
      encode({}, info);
      return below.vkBeginCommandBuffer(buffer, memory.address(info));
    });
    if (begun !== VK_SUCCESS) return undefined;
    record(buffer);
    return below.vkEndCommandBuffer(buffer) === VK_SUCCESS ? buffer : undefined;
  }
}
