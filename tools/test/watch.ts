/**
 * Runs in the process of a batch: imports the test files, and notes for the runner which of them start programs, and
 * which parts of the machine the skipped tests lack.
 *
 * @module
 */
import { basename } from "node:path";

/** The messages of a batch's process to the runner. */
export interface Notes {
  /** By test file, how often the file's tests started a program, by the program's name. */
  readonly started: Record<string, Record<string, number>>;
  /** By test file, the part that each skipped test of the file lacks, in the order of the tests. */
  readonly missing: Record<string, string[]>;
}

const ROOT = new URL("../../", import.meta.url).href;
/** The deepest stack in which a test file is looked for. */
const DEPTH = 200;

let importing: string | undefined;
let notes: Notes | undefined;

/**
 * Imports test files, one after the other, and writes what was noted to `path` when the process ends, if a path is given.
 * A file that throws while it is imported is a failed test with its name; the other files run.
 */
export async function runFiles(files: readonly string[], path?: string): Promise<void> {
  if (path !== undefined) watchPrograms(path);
  for (const file of files) {
    importing = file;
    try {
      await import(new URL(file, ROOT).href);
    } catch (error) {
      Deno.test(`${file} is imported`, () => Promise.reject(error));
    }
  }
  importing = undefined;
}

/** Notes that the machine lacks a part, and that the test that is registered next is skipped. */
export function noteMissing(part: string): void {
  if (notes && importing) (notes.missing[importing] ??= []).push(part);
}

/** Lets each `Deno.Command` be noted, and all notes be written in the end. */
function watchPrograms(path: string): void {
  const noted: Notes = notes = { started: {}, missing: {} };
  globalThis.addEventListener("unload", () => Deno.writeTextFileSync(path, JSON.stringify(noted)));
  Deno.Command = class extends Deno.Command {
    constructor(command: string | URL, options?: Deno.CommandOptions) {
      super(command, options);
      noteProgram([`${command}`, ...options?.args ?? []]);
    }
  };
}

/** A program that `timeout` starts is meant itself. */
function noteProgram(words: readonly string[]): void {
  const name = words.some((word) => word === Deno.execPath()) ? "deno" : basename(words[0]);
  const started = notes!.started[fileOfCaller()] ??= {};
  started[name] = (started[name] ?? 0) + 1;
}

/** The test file that called, "" if none is on the stack. */
function fileOfCaller(): string {
  if (importing) return importing;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = DEPTH;
  const stack = new Error().stack ?? "";
  Error.stackTraceLimit = stackTraceLimit;
  return [...stack.matchAll(/\/(tests\/[\w./-]+_test\.ts):\d/g)].at(-1)?.[1] ?? "";
}
