import { type Arena, arena } from "../../../ffi/arena.ts";
import { generatedMaker, mayGenerate, ownMark } from "../../../ffi/generated_code.ts";
import type { NativeCall } from "../../command/compile.ts";
import { commandSignature } from "../../command/plan.ts";
import type { Command } from "../../command/registry/table.ts";
import type { AnyHook, Layer } from "../../layer.ts";
import { blamed } from "./blame.ts";
import { type PassedCheck, passedCheck } from "./passed.ts";
import { type HandleWatch, watchOf } from "./watch.ts";

/** The letters of results in signatures. */
type ResultLetter = "s" | "w" | "q";

/** The parts of a link. */
interface Parts {
  readonly hook: AnyHook;
  readonly next: NativeCall;
  readonly memory: Arena;
  readonly check: PassedCheck;
  /** Throws an error about a result of the wrong type. */
  readonly wrong: (result: unknown) => never;
  /** Adds the layer and the command to an error that the hook threw. */
  readonly blame: (error: unknown) => unknown;
  /** The form of the result: `s` signed or `w` unsigned 32 bits, `q` 64 bits; `undefined` if it does not count. */
  readonly result: ResultLetter | undefined;
  readonly watch: HandleWatch | undefined;
  /** The same link, for a hook that is called again while it is running. */
  readonly again: NativeCall;
}

/** A hook with the function below. */
export interface Link {
  (...args: unknown[]): unknown;
  /** Whether the hook has begun and not returned. */
  isRunning(): boolean;
  /** The number of links below. */
  depth?: number;
}

type Maker = (parts: Parts) => Link;

/**
 * Joins a layer's hook and the function below into one function that passes
 * nothing on which the function below could not survive: see
 * {@linkcode passedCheck} and {@linkcode watchOf}. A hook that passes on its
 * arguments pays only for comparing them. Memory that the hook allocates in the
 * arena is valid until the hook returns.
 */
export function guardedLink(layer: Layer, hook: AnyHook, next: NativeCall, command: Command): Link {
  const signature = commandSignature(command, "raw");
  let inner: NativeCall | undefined;
  const parts: Parts = {
    again: (...args) => (inner ??= interpreted(parts))(...args),
    hook,
    next,
    memory: arena(),
    check: passedCheck(layer, command),
    blame: (error) => blamed(error, layer.name, command.name),
    wrong(result) {
      const found = result instanceof Promise ? "a Promise" : result === null ? "null" : describeResult(result);
      throw new TypeError(
        `${layer.name} returns ${found} from ${command.name}: return what next() gives, or a ${KINDS[parts.result!]}`,
      );
    },
    result: resultOf(signature),
    watch: watchOf(layer, command),
  };
  const depth = ((next as Partial<Link>).depth ?? -1) + 1;
  const link = (mayGenerate() ? compiled(signature, parts.watch, depth) : interpreted)(parts);
  link.depth = depth;
  return link;
}

/** The TypeScript type of each kind of result. */
const KINDS = { s: "number", w: "number", q: "bigint" } as const;

/** A number is told itself: it has no 32 bits. */
function describeResult(result: unknown): string {
  return typeof result === "number" ? `${result}, which is no 32-bit integer` : typeof result;
}

/** The source of the test whether a result cannot be one. */
const MISFITS = {
  s: "(result | 0) !== result",
  w: "(result >>> 0) !== result",
  q: 'typeof result !== "bigint"',
} as const;

/** The same test as a function. */
function isMisfit(letter: ResultLetter, result: unknown): boolean {
  if (letter === "q") return typeof result !== "bigint";
  return (letter === "s" ? (result as number) | 0 : (result as number) >>> 0) !== result;
}

const makers = new Map<string, Maker>();
/**
 * The number of links of a chain with code of their own; deeper ones share the last. V8 inlines no function into
 * itself and predicts the calls of one code by all its links: a call through four links takes a third of the time of
 * one code.
 */
const CODES = 32;
const PARTS = "{ hook, next, memory, check, wrong, blame, again, watch }";

/** Stands for "no error", while nothing was thrown below a hook. */
const NOTHING = Symbol("nothing");

/**
 * The arity is fixed, so that nothing is allocated for a call. Links with a
 * watch are few, and each is compiled alone.
 */
function compiled(signature: string, watch: HandleWatch | undefined, depth: number): Maker {
  const code = Math.min(depth, CODES - 1), key = `${signature} ${code}`;
  let maker = watch ? undefined : makers.get(key);
  if (!maker) {
    const source = linkSource(signature.slice(2), resultOf(signature), watch),
      own = watch ? ownMark(source) : ` // ${code}`;
    maker = generatedMaker([PARTS], source + own, `link/${signature}`) as Maker;
    if (!watch) makers.set(key, maker);
  }
  return maker;
}

