import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";
import { EXTENSIONS } from "../gen/extensions_gen.ts";

/** A core version or an extension, and the commands that it brings. */
export interface Provider {
  /** Its name, such as `VK_VERSION_1_1` or `VK_KHR_swapchain`. */
  readonly name: string;
  /** The revision the registry has of an extension; 0 for a core version. */
  readonly specVersion: number;
  /** The C names of its commands. */
  readonly commands: readonly string[];
}

let all: ReadonlyMap<string, Provider> | undefined;

/** Every core version and extension of the registry by its name; the table is taken apart at the first call. */
export function providers(): ReadonlyMap<string, Provider> {
  return all ??= new Map(EXTENSIONS.trim().split("\n").map(parseLine).map((each) => [each.name, each]));
}

/** The core versions up to a packed API version, oldest first. */
export function coreVersions(apiVersion: number): Provider[] {
  const minor = apiVersion >>> 12 & 0x3ff;
  return Array.from({ length: minor + 1 }, (_, each) => providers().get(`VK_VERSION_1_${each}`)).filter((each) =>
    !!each
  );
}

function parseLine(line: string): Provider {
  const [name, , , specVersion, , , ...slots] = line.split(" ");
  return { name, specVersion: Number(specVersion), commands: slots.map(commandName) };
}

let tables: Record<string, string[]> | undefined;

/** A slot such as `i4` or `d77`, or a global command by its name. */
function commandName(slot: string): string {
  tables ??= { i: INSTANCE_NAMES.split(" "), d: DEVICE_NAMES.split(" ") };
  return /^[id]\d/.test(slot) ? tables[slot[0]][Number(slot.slice(1))] : slot;
}
