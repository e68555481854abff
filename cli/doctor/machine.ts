import { isFile } from "../../ffi/library/library.ts";
import { denoHost } from "../../loader/driver/host/host.ts";
import { linuxManifests } from "../../loader/driver/linux/search.ts";
import { readIcdManifest } from "../../loader/driver/manifest/manifest.ts";
import type { Finding } from "../../loader/driver/report/finding.ts";
import { readCatalog } from "../../loader/layers/choice/catalog.ts";
import type { CatalogLayer } from "../../loader/layers/choice/rules.ts";
import { isThere } from "../../workbench/process/files.ts";
import { driverName } from "../../workbench/runs/testing/find_drivers.ts";
import { devicesOf } from "../../workbench/runs/queue/card.ts";

/** A driver, and whether it can be used. */
export interface DriverFact {
  /** The short name, such as `lvp`. */
  readonly name: string;
  /** The manifest or library that names the driver. */
  readonly path: string;
  /** The package that has the file, or whose the file is. */
  readonly owner: string;
  /** The names of its devices. */
  readonly devices: readonly string[];
  /** The reason why the driver cannot be used; absent if it can. */
  readonly trouble?: string;
  /** Whether the driver opens and has no device on this machine, which is no fault. */
  readonly isIdle: boolean;
}

/** An implicit layer, and whether it would be active. */
export interface LayerFact {
  readonly name: string;
  readonly manifest: string;
  readonly owner: string;
  readonly isActive: boolean;
  /** The reason why the layer is active or not, or what is wrong with it. */
  readonly reason: string;
  /** The variable that turns the layer off, and its value. */
  readonly off: readonly [variable: string, value: string];
}

/** Something that changes what programs do. */
export interface SettingFact {
  /** The variable or the file. */
  readonly name: string;
  readonly value: string;
  readonly effect: string;
}

/** Whether this user may use a file of the system. */
export interface RightFact {
  readonly path: string;
  readonly isUsable: boolean;
  /** The advice; `""` if there is nothing to do. */
  readonly advice: string;
}

/** The facts of a machine. */
export interface Machine {
  readonly drivers: readonly DriverFact[];
  readonly layers: readonly LayerFact[];
  readonly settings: readonly SettingFact[];
  readonly rights: readonly RightFact[];
}

/** Looks at this machine as the system's loader does. Drivers are opened in processes of their own. */
export async function lookAround(named: readonly string[]): Promise<Machine> {
  const host = denoHost(), report: Finding[] = [], found = readCatalog(host, { implicit: true });
  const paths = named.length > 0 ? named : linuxManifests(host, report, found.settings).map(({ path }) => path);
  const layers = found.layers.filter(({ isImplicit }) => isImplicit);
  const file = found.settings &&
    { name: "settings file", value: found.settings.path, effect: "names layers or drivers" };
  const owners = await ownersOf([...paths, ...layers.map(({ manifest }) => manifest)]);
  return {
    drivers: await Promise.all(paths.map((path) => driverFact(path, owners.get(path)!))),
    layers: layers.map((layer) => layerFact(layer, owners.get(layer.manifest)!)),
    settings: [...file ? [file] : [], ...variablesThatCount([...report, ...found.findings], layers)],
    rights: rightsHere(),
  };
}

async function driverFact(path: string, owner: string): Promise<DriverFact> {
  const base = { path, owner, devices: [], isIdle: false };
  try {
    const library = path.endsWith(".json") ? readIcdManifest(path, denoHost()).library : path,
      name = driverName(library);
    const devices = await devicesOf({ name, path: library });
    if (typeof devices !== "string") return { ...base, name, devices: devices.map((device) => device.name) };
    return { ...base, name, trouble: devices, isIdle: NO_DEVICE.test(devices) };
  } catch (error) {
    return { ...base, name: driverName(path), trouble: (error as Error).message };
  }
}

/** The words of a driver without a device, and of one that has none for this loader. */
const NO_DEVICE = /has no device here|VK_ERROR_INCOMPATIBLE_DRIVER/;

function layerFact(layer: CatalogLayer, owner: string): LayerFact {
  const { name, manifest, library, off, disable, enable } = layer;
  const isLost = library.includes("/") && !library.includes("$") && !isFile(library);
  const asked = enable ? `${enable[0]} is set` : "nothing turns it off";
  return {
    name,
    manifest,
    owner,
    isActive: off === undefined,
    reason: isLost ? `its library ${library} is not there` : off ?? asked,
    off: disable === undefined ? ["VK_LOADER_LAYERS_DISABLE", name] : [disable, "1"],
  };
}

/** Programs that know which package has a file, for one file at a time; the answer's first line is the package. */
const PACKAGERS: readonly (readonly string[])[] = [["rpm", "-qf"], ["pacman", "-Qqo"]];
/** A line of dpkg's answer: the first package that has a file, and the path. */
const DEBIAN = /^([^:,]+)[^/]*: (\/.*)$/gm;

