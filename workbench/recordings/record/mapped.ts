import { bytesAt } from "../../../ffi/arena.ts";
import { peek64 } from "../../../ffi/machine.ts";
import type { GatheredRange } from "../../layer_server/server/layer_kind.ts";
import { AddressRanges, intersection, type Range, union, without } from "./ranges.ts";
import { Claims, type Resource } from "./claims.ts";
import type { InFlight, Submission } from "./in_flight.ts";
import type { WritesFoundBy } from "./line.ts";
import type { Work } from "./reach.ts";
import { isThere, Shadow } from "./shadow.ts";
import type { PageWatches, WatchedPages } from "./written_pages.ts";

/** Memory that the program may map. */
interface Memory {
  readonly name: string;
  readonly device: string;
  readonly size: number;
  /** Whether both sides see each other's writes without flushes and invalidations. */
  readonly isCoherent: boolean;
  readonly claims: Claims;
  shadow?: Shadow;
  /** The address of byte 0, even if it is not mapped, the mapped range, and the pages that the kernel watches there. */
  mapped?: { readonly base: bigint; readonly range: Range; readonly pages: WatchedPages | undefined };
}

/** Called for changes. */
export interface Changes {
  /** The program wrote these bytes into memory. */
  written(memory: string, offset: number, bytes: Uint8Array): void;
  /** The GPU wrote these bytes into a buffer or a linear image, and they can be read now. */
  readable(object: string, offset: number, bytes: Uint8Array): void;
  /** Mapped memory was unmapped unseen. */
  gone(memory: string): void;
  /** A range of a buffer or image changed while the GPU could write there, and the next work uses the range. */
  unknown(object: string): void;
}

/**
 * The mapped memory and its contents at the last examination.
 *
 * The GPU wrote what has changed where submitted work could write. These ranges
 * are left alone until the work is known to be done. The program wrote all other
 * changes.
 */
export class MappedMemory {
  readonly #memories = new Map<string, Memory>();
  /** The memory of each buffer and image. */
  readonly #bindings = new Map<string, Memory>();
  readonly #addresses = new AddressRanges();
  readonly #watches: Pick<PageWatches, "watch">;
  #ranges: readonly GatheredRange[] | undefined;
  readonly #inFlight: Pick<InFlight, "isClosed" | "busy">;

  /** Compares all of the memory that the kernel cannot watch. */
  constructor(watches: Pick<PageWatches, "watch">, inFlight: Pick<InFlight, "isClosed" | "busy">) {
    this.#inFlight = inFlight;
    this.#watches = watches;
  }

  /** Notes an allocation. */
  allocated(name: string, size: number, device: string, isCoherent: boolean): void {
    this.#memories.set(name, { name, device, size, isCoherent, claims: new Claims(size, this.#inFlight) });
  }

  /** Notes where a buffer or image is. */
  bound(memory: string, object: string, start: number, resource: Resource): void {
    const found = this.#memories.get(memory);
    if (!found) return;
    this.#bindings.set(object, found);
    found.claims.bound(object, start, resource);
  }

  /** Forgets a buffer or image before its destruction. */
  destroyed(object: string): void {
    this.#bindings.get(object)?.claims.destroyed(object);
    this.#bindings.delete(object);
  }

  /** Notes the addresses by which shaders can reach an object. From now on the program may write them. */
  addressed(object: string, address: bigint, size: bigint): void {
    this.#addresses.add(address, size);
    this.#bindings.get(object)?.claims.addressed(object);
  }

