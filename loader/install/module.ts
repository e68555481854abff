import { NativeError } from "../../ffi/error.ts";
import { type ExportedFunctions, type ExportedLibrary, exportLibrary } from "../../ffi/functions/exported.ts";
import type { CheckedTrampolineSpec } from "../../ffi/emit/emitter.ts";
import { libcAddress } from "../../ffi/libc.ts";
import { Library, RTLD_NOLOAD, RTLD_NOW } from "../../ffi/library/library.ts";
import { inFrame } from "../../ffi/arena.ts";
import { readCString } from "../../ffi/cstring.ts";
import { invokeAddress } from "../../ffi/machine.ts";
import { returning } from "../../ffi/thunk/thunk.ts";
import { exportBy } from "../chain/exported_address.ts";
import { tableLayout } from "../chain/table/table_layout.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";
import type { LoaderSurface } from "./exports.ts";
import { handleTexts } from "./handle_texts.ts";
import { answerWith, GLOBAL_COMMANDS, procAddr } from "./proc_addr.ts";
import { VK_ERROR_INCOMPATIBLE_DRIVER } from "../gen/native_gen.ts";

/** The names by which native code opens a Vulkan loader: that of programs, and that of the development package. */
const SONAMES = ["libvulkan.so.1", "libvulkan.so"] as const;
/** Commands whose first argument may be NULL, by the specification or by old custom. */
const NULLABLE: readonly string[] = ["vkDestroyInstance", "vkDestroyDevice", "vkGetDeviceProcAddr"];
const GET_INSTANCE_PROC_ADDR = "vkGetInstanceProcAddr";

/** The libraries of this process by name. They are kept while native code may hold them. */
const libraries = new Map<string, ExportedLibrary>();
/** Functions that vkGetInstanceProcAddr returns but no library exports. */
const others = new Map<LoaderSurface, ExportedLibrary>();
/**
 * The surface of the first library, which may be held from an earlier
 * installation, and the surface whose rules vkGetInstanceProcAddr follows.
 */
let exported: LoaderSurface | undefined, answered: LoaderSurface | undefined;
/** The function in the place of all global commands while no loader is installed. */
let refusal: bigint | undefined;
let connected = false;

/**
 * Lets native code that opens or links `libvulkan.so.1` or `libvulkan.so` find
 * these global commands. Returns a function that removes them again. Throws a
 * {@linkcode NativeError}: `already-loaded` if the names are taken,
 * `unsupported` where emitted code cannot be used.
 */
export function connectModule(globals: ReadonlyMap<string, bigint>, surface: LoaderSurface): () => void {
  if (connected) {
    throw new NativeError("already-loaded", "Cannot install a second Vulkan loader: call uninstall() on the first one");
  }
  if (!procAddr()) {
    throw new NativeError(
      "unsupported",
      "Cannot install the Vulkan loader: emitted code cannot be used here; allow executable memory or temporary files",
    );
  }
  loadMissing(surface);
  point((name) => globals.get(name)!);
  exportBy(addressOf);
  connected = true;
  return disconnect;
}

function disconnect(): void {
  connected = false;
  point(() => refusal ??= returning("s:", VK_ERROR_INCOMPATIBLE_DRIVER));
  unloadAll();
}

/** Unloads all libraries, and forgets those that are gone. */
function unloadAll(): void {
  for (const [soname, library] of libraries) if (library.unload()) libraries.delete(soname);
}

/** Sets the global commands of all libraries to the addresses that `find` returns. */
function point(find: (name: string) => bigint): void {
  for (const library of libraries.values()) for (const name of GLOBAL_COMMANDS) library.set(name, find(name));
}

/** Loads the missing libraries, and opens those again that native code has kept. */
function loadMissing(surface: LoaderSurface): void {
  const missing = SONAMES.filter((soname) => !libraries.get(soname)?.reload());
  for (const soname of missing) libraries.delete(soname);
  try {
    missing.forEach(checkFree);
  } catch (error) {
    unloadAll();
    throw error;
  }
  for (const soname of missing) libraries.set(soname, load(soname, surface));
  if (missing.includes(SONAMES[0])) exported = surface;
  if (missing.includes(SONAMES[0]) || answered !== surface) giveOut(libraries.get(SONAMES[0])!, surface);
}

