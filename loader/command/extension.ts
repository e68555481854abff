import { DEVICE_NAMES, INSTANCE_NAMES } from "../gen/command_table_gen.js";
import { EXTENSIONS } from "../gen/extensions_gen.ts";

/** A core version or an extension, as the registry states it. */
export interface Extension {
  /** Its name: `VK_VERSION_1_1` for a core version. */
  readonly name: string;
  /** Whether it is a core version, or which level it is enabled at. */
  readonly kind: "core" | "instance" | "device";
  /** The newest version of its specification; 0 for a core version. */
  readonly specVersion: number;
  /** The commands it brings, of either level. */
  readonly commands: readonly string[];
}

const KINDS: Readonly<Record<string, Extension["kind"]>> = { v: "core", i: "instance", d: "device" };
const parsed = new Map<string, Extension | undefined>();
let all: readonly Extension[] | undefined;
let names: { readonly instance: readonly string[]; readonly device: readonly string[] } | undefined;

/** The extension or core version of that name, parsed at its first use; `undefined` when the registry has none. */
export function findExtension(name: string): Extension | undefined {
  if (!parsed.has(name)) parsed.set(name, parse(lineOf(name)));
  return parsed.get(name);
}

/** All core versions, and then all extensions. */
export function allExtensions(): readonly Extension[] {
  return all ??= EXTENSIONS.trim().split("\n").map((line) => parse(line)!);
}

function lineOf(name: string): string | undefined {
  const start = EXTENSIONS.indexOf(`\n${name} `);
  if (start < 0) return undefined;
  const end = EXTENSIONS.indexOf("\n", start + 1);
  return EXTENSIONS.slice(start + 1, end < 0 ? undefined : end);
}

function parse(line: string | undefined): Extension | undefined {
  if (line === undefined) return undefined;
  const [name, kind, , specVersion, , , ...commands] = line.split(" ");
  return { name, kind: KINDS[kind], specVersion: Number(specVersion), commands: commands.map(commandName) };
}

/** A slot such as `i4` or `d77`, or a global command by its name. */
function commandName(command: string): string {
  const slot = /^([id])(\d+)$/.exec(command);
  if (!slot) return command;
  names ??= { instance: INSTANCE_NAMES.split(" "), device: DEVICE_NAMES.split(" ") };
  return names[slot[1] === "i" ? "instance" : "device"][Number(slot[2])];
}
