import { exportLibrary } from "../../ffi/functions/exported.ts";
import { InstalledLibraries, type InstalledLibrary } from "../../ffi/functions/installed.ts";
import { returning } from "../../ffi/thunk/thunk.ts";
import { CLIENT_LIBRARIES, type ClientLibrary } from "./libraries.ts";

/** The libraries of this process, kept while native code may hold them. */
const installed = new InstalledLibraries({ name: "EGL", refusal: () => returning("q:", 0n) });

/**
 * Lets native code that opens or links the client libraries find these functions. Returns a function that undoes this.
 * Throws as {@linkcode InstalledLibraries.connect} does.
 */
export function connectModule(find: (name: string) => bigint, advice: string): () => void {
  return installed.connect(CLIENT_LIBRARIES.flatMap(wanted), find, advice);
}

/** The libraries under all their names. A name without a version is used only if no other library has it. */
function wanted({ soname, unversioned, names }: ClientLibrary): InstalledLibrary[] {
  const commands = names();
  return [soname, unversioned].map((each) => ({
    soname: each,
    isOptional: each === unversioned,
    commands,
    make: () => exportLibrary({ soname: each, slots: commands.map((name) => [name, 0n]) }),
  }));
}
