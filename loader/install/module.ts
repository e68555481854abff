import { type ExportedFunctions, type ExportedLibrary, exportLibrary } from "../../ffi/functions/exported.ts";
import { InstalledLibraries } from "../../ffi/functions/installed.ts";
import type { CheckedTrampolineSpec } from "../../ffi/emit/emitter.ts";
import { returning } from "../../ffi/thunk/thunk.ts";
import { exportBy } from "../chain/installed.ts";
import { tableLayout } from "../chain/table/table_layout.ts";
import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";
import type { LoaderSurface } from "./exports.ts";
import { answerWith, GLOBAL_COMMANDS, handleTexts, procAddr } from "./proc_addr.ts";
import { VK_ERROR_INCOMPATIBLE_DRIVER } from "../gen/native_gen.ts";

/** The names by which native code opens a Vulkan loader: that of programs, and that of the development package. */
const SONAMES = ["libvulkan.so.1", "libvulkan.so"] as const;
/** Commands whose first argument may be NULL, by the specification or by old custom. */
const NULLABLE: readonly string[] = ["vkDestroyInstance", "vkDestroyDevice", "vkGetDeviceProcAddr"];
const GET_INSTANCE_PROC_ADDR = "vkGetInstanceProcAddr";
/** Advice for a name that is taken. */
const ADVICE = "call install() before anything that opens or links Vulkan";

/** The libraries of this process. They are kept while native code may hold them. */
const installed = new InstalledLibraries({
  name: "Vulkan",
  refusal: () => returning("s:", VK_ERROR_INCOMPATIBLE_DRIVER),
});
/** Functions that vkGetInstanceProcAddr returns but no library exports. */
const others = new Map<LoaderSurface, ExportedLibrary>();
/**
 * The surface of the first library, which may be held from an earlier
 * installation, and the surface whose rules vkGetInstanceProcAddr follows.
 */
let exported: LoaderSurface | undefined, answered: LoaderSurface | undefined;

/**
 * Lets native code that opens or links `libvulkan.so.1` or `libvulkan.so` find
 * these global commands. Returns a function that removes them again. Throws as
 * {@linkcode InstalledLibraries.connect} does.
 */
export function connectModule(globals: ReadonlyMap<string, bigint>, surface: LoaderSurface): () => void {
  const libraries = SONAMES.map((soname) => ({ soname, commands: GLOBAL_COMMANDS, make: () => make(soname, surface) }));
  const disconnect = installed.connect(libraries, (name) => globals.get(name)!, ADVICE);
  if (answered !== surface) giveOut(surface);
  exportBy(addressOf);
  return disconnect;
}

/** Makes a library with what the surface exports. The surface of the first library decides what others must answer. */
function make(soname: string, surface: LoaderSurface): ExportedLibrary | undefined {
  const functions = procAddr(), names = surface.exported.filter((name) => !isGlobal(name));
  const library = functions && exportLibrary({ soname, ...trampolines(names), slots: slots() });
  library?.set(GET_INSTANCE_PROC_ADDR, functions!.ofInstance);
  if (soname === SONAMES[0]) {
    exported = surface;
    answered = undefined;
  }
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
function giveOut(surface: LoaderSurface): void {
  const library = installed.library(SONAMES[0])!;
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
  const isExported = installed.isConnected && exported!.exported.includes(name);
  return isExported ? installed.library(SONAMES[0])!.address(name) : 0n;
}

function isGlobal(name: string): boolean {
  return name === GET_INSTANCE_PROC_ADDR || (GLOBAL_COMMANDS as readonly string[]).includes(name);
}
