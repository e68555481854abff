import { writeElf } from "../../../ffi/asm/elf.ts";
import type { Label } from "../../../ffi/asm/code.ts";
import type { Emitter } from "../../../ffi/emit/emitter.ts";
import { numberedCommands, OWN, type Processor, stackCounts } from "../commands.ts";
import { LIBRARY_FILE } from "../manifest.ts";
import { writeCall } from "./call.ts";
import { writeConnection } from "./connect.ts";
import { Constants } from "./constants.ts";
import { writeFind } from "./find.ts";
import { writeLifetime } from "./lifetime.ts";
import { writeLists } from "./lists.ts";
import { nameTable } from "./names.ts";
import { type ChannelPlace, type FunctionName, type Parts, PRIVATE_SIZE } from "./parts.ts";
import { writeProcAddr } from "./proc_addr.ts";

/** The exported functions, besides the negotiation. */
const EXPORTED = OWN.filter((name) => /ProcAddr$|Properties$/.test(name));

/** Where a layer library runs, and what for. */
export interface LibrarySpec {
  /** The processor. */
  readonly processor: Processor;
  /** Where the channel is. Absent: the library only passes calls on. */
  readonly place?: ChannelPlace;
}

/**
 * Writes the layer library: a shared object that needs no other library, and
 * passes on everything that nobody subscribed to.
 */
export async function writeLibrary({ processor, place }: LibrarySpec): Promise<Uint8Array<ArrayBuffer>> {
  const emitter = await emitterFor(processor), { code } = emitter, routine = emitter.routine();
  const names = numberedCommands(), table = nameTable(names), constants = new Constants(code);
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
    data: code.reserve(PRIVATE_SIZE, 16),
    place,
    functions,
  };
  writeCode(parts, emitter, processor);
  constants.write();
  keepExported(emitter);
  return writeElf(code, LIBRARY_FILE).bytes;
}

function writeCode(parts: Parts, emitter: Emitter, processor: Processor): void {
  const { code, written, functions, names } = parts;
  written.alignEntry();
  code.place(functions.own);
  for (const name of OWN) {
    written.alignEntry();
    code.jump(functions[`own ${name}`]);
  }
  written.alignEntry();
  code.place(functions.captures);
  emitter.captures({ stackCounts: stackCounts(names, processor), to: functions.capture });
  written.alignEntry();
  code.place(functions.invoke);
  emitter.invoke();
  for (const write of [writeFind, writeConnection, writeCall, writeLists, writeLifetime, writeProcAddr]) write(parts);
  for (const name of EXPORTED) {
    written.begin(name);
    code.jump(functions[`own ${name}`]);
  }
}

/** Other functions stay without a name: a program has names of its own. */
function keepExported({ code }: Emitter): void {
  const kept = code.exported.filter(({ name }) => name.startsWith("vk"));
  code.exported.splice(0, code.exported.length, ...kept);
}

async function emitterFor(processor: Processor): Promise<Emitter> {
  if (processor === "x86_64") return (await import("../../../ffi/emit/x64/emitter.ts")).x64Emitter();
  return (await import("../../../ffi/emit/a64/emitter.ts")).a64Emitter();
}
