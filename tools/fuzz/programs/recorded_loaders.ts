/**
 * Records each loader of a process of tests, by `deno test --preload`: a file `N.jsonl` in the folder
 * `PUMICE_RECORDED_TESTS`, and `N.json` beside it with a {@linkcode RecordedLoader}. Loaders are left out with layers or
 * drivers in TypeScript or with drivers of the test's own making: what these do, no driver of the system does again.
 *
 * @module
 */
import { apiRecording } from "../../../workbench/layers.ts";
import type { Layer, Vulkan, VulkanOptions } from "../../../loader/mod.ts";
import { setProcessLayers } from "../../../loader/api/options.ts";
import { troubleOf } from "../../../cli/recording/recording_layer.ts";
import { pictureWitness } from "./pictures.ts";

/** The outcome of a loader of a test. */
export interface RecordedLoader {
  /** The line of the test that made the loader. */
  readonly place: string;
  /** The libraries of the drivers. */
  readonly drivers: readonly string[];
  /** The digest of each picture that was presented. */
  readonly shown: readonly string[];
  /** The reasons why the recording cannot be replayed, by its own words; empty for one that can. */
  readonly gaps: readonly string[];
}

/** A recording that is not done. */
interface Begun {
  readonly layers: readonly Layer[];
  end(driver: string): void;
  drop(): void;
}

function begin(path: string): Begun {
  const recording = apiRecording({ path: `${path}.jsonl` }), shown: string[] = [], place = callerOf();
  const end = (driver: string) => {
    recording.close();
    const trouble = troubleOf(recording, `${path}.jsonl`), gaps = trouble === "" ? [] : [trouble];
    const drivers = driver.split(",").filter((each) => each !== "");
    Deno.writeTextFileSync(`${path}.json`, JSON.stringify({ place, drivers, shown, gaps } satisfies RecordedLoader));
  };
  const drop = () => recording.close();
  return { layers: [recording.layer, pictureWitness((digest) => shown.push(digest))], end, drop };
}

/** The innermost line of a test in the stack. */
function callerOf(): string {
  return /tests\/[^\s():]+:\d+/.exec(new Error().stack ?? "")?.[0] ?? "an unknown line";
}

function isRecorded({ layers = [], driver }: VulkanOptions): boolean {
  return layers.every((each) => typeof each === "string") &&
    [driver ?? "auto"].flat().every((each) => typeof each === "string");
}

function recordLoaders(folder: string): void {
  let begun: Begun | undefined, count = 0;
  const open = new Map<Vulkan, Begun>();
  setProcessLayers({
    layers(options) {
      begun?.drop(); // its loader was refused
      begun = isRecorded(options) ? begin(`${folder}/${count++}`) : undefined;
      return begun?.layers ?? [];
    },
    made(loader) {
      const vulkan = loader as Vulkan, { close } = vulkan;
      if (!begun) return;
      open.set(vulkan, begun);
      begun = undefined;
      vulkan.close = () => {
        const { driver } = vulkan, own = open.get(vulkan);
        open.delete(vulkan);
        close.call(vulkan);
        own?.end(driver);
      };
      vulkan[Symbol.dispose] = () => vulkan.close();
    },
  });
  globalThis.addEventListener("unload", () => open.forEach((each, vulkan) => each.end(vulkan.driver)));
}

const folder = Deno.env.get("PUMICE_RECORDED_TESTS");
if (folder !== undefined) recordLoaders(folder);