function load(soname: string, surface: LoaderSurface): ExportedLibrary {
  const names = surface.exported.filter((name) => !isGlobal(name));
  const library = exportLibrary({ soname, ...trampolines(names), slots: slots() })!;
  library.set(GET_INSTANCE_PROC_ADDR, procAddr()!.ofInstance);
  return library;
}

function slots(): [string, bigint][] {
  return [...GLOBAL_COMMANDS, GET_INSTANCE_PROC_ADDR].map((name) => [name, 0n]);
}

/**
 * A jump through the front of the first argument's table for each command. An
 * argument that is not a handle ends the process, as with the Khronos loader,
 * because nobody knows what a driver would do with it.
 */
function trampolines(names: readonly string[]): Pick<ExportedFunctions, "checkedTrampolines"> {
  const { texts, of } = handleTexts(), places = frontPlaces();
  const specs = names.map((name): CheckedTrampolineSpec => {
    const { level, offset } = places.get(name)!;
    return { name, tableOffset: offset, set: level, isNullable: NULLABLE.includes(name), text: of(level, name) };
  });
  return { checkedTrampolines: { texts, specs } };
}

/**
 * The place of each command's entrance: the kind of table and the offset. The
 * names are in slot order, because looking each up would be slower.
 */
function frontPlaces(): Map<string, { level: "instance" | "device"; offset: number }> {
  const levels = { instance: INSTANCE_NAMES, device: DEVICE_NAMES };
  return new Map((["instance", "device"] as const).flatMap((level) => {
    const { front } = tableLayout(level);
    return levels[level].split(" ").map((name, slot) => [name, { level, offset: 8 * (front + slot) }] as const);
  }));
}

/** Lets vkGetInstanceProcAddr answer with the library's exports, and with functions of our own for all other names. */
function giveOut(library: ExportedLibrary, surface: LoaderSurface): void {
  const names = new Set(exported!.exported), rest = othersThan(exported!, names);
  answerWith((name) => (names.has(name) ? library : rest).address(name), surface);
  answered = surface;
}

/**
 * Returns the functions that a library with this surface does not export. They
 * are kept, because native code may hold them.
 */
function othersThan(surface: LoaderSurface, exported: ReadonlySet<string>): ExportedLibrary {
  let library = others.get(surface);
  if (!library) {
    const rest = `${INSTANCE_NAMES} ${DEVICE_NAMES}`.split(" ").filter((name) => !exported.has(name));
    others.set(surface, library = exportLibrary(trampolines(rest))!);
  }
  return library;
}

/**
 * Returns the address at which the installed library exports a command; 0n if
 * no loader is installed or the command is not exported.
 */
function addressOf(name: string): bigint {
  return connected && exported!.exported.includes(name) ? libraries.get(SONAMES[0])!.address(name) : 0n;
}

function isGlobal(name: string): boolean {
  return name === GET_INSTANCE_PROC_ADDR || (GLOBAL_COMMANDS as readonly string[]).includes(name);
}

/** The dynamic linker keeps the first library of a name, so that library must be ours. */
function checkFree(soname: string): void {
  let found: Library;
  try {
    found = Library.open(soname, RTLD_NOW | RTLD_NOLOAD);
  } catch {
    return;
  }
  const path = pathOf(found.find("vkCreateInstance")) || soname;
  found.close();
  throw new NativeError(
    "already-loaded",
    `Cannot install the Vulkan loader as "${soname}": this process has loaded "${path}" already; ` +
      "call install() before anything that opens or links Vulkan",
    { path },
  );
}

/** Returns the file of a function, from dladdr; `""` if it is unknown. */
function pathOf(address: bigint): string {
  return inFrame((memory) => {
    const info = memory.alloc(32); // Dl_info
    memory.bytes.fill(0, info, info + 32);
    invokeAddress(libcAddress("dladdr"), "s:qo", [address, info]); // int dladdr(const void *, Dl_info *)
    return readCString(memory.view.getBigUint64(info, true));
  });
}
