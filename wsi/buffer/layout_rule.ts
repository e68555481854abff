import type { BufferRequest } from "./graphic_buffer.ts";
import type { MemoryKind } from "./memory.ts";
import { USAGE } from "./usage.ts";

/** The layout that a driver needs for a buffer. */
export interface BufferLayout {
  /** Bytes from one row to the next. */
  readonly rowPitch: number;
  /** Total size in bytes. */
  readonly size: number;
  /**
   * The kind of memory: a memfd that can be shared, anonymous memory of this process, or a dma-buf if the machine has
   * any. Default: the kind that the usage bits ask for.
   */
  readonly memory?: MemoryKind;
}

/** Asks a driver for a layout. Returns `undefined` if gralloc's own layout will do. */
export type LayoutRule = (request: BufferRequest) => BufferLayout | undefined;

/** First usage bit of a rule's number, and the largest number. */
const FIRST_BIT = 33n, MOST = USAGE.LAYOUT_RULE_MASK >> FIRST_BIT;
const rules = new Map<bigint, LayoutRule>();
let last = 0n;

/**
 * Registers a rule with gralloc. Returns usage bits that no other rule has, within {@linkcode USAGE.LAYOUT_RULE_MASK}:
 * the rule lays out every buffer that is requested with these bits. `forget` unregisters the rule.
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
