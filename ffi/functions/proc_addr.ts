import { NativeBlock } from "../block.ts";
import type { CheckText, FarewellSpec, ProcAddrSpec } from "../emit/emitter.ts";
import { LOOKUP, PROC } from "../emit/layout.ts";
import { connectChecks, type HandleTexts, reserveChecks } from "./handle_check.ts";
import { emitterForThisMachine, loadEmitted } from "../image/emitted.ts";
import { LookupTable } from "./lookup_table.ts";
import { publish64 } from "../machine.ts";

/** How a command is answered for by {@linkcode ProcAddr}. */
export interface Proc {
  /** The command. */
  readonly name: string;
  /** What GetInstanceProcAddr answers. */
  readonly answer: bigint;
  /** It answers so only if the pointer at this byte offset of the instance's table is not NULL; {@linkcode ALWAYS}. */
  readonly instance: number;
  /** Whether it answers so without an instance, too. Default false. */
  readonly bare?: boolean;
  /** GetDeviceProcAddr answers the pointer at this byte offset of the device's table; 0 for NULL. */
  readonly device: number;
}

/**
 * A vkGetInstanceProcAddr and a vkGetDeviceProcAddr in machine code, and what
 * else of an instance's and a device's life needs no TypeScript. Native code
 * may call all of it from any thread. It stays for the life of the process.
 */
export interface ProcAddr {
  /**
   * Address of the first. A handle of NULL gets only the answers that are given
   * always; names not known are passed on to the handle's own.
   */
  readonly ofInstance: bigint;
  /** Address of the second, which looks only into the device's table. */
  readonly ofDevice: bigint;
  /** Address of a terminator that was asked for. */
  farewell(name: string): bigint;
  /** Changes what GetInstanceProcAddr answers for a known name, and for which instances, while native code may be asking. */
  set(name: string, answer: bigint, instance: number): void;
}

/** In the place of an offset in an instance's table: for every instance. */
export const ALWAYS = -1;

/** Where, in dispatch tables, {@linkcode ProcAddr} looks beside the places of the commands. */
export type ProcAddrMisses = Omit<ProcAddrSpec, "record" | "handles">;

/** What {@linkcode ProcAddr} says of instances and devices that are none. */
export interface ProcAddrChecks {
  /** The texts. */
  readonly texts: HandleTexts;
  /** The names of the two functions and their parameters in them. */
  readonly of: Readonly<Record<"instance" | "device", CheckText>>;
}

/**
 * Emits both functions, which know these commands, and terminators; `undefined`
 * where emitted code cannot be used. With `checks` a handle that is none ends
 * the process; else every handle must be one.
 */
export function createProcAddr(
  misses: ProcAddrMisses,
  procs: readonly Proc[],
  { farewells = [], checks }: { farewells?: readonly FarewellSpec[]; checks?: ProcAddrChecks } = {},
): ProcAddr | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  const record = emitter.code.reserve(LOOKUP.size);
  const slots = checks && reserveChecks(emitter.code);
  emitter.procAddr({ ...misses, record, handles: slots && { slots, texts: checks.of } });
  for (const spec of farewells) emitter.farewell(spec);
  const image = loadEmitted(emitter);
  if (!image) return;
  if (slots) connectChecks(image, slots, checks.texts);
  const records = new NativeBlock(PROC.size * procs.length), places = new Map<string, number>();
  const table = tableOf(procs, records, places);
  publish64(image.dataAddress + BigInt(record + LOOKUP.table), table.block.address);
  return {
    ofInstance: image.address("getInstanceProcAddr"),
    ofDevice: image.address("getDeviceProcAddr"),
    farewell: (name) => image.address(name),
    set(name, answer, instance) {
      const at = places.get(name)!;
      records.view.setInt32(at + PROC.instance, instance, true);
      records.view.setBigUint64(at + PROC.answer, answer, true);
    },
  };
}

/** Writes the records, notes their places by name, and makes the table that leads to them. */
function tableOf(procs: readonly Proc[], records: NativeBlock, places: Map<string, number>): LookupTable {
  const table = new LookupTable(procs.length, procs.reduce((bytes, { name }) => bytes + name.length + 1, 0));
  const { view } = records;
  procs.forEach(({ name, answer, instance, device, bare }, index) => {
    const at = PROC.size * index;
    view.setBigUint64(at + PROC.answer, answer, true);
    view.setInt32(at + PROC.instance, instance, true);
    view.setUint32(at + PROC.bare, bare ? 1 : 0, true);
    view.setUint32(at + PROC.device, device, true);
    table.set(name, records.address + BigInt(at));
    places.set(name, at);
  });
  return table;
}
