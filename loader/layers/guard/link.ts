import { type Arena, arena } from "../../../ffi/arena.ts";
import { mayGenerate } from "../../codec/compile.ts";
import type { NativeCall } from "../../command/compile.ts";
import { commandSignature } from "../../command/kind.ts";
import type { Command } from "../../command/table.ts";
import type { AnyHook, Layer } from "../../layer.ts";
import { goneWatch } from "./gone.ts";
import { type HandleWatch, madeWatch } from "./made.ts";
import { type PassedCheck, passedCheck } from "./passed.ts";

/** What a link is made of. */
interface Parts {
  readonly hook: AnyHook;
  readonly next: NativeCall;
  readonly memory: Arena;
  readonly check: PassedCheck;
  /** Throws about a result of the wrong type. */
  readonly wrong: (result: unknown) => never;
  /** What a result must be; `undefined` for one that does not count. */
  readonly result: "number" | "bigint" | undefined;
  readonly watch: HandleWatch | undefined;
}

type Maker = (parts: Parts) => NativeCall;

/**
 * A layer's hook of a command and what lies below it as one function, which
 * lets nothing through that what lies below could not survive: see
 * {@linkcode passedCheck} and {@linkcode madeWatch}. A hook that passes on what
 * it got pays for comparing it. What the hook writes in the arena lasts until
 * it returns.
 */
export function guardedLink(layer: Layer, hook: AnyHook, next: NativeCall, command: Command): NativeCall {
  const letter = commandSignature(command, "raw")[0];
  const parts: Parts = {
    hook,
    next,
    memory: arena(),
    check: passedCheck(layer, command),
    wrong(result) {
      const found = result instanceof Promise ? "a Promise" : result === null ? "null" : typeof result;
      throw new TypeError(
        `${layer.name} returns ${found} from ${command.name}: return what next() gives, or a ${parts.result}`,
      );
    },
    result: letter === "v" ? undefined : letter === "q" ? "bigint" : "number",
    watch: layer.ownHandles ? undefined : madeWatch(layer, command) ?? goneWatch(layer, command),
  };
  const make = !parts.watch && mayGenerate() ? compiled(command.params.length, parts.result) : interpreted;
  return make(parts);
}

const makers = new Map<string, Maker>();

/** Fixed arity, so that nothing is allocated on each call. */
function compiled(arity: number, result: Parts["result"]): Maker {
  const key = `${arity} ${result}`;
  let maker = makers.get(key);
  if (!maker) makers.set(key, maker = compile(arity, result));
  return maker;
}

function compile(arity: number, result: Parts["result"]): Maker {
  const each = (write: (index: number) => string, separator = ", ") =>
    Array.from({ length: arity }, (_, index) => write(index)).join(separator);
  const args = each((i) => `a${i}`), came = each((i) => `c${i}`);
  const text = `
    let ${came};
    const down = (${args}) => {
      if (${each((i) => `a${i} !== c${i}`, " || ")}) check([${args}], [${came}]);
      return next(${args});
    };
    return (${args}) => {
      const ${each((i) => `b${i} = c${i}`)}, mark = memory.mark();
      ${each((i) => `c${i} = a${i};`, " ")}
      try {
        const result = hook(down, ${args});
        ${result ? `if (typeof result !== "${result}") wrong(result); return result;` : ""}
      } finally {
        ${each((i) => `c${i} = b${i};`, " ")}
        memory.release(mark);
      }
    };`;
  return new Function("{ hook, next, memory, check, wrong }", text) as Maker;
}

/** The same for any number of arguments, and for commands whose handles are looked at. */
function interpreted({ hook, next, memory, check, wrong, result: wanted, watch }: Parts): NativeCall {
  let came: readonly unknown[] = [];
  const down: NativeCall = (...args) => {
    if (args.some((arg, index) => arg !== came[index]) || args.length !== came.length) check(args, came);
    watch?.before?.(args);
    const result = next(...args);
    watch?.after?.(args, result);
    return result;
  };
  return (...args) => {
    const before = came, mark = memory.mark();
    came = args;
    watch?.begin?.();
    try {
      const result = wanted ? hook(down, ...args) : void hook(down, ...args);
      if (wanted && typeof result !== wanted) wrong(result);
      watch?.check?.(args, result);
      return result;
    } catch (error) {
      watch?.undo?.(args);
      if (watch?.owes?.(args)) down(...args);
      throw error;
    } finally {
      watch?.end?.();
      came = before;
      memory.release(mark);
    }
  };
}
