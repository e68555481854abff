import type { Field } from "../layout/layout.ts";

/** What generated code needs beside the helpers: returns the name under which a codec or a member's closure will be known. */
export interface Needs {
  /** The codec of a struct. */
  codec(name: string): string;
  /** The writer of one member. */
  writer(field: Field): string;
  /** The length of an array member, where it is more than a count. */
  needed(field: Field): string;
  /** The reader of one member. */
  reader(field: Field): string;
  /** The guard of one member; empty when it has none. */
  guard(field: Field): string;
  /** What the struct tells a member; empty when nothing. */
  context(field: Field): string;
}
