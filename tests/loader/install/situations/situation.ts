/**
 * Tables of situations that a native program meets one after another in one
 * process: each is a machine in a folder of its own, variables, and what the
 * application asks for.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { compileFixture } from "../../../support/compile.ts";
import { withFolder } from "../../../support/temporary.ts";
import { writeManifest } from "../../driver/machine.ts";
import { LayerMachine, layerName, type LayerSpec } from "../../layers/choice/layer_machine.ts";
import { TINY } from "../../tiny.ts";
import { compileClient, runClient, SYSTEM } from "../client.ts";
import { type Message, only } from "../words.ts";

/** The layer of every situation; `undefined` without a compiler. */
const PLAIN = compileFixture("plain_layer");
/** The program; `undefined` without a compiler. */
export const situationsApp: string | undefined = compileClient("situations_app");

/** Variables by name; `undefined` for one that is not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A situation and what comes of it. */
export interface Situation {
  /** The situation in a few words without `|`. */
  readonly title: string;
  /** Sets up the machine; returns further variables, and what a messenger should hear. */
  readonly set: (machine: LayerMachine) => { env?: Variables; hear?: readonly Message[] } | void;
  /** The layers that the application asks for, by their short names. */
  readonly layers?: readonly string[];
  /** The application's apiVersion. Default: 0. */
  readonly version?: number;
  /** `LISTED LAYERS | RESULT | TYPES OF DEVICES | LAYERS IN FORCE`, layers by their short names. */
  readonly gets: string;
  /** The system's loader knows nothing of it. */
  readonly isNewer?: boolean;
}

/** Writes the settings file of a machine; `settings` is one entry, or the content of an array of entries. */
export function writeSettings(machine: LayerMachine, settings: unknown, top: Record<string, unknown> = {}): void {
  const entry = Array.isArray(settings) ? { settings_array: settings } : settings === undefined ? {} : { settings };
  machine.write("vulkan/loader_settings.d/vk_loader_settings.json", { file_format_version: "1.0.0", ...entry, ...top });
}

/** Installs layers: those that begin with `im` are implicit, those that end in `_asleep` need `WAKE` to be 1. */
export function install(machine: LayerMachine, ...shorts: string[]): void {
  for (const short of shorts) installOne(machine, short);
}

/** Installs one layer, which is implicit if its short name begins with `im`; returns its manifest. */
export function installOne(machine: LayerMachine, short: string, spec: LayerSpec = {}): string {
  const library_path = `${machine.folder}/${short}.so`;
  Deno.copyFileSync(PLAIN!, library_path);
  const asleep = short.endsWith("_asleep") ? { enable_environment: { WAKE: "1" } } : {};
  const whole = { ...spec, layer: { library_path, ...asleep, ...spec.layer } };
  return short.startsWith("im") ? machine.implicit(short, whole) : machine.explicit(short, whole);
}

/** Installs the tiny driver where the search finds it, which no variable names. */
export function installDriver(machine: LayerMachine, name = "found", path: string = TINY!): void {
  Deno.mkdirSync(`${machine.folder}/vulkan/icd.d`, { recursive: true });
  writeManifest(`${machine.folder}/vulkan/icd.d/${name}.json`, path);
}

/** Entries of `layers` in a settings file: `off a`, `on a`, `auto a`, or `*` for all that are not listed. */
export function entries(machine: LayerMachine, ...controls: string[]): Record<string, unknown>[] {
  return controls.map((text) => {
    if (text === "*") return { control: "unordered_layer_location" };
    const [control, short] = text.split(" ");
    const isImplicit = short.startsWith("im");
    const path = `${machine.folder}/vulkan/${isImplicit ? "implicit" : "explicit"}_layer.d/${short}.json`;
    return { name: layerName(short), path, control, treat_as_implicit_manifest: isImplicit };
  });
}

/** The answers that native code gets in each situation from a loader, on a thread. */
export function meet(situations: readonly Situation[], loader: string, where: "here" | "thread", env = {}): string[] {
  return withFolder((folder) => {
    const steps = situations.flatMap((each, index) => stepsOf(each, `${folder}/${index}`));
    Deno.writeTextFileSync(`${folder}/steps`, steps.join("\n") + "\n");
    const surroundings = { ...only(folder), PUMICE_TEST_STEPS: `${folder}/steps`, ...env };
    return [...runClient(situationsApp!, { loader, where, env: surroundings }).said];
  });
}

/** Fails unless native code gets what each situation says, on both kinds of thread, as from the system's loader. */
export function assertSituations(situations: readonly Situation[], unordered = /^layers /): void {
  const expected = situations.map(({ title, gets }) => `${title}${answer(gets)}`);
  for (const where of ["here", "thread"] as const) assertEquals(meet(situations, "pumice", where), expected, where);
  if (SYSTEM === undefined) return;
  const older = situations.filter(({ isNewer }) => !isNewer), sorted = (line: string) => inOrder(line, unordered);
  const theirs = meet(older, SYSTEM, "here").map(sorted),
    ours = older.map(({ title, gets }) => `${title}${answer(gets)}`);
  assertEquals(theirs, ours.map(sorted));
}

/** A line with its lists in an order of names, where the C loader lists a folder in the order of the file system. */
function inOrder(line: string, unordered: RegExp): string {
  return line.split(" | ").map((part) => {
    const [title, ...names] = part.split(" ");
    return unordered.test(part) ? [title, ...names.sort()].join(" ") : part;
  }).join(" | ");
}

/** The program's words for what a situation gets. */
function answer(gets: string): string {
  const titles = ["layers", "create", "gpus", "active"];
  return gets.split("|").map((part, index) => ` | ${`${titles[index]} ${part.trim()}`.trim()}`).join("");
}

function stepsOf({ title, set, layers = [], version = 0 }: Situation, folder: string): string[] {
  const machine = new LayerMachine(folder);
  Deno.mkdirSync(`${folder}/drivers`, { recursive: true });
  writeManifest(`${folder}/drivers/good.json`, TINY!);
  const { env = {}, hear = [] } = set(machine) ?? {};
  const variables = { XDG_DATA_HOME: folder, VK_DRIVER_FILES: `${folder}/drivers`, ...env };
  return [
    ...Object.entries(variables).map(([name, value]) => value === undefined ? `unset ${name}` : `set ${name}=${value}`),
    ...layers.map((short) => `layer ${layerName(short)}`),
    `version ${version}`,
    ...hear.map(([severity, text]) => `hear ${severity.toString(16)} ${text}`),
    `end ${title}`,
  ];
}
