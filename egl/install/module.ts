import { NativeError } from "../../ffi/error.ts";
import { type ExportedLibrary, exportLibrary } from "../../ffi/functions/exported.ts";
import { Library, RTLD_NOLOAD, RTLD_NOW } from "../../ffi/library/library.ts";
import { returning } from "../../ffi/thunk/thunk.ts";
import { CLIENT_LIBRARIES, type ClientLibrary } from "./libraries.ts";

/** What a library of ours exports beside the commands: another isolate knows by it whose the library is. */
const MARK = "pumice_egl_installed";

/** The libraries of this process by name, once there are any; kept while native code may hold them. */
const libraries = new Map<string, { library: ExportedLibrary; names: readonly string[] }>();
/** What stands for all commands while no loader is installed. */
let refusal: bigint | undefined;
let connected = false;

/**
 * Makes native code that opens or links the client libraries find these
 * functions; returns what takes them away again. Throws a
 * {@linkcode NativeError}: `already-loaded` when a name is taken, with what
 * `advice` says, `unsupported` where emitted code cannot be used.
 */
export function connectModule(find: (name: string) => bigint, advice: string): () => void {
  if (connected) {
    throw new NativeError("already-loaded", "Cannot install a second EGL loader: call uninstall() on the first one");
  }
  const missing = CLIENT_LIBRARIES.flatMap(wanted).filter(({ soname }) => !libraries.get(soname)?.library.reload());
  for (const { soname } of missing) libraries.delete(soname);
  try {
    for (const { soname, names } of missing) load(soname, names, advice);
    point(find);
  } catch (error) {
    disconnect();
    throw error;
  }
  connected = true;
  return disconnect;
}

/** The libraries by all their names; those without a version only where nothing else has them. */
function wanted({ soname, unversioned, names }: ClientLibrary): { soname: string; names: readonly string[] }[] {
  const all = names(), isFree = libraries.has(unversioned) || !loaded(unversioned, () => true);
  return [soname, ...isFree ? [unversioned] : []].map((each) => ({ soname: each, names: all }));
}

function load(soname: string, names: readonly string[], advice: string): void {
  const taken = loaded(soname, (library) => library.find(MARK) === 0n ? TAKEN + advice : INSTALLED);
  if (taken) {
    throw new NativeError("already-loaded", `Cannot install the EGL loader as "${soname}": ${taken}`, { path: soname });
  }
  const library = exportLibrary({ soname, slots: [...names, MARK].map((name) => [name, 0n]) });
  if (!library) {
    throw new NativeError(
      "unsupported",
      "Cannot install the EGL loader: emitted code cannot be used here; allow executable memory or temporary files",
    );
  }
  libraries.set(soname, { library, names });
}

/** Why a name is not free. */
const TAKEN = "this process has loaded one already; ",
  INSTALLED =
    "another part of this process, such as a Worker, has installed one; call its uninstall() first, or use it";

/** Leads all commands to what `find` says. */
function point(find: (name: string) => bigint): void {
  for (const { library, names } of libraries.values()) for (const name of names) library.set(name, find(name));
}

function disconnect(): void {
  connected = false;
  refusal ??= returning("q:", 0n);
  point(() => refusal!);
  for (const [soname, { library }] of libraries) if (library.unload()) libraries.delete(soname);
}

/** What `ask` says of the library that has a name: the dynamic linker keeps the first; `undefined` where there is none. */
function loaded<T>(soname: string, ask: (library: Library) => T): T | undefined {
  try {
    using library = Library.open(soname, RTLD_NOW | RTLD_NOLOAD);
    return ask(library);
  } catch (error) {
    if (error instanceof NativeError) return undefined;
    throw error;
  }
}