function resultOf(signature: string): Parts["result"] {
  return signature[0] === "v" ? undefined : signature[0] as ResultLetter;
}

/**
 * `letters` are those of the parameters. The hook's 64-bit arguments are kept
 * in an array, because a variable would make objects of them.
 */
function linkSource(letters: string, result: Parts["result"], watch: HandleWatch | undefined): string {
  const args = each(letters, (i) => `a${i}`), kept = (i: number) => letters[i] === "q" ? `long[${i}]` : `c${i}`;
  const watched = watch ? `a0, a${watch.place}, a${watch.measure}` : "", given = result ? "result" : "undefined";
  const tell = (name: keyof HandleWatch, args: string) => watch?.[name] ? `watch.${name}(${args});` : "";
  return `
    ${watch?.destroyed ? "const { destroyed } = watch;" : ""}
    const none = {};
    let isRunning = false, passed = none, ${each(letters, (i) => `c${i} = 0`)};
    const long = new BigUint64Array(${letters.length});
    const checkAll = (...args) => check(args, isRunning ? [${each(letters, kept)}] : []);
    const down = (${args}) => {
      if (!isRunning || ${each(letters, (i) => `a${i} !== ${kept(i)}`, " || ")}) checkAll(${args});
      ${tell("before", watched)}
      let result;
      try {
        result = next(${args});
      } catch (error) {
        throw passed = error;
      }
      ${tell("after", `${watched}, ${given}`)}
      return result;
    };
    const end = (mark) => {
      ${watch?.destroyed ? "destroyed.end();" : ""}
      isRunning = false;
      passed = none;
      memory.release(mark);
    };
    ${failSource(watch)}
    const link = (${args}) => {
      if (isRunning) return again(${args});
      const mark = memory.mark();
      isRunning = true;
      ${each(letters, (i) => `${kept(i)} = a${i};`, " ")}
      ${watch?.destroyed ? "const began = destroyed.begin();" : ""}
      ${result ? "let result;" : ""}
      try {
        ${result ? "result = " : ""}hook(down, ${args});
        ${result ? `if (${MISFITS[result]}) wrong(result);` : ""}
        ${tell("returns", `${watched}, ${given}`)}
      } catch (error) {
        fail(error, mark, ${watch?.destroyed ? "began" : "0"}, ${args});
      }
      end(mark);
      ${result ? "return result;" : ""}
    };
    link.isRunning = () => isRunning;
    return link;`;
}

/**
 * The error path of a link, apart from the link itself, which stays small so
 * that the engine compiles a whole call as one. An error thrown below the hook
 * is passed on unchanged.
 */
function failSource({ undo, owes }: HandleWatch = {} as HandleWatch): string {
  return `const fail = (error, mark, began, ...args) => {
    try {
      const named = error === passed ? error : blame(error);
      ${undo ? "watch.undo(args);" : ""}
      ${owes ? "if (watch.owes(args, began)) down(...args);" : ""}
      throw named;
    } finally {
      end(mark);
    }
  };`;
}

function each(letters: string, write: (index: number) => string, separator = ", "): string {
  return Array.from(letters, (_, index) => write(index)).join(separator);
}

/** The same for any number of arguments, and for commands with a watch over handles. */
function interpreted({ hook, next, memory, check, wrong, blame, result: wanted, watch }: Parts): Link {
  const none: readonly unknown[] = [];
  let came = none, passed: unknown = NOTHING;
  const down: NativeCall = (...args) => {
    if (args.some((arg, index) => arg !== came[index]) || args.length !== came.length) check(args, came);
    watch?.before?.(args[0], args[watch.place], args[watch.measure]);
    let result: unknown;
    try {
      result = next(...args);
    } catch (error) {
      throw passed = error;
    }
    watch?.after?.(args[0], args[watch.place], args[watch.measure], result);
    return result;
  };
  const link: NativeCall = (...args) => {
    // deno-lint-ignore pumice/frames -- Every hook runs through here: a closure for each call would cost as much as the rest.
    const before = came, mark = memory.mark();
    came = args;
    const began = watch?.destroyed?.begin() ?? 0;
    try {
      const result = wanted ? hook(down, ...args) : void hook(down, ...args);
      if (wanted && isMisfit(wanted, result)) wrong(result);
      watch?.returns?.(args[0], args[watch.place], args[watch.measure], result);
      return result;
    } catch (error) {
      const named = error === passed ? error : blame(error);
      watch?.undo?.(args);
      if (watch?.owes?.(args, began)) down(...args);
      throw named;
    } finally {
      passed = NOTHING;
      watch?.destroyed?.end();
      came = before;
      memory.release(mark);
    }
  };
  return Object.assign(link, { isRunning: () => came !== none });
}
