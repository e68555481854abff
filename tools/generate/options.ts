import { isFile } from "../setup/files.ts";
import { fromFileUrl } from "./paths.ts";

/** The folder in which Linux distributions install the registry. */
const SYSTEM_REGISTRY = "/usr/share/vulkan/registry";
const USAGE =
  "use: deno task generate [--registry DIR | --vk FILE --video FILE --egl FILE --gl FILE] [--profiles DIR] [--images] [--check] [--out DIR]";

/** The input files. */
export interface RegistryInputs {
  /** Registry files in reading order; the overlay is last. */
  inputs: string[];
  /** egl.xml and gl.xml; `undefined` where they are not beside vk.xml, as distributions have it. */
  gl?: { egl: string; gl: string };
  /** The Vulkan Profiles files; `undefined` where there is no folder of them. */
  profiles?: string[];
}

/** The request of the command line. */
export interface Options {
  /** The registry; `undefined` when only the images are asked for. */
  registry?: RegistryInputs;
  /** The project's root, or another directory to write below. */
  out: string;
  /** Compares with the present files instead of writing. */
  check: boolean;
}

/** Reads the command line. Throws an `Error` that says how to call the generator. */
export function parseOptions(args: readonly string[]): Options {
  const given = new Map<string, string>();
  for (let index = 0; index < args.length; index++) {
    const [name, inline] = args[index].split("=");
    if (name === "--check" || name === "--images") given.set(name, "");
    else if (["--registry", "--vk", "--video", "--egl", "--gl", "--profiles", "--out"].includes(name)) {
      given.set(name, inline ?? args[++index] ?? "");
    } else throw new Error(`Cannot read the option "${args[index]}": found nothing of that name; ${USAGE}`);
  }
  return {
    registry: given.has("--images") ? undefined : registryInputs(given),
    out: given.get("--out") ?? fromFileUrl("../.."),
    check: given.has("--check"),
  };
}

function registryInputs(given: ReadonlyMap<string, string>): RegistryInputs {
  const directory = given.get("--registry") ?? SYSTEM_REGISTRY;
  const vk = given.get("--vk") ?? `${directory}/vk.xml`, video = given.get("--video") ?? `${directory}/video.xml`;
  for (const path of [vk, video]) requireFile(path);
  const egl = given.get("--egl") ?? `${directory}/egl.xml`, gl = given.get("--gl") ?? `${directory}/gl.xml`;
  if (given.has("--egl") || given.has("--gl")) { for (const path of [egl, gl]) requireFile(path); }
  return {
    gl: isFile(egl) && isFile(gl) ? { egl, gl } : undefined,
    profiles: profilesIn(given.get("--profiles"), directory),
    inputs: [vk, video, fromFileUrl("overlay.xml")],
  };
}

/** The profiles of the folder that was named, or Android's of one beside the registry. */
function profilesIn(named: string | undefined, registry: string): string[] | undefined {
  if (named === undefined) {
    const folders = [`${registry}/profiles`, `${registry}/../profiles`];
    return folders.map((folder) => filesOf(folder, /^VP_ANDROID_.*\.json$/)).find((found) => found.length > 0);
  }
  const found = filesOf(named, /^VP_.*\.json$/);
  if (found.length > 0) return found;
  throw new Error(`Cannot read the profiles of "${named}": found no VP_*.json there; ${USAGE}`);
}

function filesOf(folder: string, pattern: RegExp): string[] {
  try {
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    return names.filter((name) => pattern.test(name)).map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

function requireFile(path: string): void {
  if (!isFile(path)) throw new Error(`Cannot read the registry "${path}": found no such file; ${USAGE}`);
}
