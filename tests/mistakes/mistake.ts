/** A mistake that people make, and what they read. */
export interface Mistake {
  /** What is wrong, as the page's title says. */
  readonly title: string;
  /** The mistake: one expression of the program. */
  readonly code: string;
  /** The essential words of `deno check`, in order. */
  readonly check: readonly string[];
  /** The essential words of the error when the program runs unchecked; without them, the page says why there are none. */
  readonly thrown: readonly string[] | { readonly unseen: string };
  /** What to write instead: one expression. */
  readonly instead: string;
}
