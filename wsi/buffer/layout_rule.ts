import type { BufferRequest } from "./graphic_buffer.ts";
import type { MemoryKind } from "./memory.ts";
import { USAGE } from "./usage.ts";

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

/** Where the number of a rule begins in usage bits, and the largest number. */
const FIRST_BIT = 33n, MOST = USAGE.LAYOUT_RULE_MASK >> FIRST_BIT;
const rules = new Map<bigint, LayoutRule>();
let last = 0n;

/**
 * Makes a rule known to gralloc. The result are usage bits that nobody else
 * has, {@linkcode USAGE.LAYOUT_RULE_MASK}: a buffer asked for with them is laid
 * out by the rule. `forget` ends it.
 */
export function registerLayout(rule: LayoutRule): { readonly usage: bigint; forget(): void } {
  do last = last % MOST + 1n; while (rules.has(last));
  const id = last;
  rules.set(id, rule);
  return { usage: id << FIRST_BIT, forget: () => void rules.delete(id) };
}

/** The rule that usage bits name. The vendor's bits name none: drivers with native buffers of their own have meanings for those. */
export function layoutRuleOf(usage: bigint): LayoutRule | undefined {
  return rules.get((usage & USAGE.LAYOUT_RULE_MASK) >> FIRST_BIT);
}
