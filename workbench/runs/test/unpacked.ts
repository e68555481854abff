import { hashOf, unpack, writeFiles } from "./archive.ts";

/** Gets a bundle. */
type Fetch = () => Promise<Uint8Array | undefined | null>;

/** Bundles of runs, unpacked in a private folder, each once. The bundles of a run go with the run. */
export class UnpackedBundles {
  readonly #folder: string;
  readonly #bundles = new Map<string, Promise<string>>();
  readonly #ends = new Map<string, AbortSignal>();

  /** Bundles below a folder that no other user can write to. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Returns the folder of a bundle that stands for `/`. Rejects with an `Error` if there is no such bundle, or if its
   * hash is another one; the next request tries again.
   *
   * @param end Comes with the end of the run, when its bundles are removed.
   * @param fetch Gets the bundle.
   */
  async folderOf(run: string, hash: string, end: AbortSignal, fetch: Fetch): Promise<string> {
    const name = `${run}/${hash}`, known = this.#bundles.get(name) ?? this.#unpack(name, hash, fetch);
    this.#bundles.set(name, known);
    this.#removeAt(end, run);
    try {
      return await known;
    } catch (error) {
      this.#bundles.delete(name);
      throw error;
    }
  }

  /** Removes the bundles of a run. */
  remove(run: string): void {
    this.#ends.delete(run);
    for (const name of this.#bundles.keys()) if (name.startsWith(`${run}/`)) this.#bundles.delete(name);
    try {
      Deno.removeSync(`${this.#folder}/${run}`, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  #removeAt(end: AbortSignal, run: string): void {
    if (this.#ends.has(run)) return;
    this.#ends.set(run, end);
    end.addEventListener("abort", () => this.remove(run), { once: true });
  }

  async #unpack(name: string, hash: string, fetch: Fetch): Promise<string> {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`"${hash}" is no hash of a bundle`);
    const bytes = await fetch();
    if (!bytes) throw new Error(`the queue has no bundle ${hash.slice(0, 12)}…: the run's store was lost; run it anew`);
    const found = await hashOf(bytes);
    if (found !== hash) {
      throw new Error(
        `the bundle ${hash.slice(0, 12)}… was exchanged: the queue has ${found.slice(0, 12)}… in its place`,
      );
    }
    const folder = `${this.#folder}/${name}`, files = unpack(bytes);
    writeFiles(folder, files);
    return folder;
  }
}
