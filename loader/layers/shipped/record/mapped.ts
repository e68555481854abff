import { bytesAt } from "../../../../ffi/arena.ts";
import { isThere, type Range, Shadow } from "./shadow.ts";

/** A buffer or image that is bound to a range of memory. */
interface Binding extends Range {
  /** The name of a buffer; `undefined` for an image, because only its driver knows its layout in memory. */
  readonly buffer: string | undefined;
  /** The number of submissions when the range was bound or last examined. */
  seen: number;
}

/** Memory that the program may map. */
interface Memory {
  readonly name: string;
  readonly device: string;
  readonly size: number;
  /** The bindings that the GPU may write. */
  readonly bindings: Map<string, Binding>;
  shadow?: Shadow;
  /** The address of byte 0, even if it is not mapped, and the mapped range. */
  mapped?: { readonly base: bigint; readonly range: Range };
}

/** Called for changes. */
export interface Changes {
  /** The program wrote these bytes into memory. */
  written(memory: string, offset: number, bytes: Uint8Array): void;
  /** The GPU wrote these bytes into a buffer, and they can be read now. */
  readable(buffer: string, offset: number, bytes: Uint8Array): void;
  /** Mapped memory was unmapped unseen. */
  gone(memory: string): void;
}

/** The work that the GPU was given. */
export interface Work {
  /** The number of submissions. */
  readonly count: number;
  /** Whether the GPU may still be working. */
  readonly busy: boolean;
}

/**
 * The mapped memory and its contents at the last examination.
 *
 * The program wrote what has changed, except in ranges bound before a
 * submission that the GPU may write: there the GPU wrote. While the GPU may be
 * writing, those ranges are left alone. Data that the program writes there
 * before it has waited therefore counts as the GPU's, unless the program
 * flushes it.
 */
export class MappedMemory {
  readonly #memories = new Map<string, Memory>();

  /** Notes an allocation. */
  allocated(name: string, size: number, device: string): void {
    this.#memories.set(name, { name, device, size, bindings: new Map() });
  }

  /** Notes an object that the GPU may write: a buffer, or an image of unknown extent. */
  bound(memory: string, object: string, start: number, size: number | undefined, { count }: Work): void {
    const found = this.#memories.get(memory);
    const end = Math.min(start + (size ?? Infinity), found?.size ?? 0);
    found?.bindings.set(object, { start, end, buffer: size === undefined ? undefined : object, seen: count });
  }

  /** Forgets a buffer or image before its destruction. */
  destroyed(object: string): void {
    for (const { bindings } of this.#memories.values()) bindings.delete(object);
  }

  /** Notes a mapping, and reports what the GPU has written there before. */
  mapped(name: string, [start, size]: readonly number[], address: bigint, work: Work, changes: Changes): void {
    const memory = this.#memories.get(name);
    if (!memory) return;
    memory.shadow ??= new Shadow(memory.size);
    const range = { start, end: Math.min(start + size, memory.size) };
    memory.mapped = { base: address - BigInt(start), range };
    reportRead(memory, work, changes);
  }

  /** Notes that memory will be unmapped. Examine the memory first. */
  unmapped(name: string): void {
    const memory = this.#memories.get(name);
    if (memory) memory.mapped = undefined;
  }

  /** Forgets memory before it is freed. */
  freed(name: string): void {
    this.#memories.get(name)?.shadow?.free();
    this.#memories.delete(name);
  }

  /** Forgets all memory, or that of a device before its destruction. */
  close(of?: string): void {
    for (const { name, device } of [...this.#memories.values()]) {
      if (of === undefined || device === of) this.freed(name);
    }
  }

  /** Reports the changes in all mapped memory. */
  look(work: Work, changes: Changes): void {
    for (const memory of this.#memories.values()) {
      const { mapped, name } = memory;
      if (!mapped) continue;
      const { base, range: { start, end } } = mapped;
      if (!isThere(base + BigInt(start), end - start)) {
        memory.mapped = undefined;
        changes.gone(name);
      } else {
        const theirs = reportRead(memory, work, changes);
        for (const gap of without(mapped.range, theirs)) reportWritten(memory, gap, changes);
      }
    }
  }

  /** Reports what the program wrote into a range that it flushes. */
  flushed(name: string, start: number, size: number, changes: Changes): void {
    const memory = this.#memories.get(name), { range } = memory?.mapped ?? {};
    if (memory && range) reportWritten(memory, { start, end: Math.min(start + size, range.end) }, changes);
  }
}

/** Reports what the GPU wrote, if it has finished. Returns the ranges that the GPU may have written. */
function reportRead({ mapped, shadow, bindings }: Memory, { count, busy }: Work, changes: Changes): Range[] {
  const { base, range } = mapped!, touched = [...bindings.values()].filter(({ seen }) => seen < count);
  const theirs = touched.map((each) => within(each, range));
  for (const [index, part] of busy ? [] : theirs.entries()) {
    const { buffer, start } = touched[index];
    touched[index].seen = count;
    if (shadow!.changes(base, part).length === 0) continue;
    if (buffer) changes.readable(buffer, part.start - start, bytesAt(base + BigInt(part.start), part.end - part.start));
    shadow!.update(base, part);
  }
  return theirs;
}

function reportWritten({ name, mapped, shadow }: Memory, range: Range, changes: Changes): void {
  for (const change of shadow!.changes(mapped!.base, range)) {
    const { start, end } = change;
    changes.written(name, start, bytesAt(mapped!.base + BigInt(start), end - start));
    shadow!.update(mapped!.base, change);
  }
}

function within(range: Range, { start, end }: Range): Range {
  return { start: Math.max(range.start, start), end: Math.min(range.end, end) };
}

/** Returns a range without the parts that others cover. */
function without(range: Range, others: readonly Range[]): Range[] {
  const left: Range[] = [];
  let { start } = range;
  for (const other of [...others].sort((a, b) => a.start - b.start)) {
    if (other.start > start) left.push({ start, end: Math.min(other.start, range.end) });
    start = Math.max(start, other.end);
  }
  return start < range.end ? [...left, { start, end: range.end }] : left;
}
