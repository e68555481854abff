import { sidecarOf } from "../../../../workbench/recordings/record/sidecar.ts";
import { recordDemo } from "./recorded.ts";

/** A recording in memory, by the ends of its paths. */
interface Kept {
  /** The pixels that the program read. */
  readonly pixels: Uint8Array;
  /** The files: the recording, and those of the folder beside it. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Recordings of the demo for tests that need one each: a driver draws the demo once, and each test gets a copy. */
export class DemoRecordings {
  readonly #kept = new Map<string, Kept>();

  /** Writes a recording of the demo on a driver to a path. Returns the pixels that the demo read. */
  write(path: string, driver: string): Uint8Array {
    const kept = this.#kept.get(driver);
    if (!kept) return this.#record(path, driver);
    Deno.mkdirSync(sidecarOf(path), { recursive: true });
    for (const [end, bytes] of kept.files) Deno.writeFileSync(`${path}${end}`, bytes);
    return kept.pixels.slice();
  }

  #record(path: string, driver: string): Uint8Array {
    const pixels = recordDemo(path, driver), beside = [...Deno.readDirSync(sidecarOf(path))].map(({ name }) => name);
    const ends = ["", ...beside.map((name) => `${sidecarOf("")}/${name}`)];
    const files = new Map(ends.map((end) => [end, Deno.readFileSync(`${path}${end}`)]));
    this.#kept.set(driver, { pixels: pixels.slice(), files });
    return pixels;
  }
}
