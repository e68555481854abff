import { existsSync } from "node:fs";
import type { ReducedRecording } from "../../../../workbench/recordings/mod.ts";
import type { RecordedLine } from "../../../../workbench/layers.ts";

/** Calls that make objects and give them memory. */
const CREATION = /^vk(Create|Allocate|Get|Enumerate|Bind(Buffer|Image)Memory)/;
/** Calls that may be left beyond creation. */
export const MOST_LEFT = 25;

/** A planted fault, and the program that is left of it. */
export interface Row {
  readonly kind: string;
  /** The program; undefined if the fault changes nothing anywhere. */
  readonly program?: string;
  /** Calls beyond creation, of the program and of what is left. */
  readonly before?: number;
  readonly calls?: number;
  /** Whether the script passes on driver A and fails on driver B: `"right"`, or what is wrong with it. */
  readonly script?: string;
  /** Lines of the test's body. */
  readonly body?: number;
  readonly tries?: number;
  readonly seconds?: number;
}

/** Counts the calls of a recording that do more than make objects. */
export function callsIn(lines: readonly RecordedLine[]): number {
  return lines.filter((line) => "command" in line && !CREATION.test(line.command)).length;
}

/** Returns what a reduction came to. */
export function rowOf(
  kind: string,
  [before, calls]: readonly [before: number, after: number],
  { tries, script }: ReducedRecording,
): Row {
  if (!("path" in script)) return { kind, before, calls, script: script.missing, tries };
  return { kind, before, calls, script: "right", body: bodyOf(Deno.readTextFileSync(script.path)), tries };
}

/** Lines between the first and the last line of a script's test. */
function bodyOf(text: string): number {
  const lines = text.trimEnd().split("\n"), first = lines.findIndex((line) => line.startsWith("gpuTest("));
  return lines.findIndex((line, index) => index > first && line === "});") - first - 1;
}

/** Whether little enough is left, and the script does as it should. */
export function isRight({ program, calls, script }: Row): boolean {
  return program === undefined || calls! <= MOST_LEFT && script === "right";
}

/** The rows of an earlier run, by their kinds. A row that was cut off does not count. */
export function knownRows(path: string | undefined): Map<string, Row> {
  const lines = path !== undefined && existsSync(path) ? Deno.readTextFileSync(path).split("\n") : [];
  return new Map(
    lines.filter((line) => line.endsWith("}")).map((line): [string, Row] => {
      const row: Row = JSON.parse(line);
      return [row.kind, row];
    }),
  );
}

/** Returns how many kinds were reduced, with the least, the middle and the most that is left of them. */
export function summaryOf(rows: readonly Row[]): string {
  const reduced = rows.filter(({ program }) => program !== undefined),
    right = rows.filter(({ script }) => script === "right");
  const spread = (numbers: readonly (number | undefined)[]) => {
    const sorted = numbers.filter((each) => each !== undefined).sort((one, other) => one - other);
    return `${sorted[0]} to ${sorted.at(-1)}, half of them up to ${sorted[Math.floor((sorted.length - 1) / 2)]}`;
  };
  return `${reduced.length} of ${rows.length} kinds reduced; calls beyond creation: ${
    spread(reduced.map(({ calls }) => calls))
  }; ` +
    `lines of a test's body: ${spread(right.map(({ body }) => body))}; scripts that are right: ${right.length}`;
}
