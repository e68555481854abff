import type { ModeName } from "../../../examples/spin/modes.ts";
import { droppingWitness, framesWitness } from "./frames_witness.ts";
import { pngWitness } from "./png_witness.ts";
import { webWitness } from "./web_witness.ts";
import type { Witness } from "./witness.ts";
import { x11Witness } from "./x11_witness.ts";

/** Options for opening a witness. */
export interface WitnessOptions {
  /** One frame in so many is kept. */
  readonly every: number;
  readonly width: number;
  readonly height: number;
  readonly mode: ModeName;
}

const WITNESSES = {
  frames: ({ every, mode }: WitnessOptions) => framesWitness(every, mode === "mailbox"),
  drop: droppingWitness,
  x11: ({ width, height }: WitnessOptions) => x11Witness(width, height),
  web: ({ mode }: WitnessOptions) => webWitness(mode),
  png: ({ every }: WitnessOptions) => pngWitness(every),
} satisfies Record<string, (options: WitnessOptions) => Witness | Promise<Witness>>;

/** Names of the kinds of consumers. */
export type WitnessName = keyof typeof WITNESSES;

/** All of them. */
export const WITNESS_NAMES: readonly string[] = Object.keys(WITNESSES);

/** Whether a text names one. */
export function isWitnessName(text: string): text is WitnessName {
  return Object.hasOwn(WITNESSES, text);
}

/** Opens one. */
export async function openWitness(name: WitnessName, options: WitnessOptions): Promise<Witness> {
  return await WITNESSES[name](options);
}
