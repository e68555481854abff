import { stripVTControlCharacters } from "node:util";
import deno from "../../../deno.json" with { type: "json" };
import type { NamedDriver } from "../testing/options.ts";
import { ownFlags } from "../../process/own_flags.ts";
import type { CardDevice, CardDriver, WorkerCard } from "./messages.ts";
import { PROTOCOL } from "./messages.ts";
import { newName } from "./names.ts";

/** The beginning of Deno's text about an error that ends a process; the error's own text follows. */
const UNCAUGHT = /^error: (?:Uncaught )?(?:\(in promise\) )?(?:\w*Error: )?(.*)/;
/** Milliseconds for opening and querying a driver. */
const PATIENCE = 60_000;

/** The version of the library. Both sides of a queue must have the same. */
export const VERSION: string = deno.version;

/** Makes the card by which a worker with drivers presents itself. */
export function cardOf({ key, ...facts }: Pick<WorkerCard, "drivers" | "tags" | "slots" | "key">): WorkerCard {
  const { os, arch } = Deno.build;
  const own = { worker: newName(), protocol: PROTOCOL, version: VERSION, host: hostName(), pid: Deno.pid };
  return { ...own, os, arch, ...facts, ...key === undefined ? {} : { key } };
}

/** Queries drivers, each in a process of its own. For a driver without a device, the result is a sentence. */
export async function queryDrivers(drivers: readonly NamedDriver[]): Promise<(CardDriver | string)[]> {
  return await Promise.all(drivers.map(async (driver) => {
    const devices = await devicesOf(driver);
    if (typeof devices === "string") return `the driver ${driver.name} is left out: ${devices}`;
    return { name: driver.name, path: driver.path, devices };
  }));
}

/** The devices of a driver, which is opened in a process of its own; why there are none, as a sentence. */
export async function devicesOf({ path }: NamedDriver): Promise<readonly CardDevice[] | string> {
  const file = new URL("./probe_child.ts", import.meta.url).href, { signal, cancel } = timeLimit();
  try {
    const { success, stdout, stderr, signal: end } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-check", ...ownFlags(file), file, path],
      stdin: "null",
      signal,
    }).output();
    if (end !== null && !signal.aborted) return `it crashed with ${end}`;
    if (!success) return signal.aborted ? "it did not answer in time" : lastLine(stderr);
    const devices: readonly CardDevice[] = JSON.parse(lastLine(stdout));
    return devices.length === 0 ? "it has no device here" : devices;
  } finally {
    cancel();
  }
}

function timeLimit(): { readonly signal: AbortSignal; cancel(): void } {
  const controller = new AbortController(), timer = setTimeout(() => controller.abort(), PATIENCE);
  return { signal: controller.signal, cancel: () => clearTimeout(timer) };
}

function lastLine(bytes: Uint8Array): string {
  const lines = stripVTControlCharacters(new TextDecoder().decode(bytes)).trim().split("\n");
  const [, message] = lines.map((each) => UNCAUGHT.exec(each)).find((each) => each !== null) ?? [];
  return message ?? (lines.at(-1) || "it ended without a word");
}

function hostName(): string {
  try {
    return Deno.hostname().split(".")[0].replace(/[^\w-]/g, "_");
  } catch {
    return "worker"; // without --allow-sys=hostname
  }
}
