import { mappings } from "../../../support/open_files.ts";
import { apiRecording } from "../../../../workbench/recordings/record/record.ts";
import {
  defineLayer,
  type ForeignThreadPolicy,
  type InstalledVulkan,
  type Layer,
  loadVulkan,
  type Vulkan,
} from "../../../../loader/mod.ts";

/** Lavapipe below a layer that counts every command, in the place of the system's loader. */
export interface Counted extends Disposable {
  /** The loader. */
  readonly vulkan: Vulkan;
  /** The loader in its place. */
  readonly installed: InstalledVulkan;
  /** The number of calls of each command. */
  readonly counts: Map<string, number>;
  /** The gaps of the recording, if there is one. */
  readonly missed: () => { unseen?: number; said: readonly string[] };
}

/**
 * Installs it for the driver at a path, by Android's rules if that begins with
 * `android:`, or for several, with a colon between two, behind one. Of the
 * layers `below`, with a policy of other threads, `TypeScript` is another
 * counting one, whose counts begin so, and `implicit` the implicit layers there are. Records what is called into the file
 * that PUMICE_TEST_RECORD names, if it does.
 */
export function installCounted(drivers: string, below: readonly string[] = [], policy?: ForeignThreadPolicy): Counted {
  const counts = new Map<string, number>(), named = drivers.replace(/^android:/, "");
  const platform = named === drivers ? "linux" : "android", driver = named.includes(":") ? named.split(":") : named;
  const path = Deno.env.get("PUMICE_TEST_RECORD"),
    said: string[] = [];
  const otherThreads = policy === "block" ? policy : "note", log = (sentence: string) => said.push(sentence);
  const recording = path === undefined ? undefined : apiRecording({ path, otherThreads, log });
  const implicitLayers = below.includes("implicit"), given = below.filter((name) => name !== "implicit");
  const others = given.map((name) => name === "TypeScript" ? countingLayer(counts, "below ", policy) : name);
  const layers = [countingLayer(counts, "", policy), ...recording ? [recording.layer] : [], ...others];
  const vulkan = loadVulkan({ driver, platform, layers, implicitLayers });
  function close(): void {
    vulkan.close();
    recording?.close();
    if (recording?.error !== undefined) throw recording.error;
  }
  const missed = () => ({ unseen: recording?.unseen, said });
  return { vulkan, installed: vulkan.install(), counts, missed, [Symbol.dispose]: close };
}

/** Counts without calling anything of Deno's: Deno itself may be the caller. */
function countingLayer(counts: Map<string, number>, prefix = "", policy?: ForeignThreadPolicy): Layer {
  return defineLayer({
    name: "VK_LAYER_TEST_counter",
    anyCommand: (name) => (next, ...args) => {
      count(counts, prefix + name);
      return next(...args);
    },
    onForeignThread: policy,
    recorded: ({ command }) => count(counts, `recorded ${prefix}${command}`),
  });
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Prints what a program found, for the test that started it, and whether a Vulkan loader of some file is mapped: ours is in none. */
export function report({ counts, missed }: Counted, found: Record<string, unknown>): void {
  console.log(
    JSON.stringify({ ...found, ...missed(), mapped: mappings("/libvulkan.so"), counts: Object.fromEntries(counts) }),
  );
}