  /** Notes what work may write from now on. */
  given({ uses }: Work, submission: Submission): void {
    for (const use of uses) {
      if (!use.writes) continue;
      for (const memory of this.#memoriesOf(use.object)) memory.claims.add(use, submission);
    }
  }

  /** Counts work as done whose end nobody saw. Returns whether it could write to mapped memory. */
  takeBack(submission: Submission): boolean {
    const isClaimed = [...this.#memories.values()].some(({ mapped, claims }) => mapped && claims.has(submission));
    submission.progress = Infinity;
    return isClaimed;
  }

  /**
   * Notes a mapping. Returns how the program's writes are found there; `undefined` for memory whose allocation nobody
   * saw. Memory that is not coherent is compared where it is flushed.
   */
  mapped(name: string, [start, size]: readonly number[], address: bigint): WritesFoundBy | undefined {
    const memory = this.#memories.get(name);
    if (!memory) return undefined;
    memory.shadow ??= new Shadow(memory.size);
    const range = { start, end: Math.min(start + size, memory.size) };
    const pages = memory.isCoherent ? this.#watches.watch(address, range.end - range.start) : undefined;
    memory.mapped = { base: address - BigInt(start), range, pages };
    this.#ranges = undefined;
    return pages ? "userfaultfd" : "comparison";
  }

  /** Reports what the GPU has written into memory before its mapping. */
  readMapped(name: string, changes: Changes): void {
    const memory = this.#memories.get(name);
    if (memory?.mapped) reportRead(memory, memory.mapped.range, changes);
  }

  /** Notes that memory will be unmapped. Examine the memory first. */
  unmapped(name: string): void {
    const memory = this.#memories.get(name);
    memory?.mapped?.pages?.close();
    if (!memory?.mapped) return;
    memory.mapped = undefined;
    this.#ranges = undefined;
  }

  /** Forgets memory before it is freed. */
  freed(name: string): void {
    this.unmapped(name);
    this.#memories.get(name)?.shadow?.free();
    this.#memories.delete(name);
  }

  /** Forgets all memory, or that of a device before its destruction. */
  close(of?: string): void {
    for (const { name, device } of [...this.#memories.values()]) {
      if (of === undefined || device === of) this.freed(name);
    }
  }

  /** Whether no work can write to mapped memory, whatever is submitted: all that changes there is the program's. */
  get isQuiet(): boolean {
    return [...this.#memories.values()].every(({ mapped, claims }) => !mapped || claims.isQuiet);
  }

  /** All memory that is mapped: the same list until that changes. */
  get ranges(): readonly GatheredRange[] {
    return this.#ranges ??= [...this.#memories.values()].flatMap(({ mapped }) => {
      if (!mapped) return [];
      const { base, range: { start, end } } = mapped;
      return [{ address: base + BigInt(start), size: end - start }];
    });
  }

  /**
   * Reports the changes in all mapped memory. `next` is what the work does that the GPU gets next. Gathered memory is a
   * copy of an earlier time, for which the kernel cannot tell pages, and has what was mapped at that time.
   */
  look(changes: Changes, next: Work["uses"] = [], isGathered = false): void {
    for (const memory of this.#memories.values()) {
      const { mapped, name } = memory;
      if (!mapped) continue;
      const { base, range: { start, end } } = mapped;
      if (isThere(base + BigInt(start), end - start)) this.#lookAt(memory, changes, next, isGathered);
      else if (!isGathered) {
        this.unmapped(name);
        changes.gone(name);
      }
    }
  }

  /** Reports what the program wrote into a range that it flushes. */
  flushed(name: string, start: number, size: number, changes: Changes): void {
    const memory = this.#memories.get(name), { range } = memory?.mapped ?? {};
    if (memory && range) {
      reportWritten(memory, { start, end: Math.min(start + size, range.end) }, changes, this.#addresses);
    }
  }

  /** Reports what the GPU wrote into a range that the program invalidates. */
  invalidated(name: string, start: number, size: number, changes: Changes): void {
    const memory = this.#memories.get(name), { range, base } = memory?.mapped ?? {};
    if (!memory || memory.isCoherent || !range) return;
    const part = { start, end: Math.min(start + size, range.end) };
    reportRead(memory, part, changes);
    for (const each of without(part, memory.claims.pending())) memory.shadow!.update(base!, each);
  }

  /**
   * Looks at memory. Memory that is not coherent changes hands with flushes and invalidations, which many programs
   * forget while nothing is in flight.
   */
  #lookAt(memory: Memory, changes: Changes, next: Work["uses"], isGathered: boolean): void {
    if (!memory.isCoherent) {
      const { range } = memory.mapped!, parts = this.#inFlight.busy ? [] : without(range, memory.claims.all());
      return parts.forEach((part) => reportWritten(memory, part, changes, this.#addresses));
    }
    const { range, base, pages } = memory.mapped!, { claims, shadow } = memory;
    const written = isGathered
      ? undefined
      : pages?.written().map((part) => ({ start: range.start + part.start, end: range.start + part.end }));
    const claimed = union([...claims.pending(), ...reportRead(memory, range, changes)]);
    for (const part of intersection(written ?? [range], without(range, claimed))) {
      reportWritten(memory, part, changes, this.#addresses);
    }
    for (const { object, ...part } of claims.disputed(next)) {
      const disputed = intersection([range], [part]);
      if (disputed.some((each) => shadow!.changes(base, each).length > 0)) changes.unknown(object);
    }
  }

  #memoriesOf(object: string): Iterable<Memory> {
    if (object.startsWith("*")) return this.#memories.values();
    const home = this.#bindings.get(object);
    return home ? [home] : [];
  }
}

/** Reports what the GPU wrote in a range where it is done. Returns these ranges. */
function reportRead({ mapped, shadow, claims }: Memory, range: Range, changes: Changes): Range[] {
  const { base } = mapped!, found: Range[] = [];
  for (const { name, isImage, from, ...done } of claims.takeDone(range)) {
    found.push(done);
    const changed = shadow!.changes(base, done);
    if (changed.length === 0) continue;
    // Only its driver knows where an image ends.
    const { start, end } = isImage ? { start: changed[0].start, end: changed.at(-1)!.end } : done;
    if (name) changes.readable(name, start - from, bytesAt(base + BigInt(start), end - start));
    shadow!.update(base, done);
  }
  return found;
}

/** An address of which only some bytes have changed is reported whole. */
function reportWritten(
  { name, mapped, shadow }: Memory,
  range: Range,
  changes: Changes,
  addresses: AddressRanges,
): void {
  const { base } = mapped!;
  for (const change of shadow!.changes(base, range)) {
    const { start, end } = addresses.around(change, range, (at) => [peek64(base + BigInt(at)), shadow!.word(at)]);
    changes.written(name, start, bytesAt(base + BigInt(start), end - start));
    shadow!.update(base, change);
  }
}
