import { bytesAt } from "../foreign.ts";
import { isThere, type Range, Shadow } from "./shadow.ts";

/** What is bound to a range of memory. */
interface Binding extends Range {
  /** The name of a buffer; an image has none here, for only its driver knows how it lies in memory. */
  readonly buffer: string | undefined;
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

/**
 * The memory that is mapped, and what was in it when it was last looked at.
 *
 * What changed was written by the program, or, while the GPU has work that was
 * not yet waited for and in what is bound to be written by it, by the GPU.
 * What a program writes into such a buffer before it has waited is taken for
 * the GPU's, unless it is flushed.
 */
export class MappedMemory {
  readonly #memories = new Map<string, Memory>();

  /** Takes note of an allocation. */
  allocated(name: string, size: number, device: string): void {
    this.#memories.set(name, { name, device, size, bindings: new Map() });
  }

  /** Takes note of what the GPU may write: a buffer, or an image of unknown extent. */
  bound(memory: string, object: string, start: number, size: number | undefined): void {
    const found = this.#memories.get(memory);
    const end = Math.min(start + (size ?? Infinity), found?.size ?? 0);
    found?.bindings.set(object, { start, end, buffer: size === undefined ? undefined : object });
  }

  /** Forgets a buffer or image that is going. */
  destroyed(object: string): void {
    for (const { bindings } of this.#memories.values()) bindings.delete(object);
  }

  /** Takes note that memory was mapped. */
  mapped(name: string, start: number, size: number, address: bigint): void {
    const memory = this.#memories.get(name);
    if (!memory) return;
    memory.shadow ??= new Shadow(memory.size);
    const range = { start, end: Math.min(start + size, memory.size) };
    memory.mapped = { base: address - BigInt(start), range };
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

  /** Says what changed in all mapped memory, or in that which was just mapped; `busy`: whether the GPU may have written. */
  look(busy: boolean, changes: Changes, only?: string): void {
    for (const memory of this.#memories.values()) {
      const { mapped, name } = memory;
      if (!mapped || only !== undefined && name !== only) continue;
      const { base, range: { start, end } } = mapped;
      if (!isThere(base + BigInt(start), end - start)) {
        memory.mapped = undefined;
        changes.gone(name);
      } else lookAt(memory, busy, changes);
    }
  }

  /** Says what the program wrote into a range that it flushes. */
  flushed(name: string, start: number, size: number, changes: Changes): void {
    const memory = this.#memories.get(name), { range } = memory?.mapped ?? {};
    if (memory && range) reportWritten(memory, { start, end: Math.min(start + size, range.end) }, changes);
  }
}

function lookAt(memory: Memory, busy: boolean, changes: Changes): void {
  const { base, range } = memory.mapped!, shadow = memory.shadow!;
  const bound = busy ? [...memory.bindings.values()] : [], theirs = bound.map((each) => within(each, range));
  for (const [index, { start, end }] of theirs.entries()) {
    const { buffer, start: first } = bound[index];
    if (buffer === undefined || shadow.changes(base, { start, end }).length === 0) continue;
    changes.readable(buffer, start - first, bytesAt(base + BigInt(start), end - start));
  }
  for (const gap of without(range, theirs)) reportWritten(memory, gap, changes);
  for (const each of theirs) shadow.update(base, each);
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