/** The owner of each file. Debian's program reads its whole list of files for each call, and answers for many at once. */
async function ownersOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const home = Deno.env.get("HOME"), isOwn = (path: string) => home !== undefined && path.startsWith(`${home}/`);
  const asked = [...new Set(paths)].filter((path) => !isOwn(path));
  const { text } = await saidBy("dpkg", ["-S", ...asked]); // without a path, it says nothing
  const packages = new Map([...text.matchAll(DEBIAN)].map(([, name, path]) => [path, name]));
  const owners = paths.map(async (path) => {
    if (isOwn(path)) return [path, "this user's own"] as const;
    const name = packages.get(path) ?? await packageOf(path);
    return [path, name === undefined ? "no package's" : `package ${name}`] as const;
  });
  return new Map(await Promise.all(owners));
}

async function packageOf(path: string): Promise<string | undefined> {
  for (const [program, option] of PACKAGERS) {
    const { isFound, text } = await saidBy(program, [option, path]);
    if (isFound) return text.split("\n")[0].split(":")[0];
  }
}

/** The answer of a program of this distribution, or of another one, which is not there. */
async function saidBy(program: string, args: readonly string[]): Promise<{ isFound: boolean; text: string }> {
  try {
    const command = new Deno.Command(program, { args: [...args], stdin: "null", stderr: "null" });
    const { success, stdout } = await command.output();
    return { isFound: success, text: new TextDecoder().decode(stdout) };
  } catch {
    return { isFound: false, text: "" };
  }
}

/** Variables that the loader does not read, by the beginnings of their names, and what they do. */
const OTHERS: readonly (readonly [name: RegExp, effect: string])[] = [
  [/^LD_PRELOAD$/, "libraries that are loaded into every program"],
  [/^LD_LIBRARY_PATH$/, "folders in which libraries are looked for first, drivers' and layers' too"],
  [/^(MESA|RADV|ANV|INTEL|NVK|TU|LP|ZINK|ACO|GALLIUM|LIBGL|DRI)_/, "a setting of Mesa's drivers"],
  [/^(__NV|__GL|__VK_LAYER_NV|NVIDIA|CUDA)_?/, "a setting of NVIDIA's driver"],
  [/^(DXVK|VKD3D|PROTON|WINE)_?/, "a setting of a translator of Direct3D"],
  [/^VK_/, "a variable of Vulkan's loader or of a layer"],
];

function variablesThatCount(findings: readonly Finding[], layers: readonly CatalogLayer[]): SettingFact[] {
  const set = Deno.env.toObject(), facts = new Map<string, SettingFact>();
  for (const { subject, path, value, reason } of findings) {
    if (subject === "variable" && value !== undefined) facts.set(path, { name: path, value, effect: reason });
  }
  for (const { name, enable, disable } of layers) {
    for (const [variable, effect] of [[enable?.[0], "turns on"], [disable, "turns off"]]) {
      if (variable === undefined || !(variable in set)) continue;
      facts.set(variable, { name: variable, value: set[variable], effect: `${effect} ${name}` });
    }
  }
  for (const [name, value] of Object.entries(set)) {
    const [, effect] = OTHERS.find(([pattern]) => pattern.test(name)) ?? [];
    if (effect !== undefined && value !== "" && !facts.has(name)) facts.set(name, { name, value, effect });
  }
  return [...facts.values()].sort((one, other) => one.name < other.name ? -1 : 1);
}

function rightsHere(): RightFact[] {
  const cards = ["/dev/dri", "/dev"].flatMap((folder) =>
    namesIn(folder).filter((name) => /^(card\d+|renderD\d+|nvidia\d+|nvidiactl|kfd)$/.test(name))
      .map((name) => `${folder}/${name}`)
  );
  const runtime = Deno.env.get("XDG_RUNTIME_DIR");
  return [
    ...cards.map((path) => right(path, "join the group that owns the file, such as render or video, and log in again")),
    ...cards.length === 0 ? [{ path: "/dev/dri", isUsable: false, advice: "" }] : [],
    ...runtime === undefined ? [] : [right(runtime, "set XDG_RUNTIME_DIR to a folder of this user")],
  ];
}

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  } catch {
    return [];
  }
}

/** A shell asks the system, which counts groups and lists of access. */
function right(path: string, advice: string): RightFact {
  const script = 'test -r "$0" && test -w "$0"';
  const { success } = new Deno.Command("sh", { args: ["-c", script, path], stdin: "null" }).outputSync();
  return { path, isUsable: success, advice: success ? "" : isThere(path) ? advice : `${advice}: nothing is there` };
}
