import { assert, assertEquals } from "@std/assert";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { count } from "../../../support/counts.ts";
import { needs } from "../../../support/require.ts";
import { runProgram } from "../../../support/subprocess.ts";

/**
 * The number of kinds that are tried: a run of tests/workbench/recordings/compare/planted/main.ts tries all of them in
 * many places. Many kinds found that what images of several samples are resolved into hides differences, which are read
 * one by one since (samples_test.ts).
 */
const KINDS = count(6, 12, 44);

/** A fault, as the program tells what became of it. */
interface Row {
  readonly kind: string;
  readonly named?: string;
  readonly wrong?: string;
}

function planted(...args: string[]): { rows: Row[]; nowhere: string[] } {
  const { stdout, output } = runProgram("tests/workbench/recordings/compare/planted/main.ts", ["--json", ...args], {
    flags: ["--allow-sys"],
    seconds: 300,
  });
  const last = stdout.trim().split("\n").at(-1)!;
  assert(last.startsWith("{"), output);
  return JSON.parse(last);
}

Deno.test(
  "a comparison names the first call whose result a planted fault changes, and nothing where it changes none",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    const { rows } = planted(`--sample=${KINDS}`, "--seed=1");
    assertEquals(rows.filter(({ wrong }) => wrong !== undefined), []);
    const kinds = new Set(rows.map(({ kind }) => kind)).size, named = rows.filter((row) => row.named).length;
    assert(kinds >= KINDS - 4 && named >= 0.45 * KINDS, `${kinds} kinds, ${named} of them change something`);
  },
);
