import { commandSignature } from "../../../loader/command/plan.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";
import { numberedCommands, OWN } from "../commands.ts";
import { LIBRARY_FILE } from "../manifest.ts";
import { assembleLibrary, type LibrarySpec } from "./assemble.ts";
import { writeConversation } from "./call.ts";
import { writeCapture } from "./capture.ts";
import { writeConnection } from "./connect.ts";
import { writeFind } from "./find.ts";
import { writeLifetime } from "./lifetime.ts";
import { writeLists } from "./lists.ts";
import { type Parts, PRIVATE_SIZE } from "./parts.ts";
import { writeProcAddr } from "./proc_addr.ts";

/** The exported functions, besides the negotiation. */
const EXPORTED = OWN.filter((name) => /ProcAddr$|Properties$/.test(name));

/**
 * Writes the layer library: a shared object that needs no other library, and passes on all calls that no layer hooks.
 */
export function writeLibrary(spec: LibrarySpec): Promise<Uint8Array<ArrayBuffer>> {
  return assembleLibrary(spec, {
    file: LIBRARY_FILE,
    names: numberedCommands(),
    dataSize: PRIVATE_SIZE,
    stays: false,
    signatureOf: (name) => commandSignature(findCommand(name)!, "raw"),
    write: writeCode,
  });
}

function writeCode(parts: Parts): void {
  const { code, written, functions } = parts;
  written.alignEntry();
  code.place(functions.own);
  for (const name of OWN) {
    written.alignEntry();
    code.jump(functions[`own ${name}`]);
  }
  const all = [writeFind, writeConnection, writeConversation, writeCapture, writeLists, writeLifetime, writeProcAddr];
  for (const write of all) write(parts);
  for (const name of EXPORTED) {
    written.begin(name);
    code.jump(functions[`own ${name}`]);
  }
}
