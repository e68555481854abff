import type { CopiedMemory } from "../../../loader/layer.ts";
import {
  BLOCK,
  BLOCKS,
  BLOCKS_AT,
  BLOCKS_UNTIL_RING,
  CAPTURE_STATE,
  GATHER,
  GATHER_AT,
  NOTE,
  POKE,
  POKE_BITS,
  POKE_GROUPS,
  POKE_LOOKS,
  POKES_AT,
} from "../layout.ts";
import type { CopyStep } from "./copies.ts";
import type { GatheredRange, Gathering, Poke } from "./layer_kind.ts";
import type { Transport } from "./transport.ts";

/** Memory that a program gathered before a call. */
export type GatheredMemory = Pick<CopiedMemory, "address" | "bytes">;

/**
 * The memory that programs gather before calls that hand something to the device, so that these calls wait for nobody:
 * the list of the layers' memory and the table of their numbers, which programs read, and the blocks, which programs fill. More than
 * a block holds is left to the layers, for which each such call waits then.
 */
export class Gathers {
  readonly #view: DataView<ArrayBuffer>;
  readonly #words: BigInt64Array;
  /** Address of the view in programs. */
  readonly #channel: bigint;
  readonly #steps: readonly CopyStep[];
  #version = 0n;
  #lists: readonly (readonly GatheredRange[] | undefined)[] | undefined;
  /** The entries of the table, by handle. */
  readonly #pokes = new Map<bigint, number>();

  /** Links the blocks. `steps` are the copies of a call before which layers capture: the one that has `pCommandBuffers`. */
  constructor({ view, place: { channel } }: Pick<Transport, "view" | "place">, steps: readonly CopyStep[] = []) {
    this.#view = view as DataView<ArrayBuffer>;
    this.#words = new BigInt64Array(this.#view.buffer);
    this.#channel = channel;
    this.#steps = steps;
    for (let index = 0; index < BLOCKS; index++) {
      const at = BLOCKS_AT + index * BLOCK.size, next = BLOCKS_AT + (index + 1) % BLOCKS * BLOCK.size;
      this.#put(at + BLOCK.next, channel + BigInt(next));
      this.#put(at + BLOCK.rings, index % BLOCKS_UNTIL_RING === BLOCKS_UNTIL_RING - 1 ? 1n : 0n);
    }
    this.#put(GATHER_AT + GATHER.cursor, channel + BigInt(BLOCKS_AT));
  }

  /** The number of calls that programs gathered for. */
  get count(): number {
    return Number(this.#view.getBigUint64(GATHER_AT + GATHER.gathered, true));
  }

  /** Tells programs what to gather: what all layers say. A layer that says nothing captures by itself. */
  refresh(all: readonly (Gathering | undefined)[]): void {
    for (const gathering of all) {
      for (const [handle, poke] of gathering?.takePokes?.() ?? []) this.#poke(handle, poke);
    }
    const lists = all.map((each) => each?.ranges), before = this.#lists;
    if (before?.length === lists.length && lists.every((list, index) => list === before[index])) return;
    this.#lists = lists;
    this.#allow(
      lists.includes(undefined) ? undefined : lists.flatMap((list) => list!),
      all.some((each) => each?.takePokes),
    );
  }

  /** The memory that a program gathered for a note; `undefined` if it gathered nothing. Valid until {@linkcode free}. */
  of(note: DataView): readonly GatheredMemory[] | undefined {
    const block = this.#blockOf(note);
    if (block === undefined) return undefined;
    const first = block + BLOCK.bytes, count = this.#view.getUint32(first + 8, true) / RANGE;
    let at = first;
    return Array.from({ length: count }, (_, index) => {
      const address = this.#view.getBigUint64(first + RANGE * index, true);
      const bytes = new Uint8Array(this.#view.buffer, at, this.#view.getUint32(first + RANGE * index + 8, true));
      at += bytes.length;
      return { address, bytes };
    });
  }

  /** Gives the block of a note back to programs. */
  free(note: DataView): void {
    const block = this.#blockOf(note);
    if (block === undefined) return;
    note.setBigUint64(NOTE.gathered, BigInt(CAPTURE_STATE.taken), true); // the place of the note is used again
    this.#store(block + BLOCK.state, 0n);
  }

  #blockOf(note: DataView): number | undefined {
    const at = Number(note.getBigUint64(NOTE.gathered, true) - this.#channel) - BLOCKS_AT;
    return at >= 0 && at < BLOCKS * BLOCK.size && at % BLOCK.size === 0 ? BLOCKS_AT + at : undefined;
  }

  /** Programs that gather meanwhile notice that the version differs. */
  #allow(ranges: readonly GatheredRange[] | undefined, hasPokes: boolean): void {
    this.#store(GATHER_AT + GATHER.version, 0n);
    const count = (ranges?.length ?? 0) + 1, own = { address: this.#channel + BigInt(LIST_AT), size: RANGE * count };
    const all = [own, ...ranges ?? []], total = all.reduce((sum, { size }) => sum + size, 0);
    if (!ranges || count > GATHER.rangeMost || total > BLOCK.size - BLOCK.bytes) return;
    all.forEach(({ address, size }, index) => {
      this.#put(LIST_AT + RANGE * index, address);
      this.#put(LIST_AT + RANGE * index + 8, BigInt(size));
    });
    this.#put(GATHER_AT + GATHER.count, BigInt(count));
    this.#put(GATHER_AT + GATHER.total, BigInt(total));
    const handles = this.#steps.find(({ path }) => path.endsWith("pCommandBuffers"));
    if (hasPokes && !handles?.parent) return;
    const places = hasPokes
      ? [handles!.to, handles!.count, NOTE.copies + 8 * this.#steps.indexOf(handles!.parent!)]
      : NONE;
    [GATHER.handles, GATHER.handleCount, GATHER.holder].forEach((at, index) =>
      this.#put(GATHER_AT + at, BigInt(places[index]))
    );
    this.#store(GATHER_AT + GATHER.version, ++this.#version);
  }

  /** A handle whose places in the table are all taken stays out, so that its calls wait. */
  #poke(handle: bigint, poke: Poke | undefined): void {
    const known = this.#pokes.get(handle), at = known ?? this.#freeEntry(handle);
    if (at === undefined) return;
    this.#store(at + POKE.handle, 0n);
    this.#pokes.delete(handle);
    if (!poke) return;
    this.#put(at + POKE.address, poke.address);
    this.#put(at + POKE.value, BigInt(poke.value >>> 0));
    this.#store(at + POKE.handle, handle);
    this.#pokes.set(handle, at);
  }

  #freeEntry(handle: bigint): number | undefined {
    const groups = POKE_GROUPS.map((first) => Number(BigInt.asUintN(POKE_BITS, handle >> BigInt(first))));
    const first = groups.reduce((sum, each) => sum + each) % (1 << POKE_BITS);
    const places = Array.from({ length: POKE_LOOKS }, (_, look) => POKES_AT + (first + look << POKE.shift));
    return places.find((at) => this.#view.getBigUint64(at + POKE.handle, true) === 0n);
  }

  #put(at: number, value: bigint): void {
    this.#view.setBigUint64(at, value, true);
  }

  /** Stores behind all that was stored before. */
  #store(at: number, value: bigint): void {
    Atomics.store(this.#words, at / 8, BigInt.asIntN(64, value));
  }
}

/** Bytes of an `iovec`, and where the list of them is. */
const RANGE = 16, LIST_AT: number = GATHER_AT + GATHER.ranges;
/** The places of command buffers in a note, where nothing is written for them. */
const NONE = [0, 0, 0];
