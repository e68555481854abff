import { bytesAt } from "../../../../ffi/arena.ts";
import { isThere, type Range, Shadow } from "./shadow.ts";

/** What is bound to a range of memory. */
interface Binding extends Range {
  /** The name of a buffer; an image has none here, for only its driver knows how it lies in memory. */
  readonly buffer: string | undefined;
  /** How many submissions there had been when it was bound or looked at. */
  seen: number;
}

/** Memory that the program may map. */
interface Memory {
  readonly name: string;
  readonly device: string;
  readonly size: number;
  /** What is bound to it that the GPU may write. */
  readonly bindings: Map<string, Binding>;
  shadow?: Shadow;
  /** Where its byte 0 would be, and what is mapped. */
  mapped?: { readonly base: bigint; readonly range: Range };
}

/** Told what changed. */
export interface Changes {
  /** The program wrote this into memory. */
  written(memory: string, offset: number, bytes: Uint8Array): void;
  /** The GPU wrote into a buffer, of which this can be read now. */
  readable(buffer: string, offset: number, bytes: Uint8Array): void;
  /** Mapped memory has gone unseen. */
  gone(memory: string): void;
}

/** What the GPU has been given to do. */
export interface Work {
  /** How many submissions there were. */
  readonly count: number;
  /** Whether it may still be at one. */
  readonly busy: boolean;
}

/**
 * The memory that is mapped, and what was in it when it was last looked at.
 *
 * What changed was written by the program, or, where something was bound that
 * the GPU may write before it was given work, by the GPU. As long as it may be
 * writing, such places are left alone. So what a program itself writes there
 * before it has waited is taken for the GPU's, unless it is flushed.
 */
export class MappedMemory {
  readonly #memories = new Map<string, Memory>();

  /** Takes note of an allocation. */
  allocated(name: string, size: number, device: string): void {
    this.#memories.set(name, { name, device, size, bindings: new Map() });
  }

  /** Takes note of what the GPU may write: a buffer, or an image of unknown extent. */
  bound(memory: string, object: string, start: number, size: number | undefined, { count }: Work): void {
    const found = this.#memories.get(memory);
    const end = Math.min(start + (size ?? Infinity), found?.size ?? 0);
    found?.bindings.set(object, { start, end, buffer: size === undefined ? undefined : object, seen: count });
  }

  /** Forgets a buffer or image that is going. */
  destroyed(object: string): void {
    for (const { bindings } of this.#memories.values()) bindings.delete(object);
  }

  /** Takes note that memory was mapped, and says what the GPU has written there before. */
  mapped(name: string, [start, size]: readonly number[], address: bigint, work: Work, changes: Changes): void {
    const memory = this.#memories.get(name);
    if (!memory) return;
    memory.shadow ??= new Shadow(memory.size);
    const range = { start, end: Math.min(start + size, memory.size) };
    memory.mapped = { base: address - BigInt(start), range };
    reportRead(memory, work, changes);
  }

  /** Takes note that memory is about to be unmapped; look at it before. */
  unmapped(name: string): void {
    const memory = this.#memories.get(name);
    if (memory) memory.mapped = undefined;
  }

  /** Forgets memory that is about to be freed. */
  freed(name: string): void {
    this.#memories.get(name)?.shadow?.free();
    this.#memories.delete(name);
  }

  /** Forgets all memory, or that of a device that is going. */
  close(of?: string): void {
    for (const { name, device } of [...this.#memories.values()]) {
      if (of === undefined || device === of) this.freed(name);
    }
  }

  /** Says what changed in all mapped memory. */
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

  /** Says what the program wrote into a range that it flushes. */
  flushed(name: string, start: number, size: number, changes: Changes): void {
    const memory = this.#memories.get(name), { range } = memory?.mapped ?? {};
    if (memory && range) reportWritten(memory, { start, end: Math.min(start + size, range.end) }, changes);
  }
}

/** Says what the GPU wrote, if it is done; returns where it may have written. */
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

/** What is left of a range without others. */
function without(range: Range, others: readonly Range[]): Range[] {
  const left: Range[] = [];
  let { start } = range;
  for (const other of [...others].sort((a, b) => a.start - b.start)) {
    if (other.start > start) left.push({ start, end: Math.min(other.start, range.end) });
    start = Math.max(start, other.end);
  }
  return start < range.end ? [...left, { start, end: range.end }] : left;
}
