import { declareStamps, stampAddress } from "../../../ffi/functions/stamp.ts";
import { DEVICE_STAMPS, INSTANCE_STAMPS, stampSpecs } from "./stamp_specs.ts";

/** How many hidden slots a table of each level needs. */
export const HIDDEN_SLOTS = { instance: INSTANCE_STAMPS.length, device: DEVICE_STAMPS.length } as const;

/** One stamped command: the machine code in its place, and the hidden slot that the code calls. */
export interface Stamp {
  /** The command's name. */
  readonly name: string;
  /** Address of the terminator. */
  readonly address: bigint;
  /** Index of the hidden slot that must hold the next element's pointer. */
  readonly hidden: number;
}

let declared = false;

/** Declares the terminators of this loader, which are in the image made beforehand. */
export function declareImage(): void {
  if (declared) return;
  declared = true;
  declareStamps(stampSpecs());
}

const addressed = new Map<string, readonly Stamp[]>();

/** The stamped commands of a level. */
export function stampsOf(level: "instance" | "device"): readonly Stamp[] {
  let stamps = addressed.get(level);
  if (!stamps) {
    const specs = level === "instance" ? INSTANCE_STAMPS : DEVICE_STAMPS;
    stamps = specs.map(({ name }, hidden) => ({ name, address: stampAddress(name), hidden }));
    addressed.set(level, stamps);
  }
  return stamps;
}
