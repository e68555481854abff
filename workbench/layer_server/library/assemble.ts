import { writeElf } from "../../../ffi/asm/elf.ts";
import type { Label } from "../../../ffi/asm/code.ts";
import type { Emitter } from "../../../ffi/emit/emitter.ts";
import { type Processor, stackedArguments } from "../commands.ts";
import { Constants, nameTable } from "./constants.ts";
import { type ChannelPlace, type FunctionName, HIDDEN, type Parts } from "./parts.ts";

/** The system and the interface that a layer library is for. */
export interface LibrarySpec {
  /** The processor. */
  readonly processor: Processor;
  /** The place of the channel. Absent: the library only passes calls on. */
  readonly place?: ChannelPlace;
}

/** The differences between the libraries of two interfaces. */
export interface LibraryInterface {
  /** The file's name, which the library states as its SONAME. */
  readonly file: string;
  /** The names of all commands, by number. */
  readonly names: readonly string[];
  /** Bytes of the library's own data. */
  readonly dataSize: number;
  /** Whether the library stays loaded when a program unloads it. */
  readonly stays: boolean;
  /** Whether a command is a function of the library that programs find, too. Default: none is. */
  isExported?(name: string): boolean;
  /** Returns the signature of a command. */
  signatureOf(name: string): string;
  /** Writes all functions but the invoker and those that capture calls. */
  write(parts: Parts): void;
}

/** Assembles a layer library: a shared object that needs no other library. */
export async function assembleLibrary(
  { processor, place }: LibrarySpec,
  own: LibraryInterface,
): Promise<Uint8Array<ArrayBuffer>> {
  const emitter = await emitterFor(processor), { code } = emitter, routine = emitter.routine();
  const { names } = own, table = nameTable(names), constants = new Constants(code);
  const functions = new Proxy({} as Record<FunctionName, Label>, {
    get: (known, name: FunctionName) => known[name] ??= code.label(),
  });
  const parts: Parts = {
    code: routine,
    written: code,
    constants,
    names,
    nameTable: constants.bytes(table.bytes),
    namePlaces: constants.bytes(new Uint8Array(new Uint32Array(table.places).buffer)),
    data: code.reserve(own.dataSize, 16),
    place,
    functions,
  };
  exportCommands(parts, own);
  writeShared(parts, emitter, names.map((name) => stackedArguments(own.signatureOf(name), processor)));
  own.write(parts);
  constants.write();
  const finish = code.exported.find(({ name }) => name === HIDDEN + LEAVE)?.offset;
  keepExported(emitter);
  return writeElf(code, own.file, { stays: own.stays, finish }).bytes;
}

/** The function that the linker calls when the program ends, if there is one. */
const LEAVE: FunctionName = "leave";

/** The functions that capture calls come next, one behind the other. */
function exportCommands({ written }: Parts, { names, isExported }: LibraryInterface): void {
  written.alignEntry();
  names.forEach((name, number) => {
    if (isExported?.(name)) written.exported.push({ name, offset: written.length + (number << CAPTURE_SHIFT) });
  });
}

function writeShared({ code, written, functions }: Parts, emitter: Emitter, stackCounts: readonly number[]): void {
  written.alignEntry();
  code.place(functions.captures);
  emitter.captures({ stackCounts, to: functions.capture });
  written.alignEntry();
  code.place(functions.invoke);
  emitter.invoke();
}

/** Bytes of a function that captures calls, as a power of two. */
const CAPTURE_SHIFT = 4;

/** Leaves other functions without a name, because a program has names of its own. */
function keepExported({ code }: Emitter): void {
  const kept = code.exported.filter(({ name }) => !name.startsWith(HIDDEN) && !SHARED.includes(name));
  code.exported.splice(0, code.exported.length, ...kept);
}

/** The names of the functions that all images have. */
const SHARED = ["captures", "invoke"];

/** Returns the emitter for a processor. Only that one is loaded. */
export async function emitterFor(processor: Processor): Promise<Emitter> {
  if (processor === "x86_64") return (await import("../../../ffi/emit/x64/emitter.ts")).x64Emitter();
  return (await import("../../../ffi/emit/a64/emitter.ts")).a64Emitter();
}
