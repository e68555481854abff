/** Keeps the source of generated code; `undefined` while {@linkcode dumpGenerated} is off. */
let dump: ((title: string, source: string) => void) | undefined;

/**
 * Compiles the body of a function whose parameters are `names`. The title names
 * the code in stack traces, as `pumice/TITLE`. Throws an `EvalError` where code
 * may not be generated from strings: see {@linkcode mayGenerate}.
 */
export function generatedMaker(
  names: readonly string[],
  body: string,
  title: string,
): (...values: unknown[]) => unknown {
  const place = title.replaceAll(/[^\w./-]/g, "_");
  dump?.(place, `// given: ${names.join(", ")}\n${body}\n`);
  return new Function(...names, `${body}\n//# sourceURL=pumice/${place}`) as (...values: unknown[]) => unknown;
}

/** Runs a body once, with the entries of `scope` as its free names, and returns the body's result. */
export function generated(body: string, scope: Readonly<Record<string, unknown>>, title: string): unknown {
  return generatedMaker(Object.keys(scope), body, title)(...Object.values(scope));
}

/**
 * Writes the source of all code that the package generates from now on to a
 * directory, for debugging: `DIRECTORY/TITLE.js`, where a stack trace says
 * `pumice/TITLE`. If several sources have the same title, the second and later
 * ones get a number. `undefined` stops the writing. Needs permission to write
 * to the directory. Code that was generated earlier is not written.
 *
 * @example The code behind a method
 * ```ts no-eval
 * import { dumpGenerated } from "@pumice/gfx/ffi";
 *
 * dumpGenerated("out/generated"); // out/generated/direct/vkCreateBuffer.js comes with the first call
 * ```
 */
export function dumpGenerated(directory: string | undefined): void {
  if (directory === undefined) return void (dump = undefined);
  Deno.mkdirSync(directory, { recursive: true });
  const seen = new Map<string, number>();
  dump = (title, source) => {
    const count = (seen.get(title) ?? 0) + 1, path = `${directory}/${title}${count > 1 ? `-${count}` : ""}.js`;
    seen.set(title, count);
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(path, source);
  };
}

/** The number of marks, and so of texts of one title that are unlike each other. */
const MARKS = 32;
/** By title: what was made with each mark, and whose turn comes next. */
const turns = new Map<string, { readonly made: unknown[]; next: number }>();

/**
 * Returns a comment that makes a text of generated code unlike the last ones
 * of the same title. V8 compiles equal texts once. A call site that has seen
 * the functions of several uses can predict none of them, and each call then
 * takes about ten nanoseconds more. Marks come again after a while: the engine
 * keeps what it compiled, and a program that makes many devices must not grow.
 */
export function ownMark(title: string): string {
  return inTurn(title, (mark) => mark);
}

/**
 * Returns what `make` made with the mark whose turn it is (see
 * {@linkcode ownMark}), and calls `make` only for a new mark: to write a text
 * and to look whether it is compiled already takes longer than to use what was
 * made. A title always goes with the same `make`. With fewer `marks`, what
 * somebody makes often is warm sooner.
 */
export function inTurn<T>(title: string, make: (mark: string) => T, marks: number = MARKS): T {
  const turn = turns.get(title) ?? { made: [], next: 0 }, at = turn.next;
  turns.set(title, turn);
  turn.next = (at + 1) % marks;
  return (turn.made[at] ??= make(` // ${at}`)) as T;
}

let allowed: boolean | undefined;

/**
 * Whether this runtime lets strings become code
 * (`--disallow-code-generation-from-strings` forbids it). Checked once.
 */
export function mayGenerate(): boolean {
  if (allowed !== undefined) return allowed;
  try {
    new Function("");
    return allowed = true;
  } catch {
    return allowed = false;
  }
}
