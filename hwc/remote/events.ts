import type { ComposerCallbacks } from "../composer_records.ts";
import { type Codec, type Codecs, COUNT, ID, INT, TIME } from "./wire/codec.ts";
import { TIMELINE } from "./wire/records.ts";

type Shapes = { readonly [Descriptor in keyof ComposerCallbacks]: Codecs<Parameters<ComposerCallbacks[Descriptor]>> };

const EVENTS: Shapes = {
  1: [ID, INT],
  2: [ID],
  3: [ID, TIME],
  4: [ID, TIME, COUNT],
  5: [ID, TIMELINE],
  6: [ID],
  100: [ID],
  101: [ID, COUNT],
};

/** Returns the codec of a callback's arguments by descriptor; `undefined` for an unknown descriptor. */
export function eventShape(descriptor: number): readonly Codec<unknown>[] | undefined {
  return (EVENTS as unknown as Record<number, readonly Codec<unknown>[]>)[descriptor];
}
