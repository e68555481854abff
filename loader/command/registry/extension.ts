import { DEVICE_NAMES, INSTANCE_NAMES } from "../../gen/command_table_gen.js";
import { nameOfSType } from "../../codec/layout/layout.ts";
import { TableLines } from "../../codec/layout/spec.ts";
import { EXTENSIONS } from "../../gen/extensions_gen.ts";

/** A core version or an extension, as the registry states it. */
export interface Extension {
  /** The name: `VK_VERSION_1_1` for a core version. */
  readonly name: string;
  /** Whether it is a core version, or the level at which it is enabled. */
  readonly kind: "core" | "instance" | "device";
  /** The only system that may have it, as the registry names it, such as `win32`; `-` for all systems. */
  readonly platform: string;
  /** The newest version of its specification; 0 for a core version. */
  readonly specVersion: number;
  /** The commands it adds, of either level. */
  readonly commands: readonly string[];
  /**
   * The structs it adds to queries of physical devices: features and
   * properties. None for a core version. Computed at the first access.
   */
  readonly structs: readonly ExtensionStruct[];
}

/** A struct by its `sType`, and as its extension spells it, such as `VkPhysicalDeviceDriverPropertiesKHR`. */
export interface ExtensionStruct {
  /** The name in its extension. The tables may have another. */
  readonly name: string;
  /** The value of its `sType`. */
  readonly sType: number;
}

const KINDS: Readonly<Record<string, Extension["kind"]>> = { v: "core", i: "instance", d: "device" };
const lines = new TableLines(EXTENSIONS);
const parsed = new Map<string, Extension | undefined>();
let all: readonly Extension[] | undefined;
let names: { readonly instance: readonly string[]; readonly device: readonly string[] } | undefined;

/** Returns the extension or core version of a name, parsed at its first use; `undefined` if the registry has none. */
export function findExtension(name: string): Extension | undefined {
  if (!parsed.has(name)) parsed.set(name, parse(lines.find(name)));
  return parsed.get(name);
}

/** Returns all core versions, then all extensions. */
export function allExtensions(): readonly Extension[] {
  return all ??= EXTENSIONS.trim().split("\n").map((line) => parse(line)!);
}

function parse(line: string | undefined): Extension | undefined {
  if (line === undefined) return undefined;
  const [name, kind, number, specVersion, platform, , ...rest] = line.split(" ");
  let structs: readonly ExtensionStruct[] | undefined;
  return {
    name,
    kind: KINDS[kind],
    platform,
    specVersion: Number(specVersion),
    commands: rest.filter((word) => !STRUCT.test(word)).map(commandName),
    get structs() {
      return structs ??= rest.filter((word) => STRUCT.test(word)).map((word) => structOf(word, name, Number(number)));
    },
  };
}

/** The `sType` of a struct, relative to the extension's first or whole, and its name if it does not follow. */
const STRUCT = /^s(\d+)(?:=(\w+))?$/;

function structOf(word: string, extension: string, number: number): ExtensionStruct {
  const [, digits, own] = STRUCT.exec(word)!, value = Number(digits);
  const sType = value < 1000 ? 1_000_000_000 + 1000 * (number - 1) + value : value;
  if (own) return { name: `VkPhysicalDevice${own}`, sType };
  return { name: nameOfSType(sType)!.replace(/[A-Z]{2,}$/, "") + extension.split("_")[1], sType };
}

/** A slot such as `i4` or `d77`, or a global command by its name. */
function commandName(command: string): string {
  const slot = /^([id])(\d+)$/.exec(command);
  if (!slot) return command;
  names ??= { instance: INSTANCE_NAMES.split(" "), device: DEVICE_NAMES.split(" ") };
  return names[slot[1] === "i" ? "instance" : "device"][Number(slot[2])];
}

/** The window systems that a Linux loader knows; `-` stands for none. */
const LINUX: readonly string[] = ["-", "xcb", "xlib", "xlib_xrandr", "wayland"];

/** The providers of commands. */
interface Providers {
  /** The instance extensions of a command, one of which must be enabled; absent for commands with other providers. */
  readonly needed: ReadonlyMap<string, readonly string[]>;
  /** The commands that a Linux loader knows. */
  readonly known: ReadonlySet<string>;
}

/**
 * The commands of device extensions that a Linux loader gives only to an instance with surfaces: the registry lets a
 * device extension bring them where VK_KHR_surface is enabled.
 */
export const OF_SURFACES = [
  "vkGetDeviceGroupPresentCapabilitiesKHR",
  "vkGetDeviceGroupSurfacePresentModesKHR",
  "vkGetPhysicalDevicePresentRectanglesKHR",
] as const;

/**
 * Exported commands that work where VK_KHR_surface alone is enabled, as with
 * the Khronos loader, although vkGetInstanceProcAddr does not give them.
 */
export const EXPORTED_WITH_SURFACES: readonly string[] = [
  "vkGetPhysicalDeviceSurfaceCapabilities2KHR",
  "vkGetPhysicalDeviceSurfaceFormats2KHR",
];

let providers: Providers | undefined;

/**
 * Whether an instance with these extensions has a command. It always has those
 * of core versions and of device extensions, except {@linkcode OF_SURFACES}.
 */
export function isEnabled(command: string, extensions: ReadonlySet<string>): boolean {
  if (isOfSurfaces(command)) return extensions.has("VK_KHR_surface");
  const needed = (providers ??= readProviders()).needed.get(command);
  return needed === undefined || needed.some((name) => extensions.has(name));
}

/** Whether a Linux loader knows a command: all except those of other systems. */
export function isKnownOnLinux(command: string): boolean {
  return (providers ??= readProviders()).known.has(command);
}

function readProviders(): Providers {
  const needed = new Map<string, string[]>(), known = new Set<string>(), always = new Set<string>();
  for (const extension of allExtensions()) {
    for (const command of extension.commands) {
      if (isOfLinux(extension)) known.add(command);
      if (extension.kind !== "instance") always.add(command);
      else needed.set(command, [...needed.get(command) ?? [], extension.name]);
    }
  }
  for (const command of always) needed.delete(command);
  return { needed, known };
}

function isOfSurfaces(command: string): boolean {
  return (OF_SURFACES as readonly string[]).includes(command);
}

function isOfLinux({ platform }: Extension): boolean {
  return LINUX.includes(platform);
}
