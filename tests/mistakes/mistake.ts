/** A mistake that people make, and what they read. */
export interface Mistake {
  /** The mistake in words, as the page's title has it. */
  readonly title: string;
  /** The mistake: one expression of the program. */
  readonly code: string;
  /** The essential words of `deno check`, in order. */
  readonly check: readonly string[];
  /** The essential words of the error when the program runs unchecked; without them, the page says why there are none. */
  readonly thrown: readonly string[] | { readonly unseen: string };
  /** The right expression to write instead. */
  readonly instead: string;
}
