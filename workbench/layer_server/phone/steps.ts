import { GLES_LIBRARY_FILE } from "../gles/in_place.ts";
import { LAYER_NAME, LIBRARY_FILE } from "../manifest.ts";

/** Something that is done on the phone. */
export interface Step {
  /** The words behind `adb`. */
  readonly does: readonly string[];
  /** The words that take it back. */
  readonly undo?: readonly string[];
  /** Whether taking it back harms nobody if it was not done, or only in part. */
  readonly isSafe?: boolean;
  /** The setting that the step changes, so that its value before can be put back. */
  readonly setting?: string;
}

/** The layers and settings that a phone is to get. */
export interface Wanted {
  /** The application. */
  readonly application: string;
  /** The activity to start; the launcher's by default. */
  readonly activity: string | undefined;
  readonly isGles: boolean;
}

/** The library here, its folder on the phone, and the port of the server. */
export interface Way {
  /** The library on this machine. */
  readonly library: string;
  readonly port: number | string;
  /** Whether the library goes into the application's folder; otherwise into that of all, which builds for development have. */
  readonly isOwnFolder: boolean;
}

/** The folder to which `adb push` may write on every phone. */
const EXCHANGE = "/data/local/tmp";

/** The file's name, by which Android finds the layer. */
export function fileOf({ isGles }: Wanted): string {
  return isGles ? GLES_LIBRARY_FILE : LIBRARY_FILE;
}

/** The questions before anything is changed. */
export const ASK = {
  state: ["get-state"],
  serial: ["get-serialno"],
  installed: (application: string) => ["shell", "pm", "path", application],
  processor: ["shell", "getprop", "ro.product.cpu.abi"],
  isDebuggable: (application: string) => ["shell", "run-as", application, "true"],
  isForDevelopment: ["shell", "getprop", "ro.debuggable"],
  setting: (name: string) => ["shell", "settings", "get", "global", name],
} as const;

/** All that is changed, in order. */
export function changes(wanted: Wanted, way: Way): Step[] {
  const port = `tcp:${way.port}`;
  return [
    { does: ["reverse", "--no-rebind", port, port], undo: ["reverse", "--remove", port] },
    ...(way.isOwnFolder ? intoApplication(wanted, way) : intoFolderOfAll(wanted, way)),
    ...settings(wanted),
    { does: ["shell", "am", "force-stop", wanted.application] },
    { does: start(wanted) },
  ];
}

/** Takes a setting back: to the value before, if there was one. */
export function settingBack(name: string, before: string): readonly string[] {
  const isNone = before === "null" || !/^[\w.:/-]+$/.test(before);
  return isNone
    ? ["shell", "settings", "delete", "global", name]
    : ["shell", "settings", "put", "global", name, before];
}

function intoApplication(wanted: Wanted, { library }: Way): Step[] {
  const file = fileOf(wanted), there = `${EXCHANGE}/${file}`, as = ["shell", "run-as", wanted.application];
  return [
    { does: ["push", library, there], undo: ["shell", "rm", "-f", there], isSafe: true },
    { does: [...as, "cp", there, "."], undo: [...as, "rm", "-f", file], isSafe: true },
  ];
}

function intoFolderOfAll(wanted: Wanted, { library }: Way): Step[] {
  const there = `/data/local/debug/${wanted.isGles ? "gles" : "vulkan"}/${fileOf(wanted)}`;
  return [{ does: ["push", library, there], undo: ["shell", "rm", "-f", there], isSafe: true }];
}

function settings(wanted: Wanted): Step[] {
  const layers = wanted.isGles ? ["gpu_debug_layers_gles", GLES_LIBRARY_FILE] : ["gpu_debug_layers", LAYER_NAME];
  const all = [layers, ["gpu_debug_app", wanted.application], ["enable_gpu_debug_layers", "1"]];
  return all.map(([name, value]) => ({
    does: ["shell", "settings", "put", "global", name, value],
    undo: settingBack(name, "null"),
    isSafe: true,
    setting: name,
  }));
}

function start({ application, activity }: Wanted): readonly string[] {
  if (activity !== undefined) return ["shell", "am", "start", "-n", `${application}/${activity}`];
  return ["shell", "monkey", "-p", application, "-c", "android.intent.category.LAUNCHER", "1"];
}
