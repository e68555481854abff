import type { BufferRequest } from "./graphic_buffer.ts";
import type { MemoryKind } from "./memory.ts";

/** How one driver wants a buffer to lie in memory. */
export interface BufferLayout {
  /** Bytes from one row to the next. */
  readonly rowPitch: number;
  /** Bytes in all. */
  readonly size: number;
  /** What kind of memory: a memfd that can be shared, anonymous memory of this process, or a dma-buf where there are any. Default: as usage asks. */
  readonly memory?: MemoryKind;
}

/** Asks a driver; `undefined` when the rule has no opinion and gralloc's own layout will do. */
export type LayoutRule = (request: BufferRequest) => BufferLayout | undefined;

const rules = new Map<bigint, LayoutRule>();
let last = 0n;

/**
 * Makes a rule known to gralloc. The result are private usage bits (48 to 63):
 * a buffer asked for with them is laid out by the rule. `forget` ends it.
 */
export function registerLayout(rule: LayoutRule): { readonly usage: bigint; forget(): void } {
  do last = last % 0xffffn + 1n; while (rules.has(last));
  const id = last;
  rules.set(id, rule);
  return { usage: id << 48n, forget: () => void rules.delete(id) };
}

/** The rule that usage bits name: bits 48 to 63, or bits 28 to 31 of usage that came from gralloc 0, which have room for the first fifteen rules. */
export function layoutRuleOf(usage: bigint): LayoutRule | undefined {
  return rules.get(usage >> 48n & 0xffffn || usage >> 28n & 0xfn);
}
