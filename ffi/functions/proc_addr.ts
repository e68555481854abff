import { NativeBlock } from "../block.ts";
import type { CheckText, ProcAddrSpec } from "../emit/emitter.ts";
import type { Routine } from "../emit/routine.ts";
import { LOOKUP, PROC } from "../emit/layout.ts";
import { connectChecks, type HandleTexts, reserveChecks } from "./exported.ts";
import { emitterForThisMachine, loadEmitted } from "../image/image.ts";
import { LookupTable } from "./lookup.ts";
import { publish64 } from "../machine.ts";

/** The answers of {@linkcode ProcAddr} for one command. */
export interface Proc {
  /** The command's name. */
  readonly name: string;
  /** The address that GetInstanceProcAddr returns. */
  readonly answer: bigint;
  /**
   * GetInstanceProcAddr returns `answer` only if the pointer at this byte
   * offset of the instance's table is not NULL. {@linkcode ALWAYS}: for every
   * instance.
   */
  readonly instance: number;
  /** Whether GetInstanceProcAddr returns `answer` for a NULL instance, too. Default false. */
  readonly bare?: boolean;
  /** GetDeviceProcAddr returns the pointer at this byte offset of the device's table. With 0 it returns NULL. */
  readonly device: number;
}

/**
 * A vkGetInstanceProcAddr and a vkGetDeviceProcAddr in machine code, with those
 * terminators of instances and devices that need no TypeScript. Native code may
 * call all of them from any thread. They stay for the life of the process.
 */
export interface ProcAddr {
  /**
   * Address of the vkGetInstanceProcAddr. For a NULL instance, only commands
   * with `bare` have an answer. Unknown names are passed to the instance's own
   * function.
   */
  readonly ofInstance: bigint;
  /** Address of the vkGetDeviceProcAddr, which reads only the device's table. */
  readonly ofDevice: bigint;
  /** Address of a function that was written beside them; see {@linkcode ProcAddrExtras.beside}. */
  beside(name: string): bigint;
  /**
   * Changes the address that GetInstanceProcAddr returns for a known name, and
   * for which instances. Safe while native code is asking.
   */
  set(name: string, answer: bigint, instance: number): void;
}

/** Stands for every instance, in place of an offset in the instance's table. */
export const ALWAYS = -1;

/** The offsets in dispatch tables that {@linkcode ProcAddr} reads beside those of the commands. */
export type ProcAddrMisses = Omit<ProcAddrSpec, "record" | "handles">;

/** The messages of {@linkcode ProcAddr} about arguments that are not instances or devices. */
export interface ProcAddrChecks {
  /** The texts in native memory. */
  readonly texts: HandleTexts;
  /** The places, in the texts, of the names of the two functions and of their parameters. */
  readonly of: Readonly<Record<"instance" | "device", CheckText>>;
}

/** Further abilities of {@linkcode createProcAddr}. */
export interface ProcAddrExtras {
  /** Writes more functions, which have their names from it. */
  readonly beside?: (routine: Routine) => void;
  /** Makes an argument that is not a handle end the process. Without this option, every argument must be a handle. */
  readonly checks?: ProcAddrChecks;
}

/**
 * Emits both functions, which know these commands; `undefined`
 * where emitted code cannot be used.
 */
export function createProcAddr(
  misses: ProcAddrMisses,
  procs: readonly Proc[],
  { beside, checks }: ProcAddrExtras = {},
): ProcAddr | undefined {
  const emitter = emitterForThisMachine();
  if (!emitter) return;
  const record = emitter.code.reserve(LOOKUP.size);
  const slots = checks && reserveChecks(emitter.code);
  emitter.procAddr({ ...misses, record, handles: slots && { slots, texts: checks.of } });
  beside?.(emitter.routine());
  const image = loadEmitted(emitter);
  if (!image) return;
  if (slots) connectChecks(image, slots, checks.texts);
  const records = new NativeBlock(PROC.size * procs.length), places = new Map<string, number>();
  const table = tableOf(procs, records, places);
  publish64(image.dataAddress + BigInt(record + LOOKUP.table), table.block.address);
  return {
    ofInstance: image.address("getInstanceProcAddr"),
    ofDevice: image.address("getDeviceProcAddr"),
    beside: (name) => image.address(name),
    set(name, answer, instance) {
      const at = places.get(name)!;
      records.view.setInt32(at + PROC.instance, instance, true);
      records.view.setBigUint64(at + PROC.answer, answer, true);
    },
  };
}

/** Writes the records, stores their places by name, and makes the table that points to them. */
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
