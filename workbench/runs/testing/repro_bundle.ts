import { temporaryFolder } from "../../../loader/temporary_folder.ts";
import { bundleScript } from "./bundle_script.ts";

/** The words that the scripts of failed tests of one file differ in. */
export interface ReproWords {
  /** The test's name. */
  readonly test: string;
  /** The driver's name. */
  readonly driver: string;
  /** The driver's path. */
  readonly library: string;
}

/** A word in a kept bundle in place of one of a test. Bundles have this file, too, so the whole word is not written here. */
const standIn = (word: keyof ReproWords) => `pumice:the-${word}`;
const STAND_IN = /"pumice:the-(test|driver|library)"/g;
/** The most bundles that are kept: tests of few files run at a time. */
const MOST = 4;
/** The temporary folder in the bundler's comment, so that equal scripts give equal bundles. */
const PLACE = /(?<=^\/\/ ).*\/pumice-bundle-[\w.-]+\/(?=repro\.ts$)/m;
/** Bundles with stand-ins, by their script and flags, the latest last. */
const bundles = new Map<string, Promise<string | undefined>>();

/**
 * Returns a script with all its imports as one text; `undefined` without the bundler. The bundler takes a second of a
 * processor, so it runs once for the failed tests of a file.
 */
export async function bundledRepro(
  scriptOf: (words: ReproWords) => string,
  words: ReproWords,
  flags: readonly string[],
): Promise<string | undefined> {
  const standIns = { test: standIn("test"), driver: standIn("driver"), library: standIn("library") };
  const text = await kept(scriptOf(standIns), flags);
  return text?.replaceAll(STAND_IN, (_, word: keyof ReproWords) => JSON.stringify(words[word]));
}

function kept(script: string, flags: readonly string[]): Promise<string | undefined> {
  const key = JSON.stringify([script, flags]), bundle = bundles.get(key) ?? bundled(script, flags);
  bundles.delete(key);
  bundles.set(key, bundle);
  for (const oldest of [...bundles.keys()].slice(0, -MOST)) bundles.delete(oldest);
  return bundle;
}

async function bundled(script: string, flags: readonly string[]): Promise<string | undefined> {
  using folder = temporaryFolder("bundle");
  const path = `${folder.path}/repro.ts`, output = `${folder.path}/repro.js`;
  Deno.writeTextFileSync(path, script);
  if (await bundleScript(path, output, flags) !== undefined) return undefined;
  return Deno.readTextFileSync(output).replace(PLACE, "");
}
