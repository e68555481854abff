import { LASTING } from "../../ffi/block.ts";
import { NameBlob, textAddresses } from "../../ffi/cstring.ts";
import type { Routine } from "../../ffi/emit/routine.ts";
import type { HandleTexts } from "../../ffi/functions/exported.ts";
import { ALWAYS, createProcAddr, type Proc, type ProcAddr } from "../../ffi/functions/proc_addr.ts";
import { type TableLayout, tableLayout } from "../chain/table/table_layout.ts";
import { findCommand, FIRST_PARAMETERS, firstParameter } from "../command/registry/table.ts";
import { writeAlone } from "../emit/alone.ts";
import { type FarewellSpec, writeFarewell } from "../emit/farewell.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";
import type { LoaderSurface } from "./exports.ts";

/** The commands that need no instance. vkGetInstanceProcAddr answers for them with any instance. */
export const GLOBAL_COMMANDS = [
  "vkCreateInstance",
  "vkEnumerateInstanceVersion",
  "vkEnumerateInstanceExtensionProperties",
  "vkEnumerateInstanceLayerProperties",
] as const;

/** The command that has an answer with an instance and without one. */
const GET_INSTANCE_PROC_ADDR = "vkGetInstanceProcAddr";
/** The command that answers for device commands, including itself. */
export const GET_DEVICE_PROC_ADDR = "vkGetDeviceProcAddr";
/** Bytes of one function pointer. */
const POINTER = 8;

let made: ProcAddr | undefined;

/**
 * vkGetInstanceProcAddr and vkGetDeviceProcAddr for native callers, in machine
 * code that is made at the first call. They read the tables of the given
 * instance or device, so that one pair serves all loaders. An argument that is
 * not a handle ends the process with a message. `undefined` where emitted code
 * cannot be used.
 */
export function procAddr(): ProcAddr | undefined {
  const instance = tableLayout("instance"), device = tableLayout("device");
  return made ??= createProcAddr(
    {
      instanceMiss: POINTER * instance.below,
      deviceMiss: POINTER * device.below,
      deviceCheck: POINTER * device.front,
    },
    procs(),
    { beside: writeFarewells, checks: checks() },
  );
}

function checks() {
  const { texts, of } = handleTexts();
  return {
    texts,
    of: { instance: of("instance", GET_INSTANCE_PROC_ADDR), device: of("device", GET_DEVICE_PROC_ADDR) },
  };
}

function writeFarewells(routine: Routine): void {
  const alone = writeAlone(routine);
  writeFarewell(routine, farewell("vkDestroyInstance", tableLayout("instance")), alone);
  writeFarewell(routine, farewell("vkDestroyDevice", tableLayout("device")), alone);
}

/**
 * A function in place of a destroying command where no TypeScript can run. The
 * function notes in the table what TypeScript must know.
 */
function farewell(name: string, { gone, kept, alone }: TableLayout): FarewellSpec {
  return {
    name,
    offset: POINTER * findCommand(name)!.slot,
    noteOffset: POINTER * gone,
    keptOffset: POINTER * kept,
    aloneOffset: POINTER * alone,
  };
}

/**
 * Makes vkGetInstanceProcAddr answer with `find`: for every instance if the
 * surface says so, otherwise if the instance's table has the command.
 */
export function answerWith(find: (name: string) => bigint, { always }: LoaderSurface): void {
  const { set } = procAddr()!;
  for (const { name, instance } of procs()) {
    const everywhere = always.has(name) && !isGlobal(name);
    set(name, find(name), everywhere || name === GET_INSTANCE_PROC_ADDR ? ALWAYS : instance);
  }
}

/** Whether a command can be queried without an instance. */
function isGlobal(name: string): boolean {
  return (GLOBAL_COMMANDS as readonly string[]).includes(name);
}

function procs(): Proc[] {
  const { available } = tableLayout("instance"), { front } = tableLayout("device");
  return [...globals(), ...commands(INSTANCE_NAMES, 0, 0), ...commands(DEVICE_NAMES, available, front)];
}

function globals(): Proc[] {
  const instance = POINTER * tableLayout("instance").globals;
  return GLOBAL_COMMANDS.map((name) => ({ name, answer: 0n, instance, device: 0, bare: true }));
}

/** The slot of a device's table that has vkGetDeviceProcAddr's answer for a command. */
function slotInDevice(name: string, front: number, slot: number): number {
  return name === GET_DEVICE_PROC_ADDR ? tableLayout("device").itself : front + slot;
}

/**
 * The commands of a level. `inInstance`: the slot of an instance's table that
 * says whether a command exists. `inDevice`: the slot of a device's table that
 * has it.
 */
function commands(names: string, inInstance: number, inDevice: number): Proc[] {
  return names.split(" ").map((name, slot) => ({
    name,
    answer: 0n,
    instance: POINTER * (inInstance + slot),
    bare: name === GET_INSTANCE_PROC_ADDR,
    device: inDevice === 0 ? 0 : POINTER * slotInDevice(name, inDevice, slot),
  }));
}

/** The Khronos loader's message before it ends the process, for `dprintf`. */
const FORMAT = `${"[Vulkan Loader] ERROR:".padEnd(32)}%s: Invalid %s [VUID-%s-%s-parameter]\n`;

/** The texts about arguments that are not handles, and the offset of each name in them. */
export interface Texts {
  /** The texts. */
  readonly texts: HandleTexts;
  /** Offsets of a command's name and of its first parameter's name. */
  of(level: "instance" | "device", command: string): { readonly name: number; readonly parameter: number };
}

let madeTexts: Texts | undefined;

/** Returns the texts, made at the first call and kept for the life of the process. */
export function handleTexts(): Texts {
  return madeTexts ??= makeTexts();
}

function makeTexts(): Texts {
  const all = `${INSTANCE_NAMES} ${DEVICE_NAMES}`,
    names = new NameBlob(all, LASTING),
    parameters = new NameBlob(FIRST_PARAMETERS, LASTING);
  const [format] = textAddresses([FORMAT]);
  const name = places(all.split(" ")), parameter = places(FIRST_PARAMETERS);
  return {
    texts: { format, names: names.address, parameters: parameters.address },
    of: (level, command) => ({
      name: name.get(command)!,
      parameter: parameter.get(firstParameter(level, command))!,
    }),
  };
}

/** The offset of each name in a {@linkcode NameBlob} of the names. */
function places(names: readonly string[]): Map<string, number> {
  let at = 0;
  return new Map(names.map((name) => {
    const place = at;
    at += name.length + 1;
    return [name, place];
  }));
}
