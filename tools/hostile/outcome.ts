import { GraphicsError } from "../../ffi/error.ts";
import { BadMessage } from "../../hwc/remote/wire/wire.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { QueueTrouble } from "../../workbench/runs/queue/trouble.ts";

/** A row of the table: inputs of one kind that one reader was given. */
export interface Row {
  /** The kind of input. */
  readonly kind: string;
  /** The reader. */
  readonly reader: string;
  /** The number of inputs. */
  readonly inputs: number;
  /** The number of inputs with each outcome. */
  readonly counts: Readonly<Record<string, number>>;
  /** Sentences about inputs that no reader may answer like that. */
  readonly findings: readonly string[];
}

/** Milliseconds that a reader may take for one input. A machine that is busy takes ten times as long as a quiet one. */
export const MOST_MILLISECONDS = 3000;

/** Errors that the engine throws where a program is wrong; ours of the same classes have sentences. */
const ENGINE =
  /^Cannot (?:read propert|set propert|destructure|convert|mix|use 'in'|access '|assign to|delete prop|add propert|define prop)|^Invalid (?:array|typed|count|string|code|time|Date|DataView|weak)|^Maximum call|^Reduce of|^Offset is outside|^Start offset|^byte length|^offset is out|out of range$|is not (?:a function|iterable|defined|a constructor|an object|extensible)|^Unexpected|^Expected |^Unterminated|^Bad |^Exponent|^No number|^The encoded data/;

/** Returns the outcome of an error: "refused" for a documented one, otherwise a sentence. */
export function outcomeOf(error: unknown): "refused" | { readonly finding: string } {
  const isOurs = [GraphicsError, BadMessage, WrongUse, QueueTrouble].some((kind) => error instanceof kind);
  if (isOurs) return "refused";
  const isSentence = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  if (isSentence && !ENGINE.test(error.message)) return "refused";
  return { finding: `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}` };
}

/** Calls a reader. Returns "taken", "refused", or a finding: another error, or too long a time. */
export function tried(read: () => unknown): "taken" | "refused" | { readonly finding: string } {
  const start = performance.now();
  let outcome: ReturnType<typeof tried> = "taken";
  try {
    read();
  } catch (error) {
    outcome = outcomeOf(error);
  }
  const took = performance.now() - start;
  return took > MOST_MILLISECONDS ? { finding: `took ${Math.round(took)} ms` } : outcome;
}

/** Lines of a table, and the findings behind it. */
export function tableOf(rows: readonly Row[], seed: number): string[] {
  const cells = rows.map(({ kind, reader, inputs, counts }) => [
    kind,
    reader,
    String(inputs),
    Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(", "),
  ]);
  const all = [["kind", "reader", "inputs", "outcomes"], ...cells];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column].length)));
  const lines = all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd());
  const findings = rows.flatMap(({ reader, findings }) => findings.map((finding) => `${reader}: ${finding}`));
  return [...lines, `seed ${seed}, ${findings.length} findings`, ...findings];
}
