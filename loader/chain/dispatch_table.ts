import { NativeBlock } from "../../ffi/block.ts";
import { fillTable, NameBlob } from "../../ffi/machine.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";

/** Bytes of one function pointer. */
const POINTER = 8;

/**
 * The table word 0 of a dispatchable handle points at: one function pointer
 * per command, in slot order, then hidden slots only the chain's own machine
 * code reads. Its address is also the key by which layers know the object.
 */
export class DispatchTable implements Disposable {
  readonly #memory: NativeBlock;
  readonly #names: NameBlob;

  /** A table of all instance-level or all device-level commands, still empty, with `hidden` extra slots. */
  constructor(level: "instance" | "device", hidden: number) {
    this.#names = namesOf(level);
    this.#memory = new NativeBlock(POINTER * (this.#names.count + hidden));
  }

  /** The address to store in word 0 of handles. */
  get address(): bigint {
    return this.#memory.address;
  }

  /** Asks `getProcAddr(handle, name)` for every command, in one native loop. */
  fill(getProcAddr: bigint, handle: bigint): void {
    fillTable({ getProcAddr, handle, names: this.#names, table: this.#memory.address });
  }

  /** The pointer in a slot; 0n when there is none. */
  get(slot: number): bigint {
    return this.#memory.view.getBigUint64(POINTER * slot, true);
  }

  /** Stores a pointer in a slot. */
  set(slot: number, address: bigint): void {
    this.#memory.view.setBigUint64(POINTER * slot, address, true);
  }

  /** The slot number of a hidden slot. */
  hidden(index: number): number {
    return this.#names.count + index;
  }

  /** Frees the table. No handle may point at it any more. */
  close(): void {
    this.#memory.close();
  }

  /** Frees the table at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }
}

const blobs = new Map<string, NameBlob>();

/** The command names of a level as native memory, made at the first use and kept for the life of the process. */
function namesOf(level: "instance" | "device"): NameBlob {
  let blob = blobs.get(level);
  if (!blob) blobs.set(level, blob = new NameBlob(level === "instance" ? INSTANCE_NAMES : DEVICE_NAMES));
  return blob;
}
