import {
  VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
  VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
} from "../../../../loader/gen/native_gen.ts";
import type { Queries } from "./queries.ts";

/** Render passes of a command buffer that have timestamps; the passes behind have none. */
const MOST = 32;
/** Timestamps of a command buffer: two for each render pass. */
export const PASS_QUERIES = 2 * MOST;

/**
 * The timed render passes of one execution of a command buffer. The next execution writes to the same queries. It
 * cannot begin before this one has ended, of which the program may know before the layer's fence tells.
 */
export class Passes {
  readonly #owner: Queries;
  readonly #queries: bigint;
  readonly #count: number;
  #stamps: readonly bigint[] | undefined;

  /** For the first `count` passes of a query pool. */
  constructor(owner: Queries, queries: bigint, count: number) {
    this.#owner = owner;
    this.#queries = queries;
    this.#count = count;
  }

  /** Reads the timestamps once the passes have ended: two for each pass; none if they were not written. */
  read(): readonly bigint[] {
    return this.#stamps ??= this.#owner.read(this.#queries, 2 * this.#count) ?? [];
  }
}

/** A primary command buffer of a queue family with timestamps. */
interface Recording {
  readonly owner: Queries;
  queries?: bigint;
  /** The last execution. */
  last?: Passes;
  count: number;
  /** Whether the render passes that begin now are timed. */
  isTimed: boolean;
  isInside: boolean;
}

/** A command pool of a queue family with timestamps. */
interface Pool {
  readonly owner: Queries;
  readonly buffers: Set<bigint>;
}

/**
 * Timestamps around the render passes of all command buffers that the layer saw being allocated. The query pool stays
 * with the command buffer, because a command buffer may be submitted again and again.
 */
export class RenderPasses {
  /** By device and handle. */
  readonly #pools = new Map<bigint, Map<bigint, Pool>>();
  readonly #buffers = new Map<bigint, Recording>();

  /** Watches a new command pool. `owner` has the query pools. */
  poolCreated(pool: bigint, owner: Queries): void {
    let pools = this.#pools.get(owner.device);
    if (!pools) this.#pools.set(owner.device, pools = new Map());
    pools.set(pool, { owner, buffers: new Set() });
  }

  /** Forgets a command pool and its command buffers. */
  poolDestroyed(device: bigint, pool: bigint): void {
    const pools = this.#pools.get(device), found = pools?.get(pool);
    if (found) this.freed(device, pool, [...found.buffers]);
    pools?.delete(pool);
  }

  /** Watches primary command buffers, if their pool is watched. */
  allocated(device: bigint, pool: bigint, buffers: readonly bigint[]): void {
    const found = this.#pools.get(device)?.get(pool);
    if (!found) return;
    for (const buffer of buffers) {
      found.buffers.add(buffer);
      this.#buffers.set(buffer, { owner: found.owner, count: 0, isTimed: false, isInside: false });
    }
  }

  /** Forgets command buffers of a pool. */
  freed(device: bigint, pool: bigint, buffers: readonly bigint[]): void {
    const found = this.#pools.get(device)?.get(pool);
    if (!found) return;
    for (const buffer of buffers) {
      const { queries, last } = this.#buffers.get(buffer) ?? {};
      last?.read();
      if (queries !== undefined) found.owner.put(queries);
      this.#buffers.delete(buffer);
      found.buffers.delete(buffer);
    }
  }

  /** Forgets the command buffers of a device. */
  forget(device: bigint): void {
    for (const pool of [...this.#pools.get(device)?.keys() ?? []]) this.poolDestroyed(device, pool);
    this.#pools.delete(device);
  }

  /** A command buffer is recorded anew. Its passes must not be timed if two executions at once may write the queries. */
  begun(buffer: bigint, isTimed: boolean): void {
    const found = this.#buffers.get(buffer);
    if (found) Object.assign(found, { count: 0, isTimed, isInside: false });
  }

  /** Writes a timestamp before a render pass. */
  before(buffer: bigint): void {
    const found = this.#buffers.get(buffer);
    if (!found?.isTimed || found.count === MOST) return;
    const { owner: { below } } = found, queries = found.queries ??= found.owner.take();
    if (queries === undefined) return;
    below.vkCmdResetQueryPool(buffer, queries, 2 * found.count, 2);
    below.vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries, 2 * found.count);
    found.isInside = true;
  }

  /** Writes a timestamp behind a render pass. */
  after(buffer: bigint): void {
    const found = this.#buffers.get(buffer);
    if (!found?.isInside) return;
    const { owner: { below }, queries, count } = found;
    below.vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries!, 2 * count + 1);
    found.count++;
    found.isInside = false;
  }

  /** Returns the timed render passes of command buffers that are going to be submitted. */
  of(buffers: readonly bigint[]): Passes[] {
    return buffers.flatMap((buffer) => {
      const found = this.#buffers.get(buffer);
      found?.last?.read();
      if (found?.queries === undefined || found.count === 0) return [];
      return [found.last = new Passes(found.owner, found.queries, found.count)];
    });
  }
}
