import { NameBlob } from "../../../ffi/machine.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";

const blobs = new Map<string, NameBlob>();

/** The command names of a level as native memory, made at the first use and kept for the life of the process. */
export function namesOf(level: "instance" | "device"): NameBlob {
  let blob = blobs.get(level);
  if (!blob) blobs.set(level, blob = new NameBlob(level === "instance" ? INSTANCE_NAMES : DEVICE_NAMES));
  return blob;
}
