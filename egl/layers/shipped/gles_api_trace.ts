import { bytesAt } from "../../../ffi/arena.ts";
import { callback, checkOptions, object, type OptionRules, text } from "../../../ffi/check_options.ts";
import { readCString } from "../../../ffi/cstring.ts";
import { peek32, peek64 } from "../../../ffi/machine.ts";
import { microseconds, prepareClock } from "../../../loader/layers/shipped/native/clock.ts";
import { newFile, prepareFiles } from "../../../loader/layers/shipped/native/file.ts";
import type { Word } from "../../api/driver_calls.ts";
import type { Command, Parameter } from "../../command/spec.ts";
import { commandNamed } from "../commands.ts";
import type { GlesLayer } from "../gles_layer.ts";

/** Settings of {@linkcode glesApiTrace}: where lines are written, and which calls are traced. */
export interface GlesApiTraceOptions {
  /** Gets each line, without a line break. Exactly one of `write` and `path` is required. */
  readonly write?: (line: string) => void;
  /** The file to write. */
  readonly path?: string;
  /**
   * Called once for each command; returns whether the command is traced. Default: all. Other commands cost
   * nothing.
   */
  readonly predicate?: (command: string) => boolean;
  /**
   * Names of enumeration values, such as `import * as gl from "@pumice/gfx/gl"`. Default: values are written as
   * numbers.
   */
  readonly constants?: GlConstants;
}

const RULES: OptionRules<GlesApiTraceOptions> = {
  write: callback("takes a line"),
  path: text("the path of a file"),
  predicate: callback("says whether a command is traced"),
  constants: object("a module of constants"),
};

/** The most bytes of a text that are read. */
const MOST = 1 << 24;

/** One call, as a line of JSON. */
export interface GlesTraceLine {
  /** The call's number from 0, in the order in which calls began. */
  readonly call: number;
  /** The command. */
  readonly command: string;
  /**
   * The raw arguments by their C names: enumeration values by name if the name is known, 64-bit values and addresses in
   * hexadecimal, strings as text, arrays of strings as arrays of text. Numbers that JSON does not know are the texts
   * `NaN`, `Infinity`, `-Infinity` and `-0`.
   */
  readonly args: Readonly<Record<string, GlesTraceValue>>;
  /** The result; absent if the command returns nothing or threw. */
  readonly result?: GlesTraceValue;
  /** The thrown error, as text. */
  readonly threw?: string;
  /** Microseconds in the command and in everything below. */
  readonly us: number;
}

/** A value in a line. */
export type GlesTraceValue = number | string | boolean | null | readonly (string | null)[];

/** A layer that writes calls as text. */
export interface GlesApiTrace extends Disposable {
  /** The layer, for `layers` of `loadEgl` or for `egl.attach`. */
  readonly layer: GlesLayer;
  /** Whether the layer writes; can be changed at any time. */
  enabled: boolean;
  /** The error of a failed write. Nothing is written afterwards, and the program continues. */
  readonly error: unknown;
  /** Stops writing and closes the file. A second call does nothing. */
  close(): void;
}

/**
 * Creates a layer that writes each call, once it has returned, as a line of JSON, a {@linkcode GlesTraceLine}.
 *
 * @throws when not exactly one of `write` and `path` is given.
 * @throws when the file cannot be created.
 *
 * @example
 * ```ts
 * import { glesApiTrace } from "@pumice/gfx/gles-layers";
 * import { assertEquals } from "@std/assert";
 *
 * const lines: string[] = [];
 * using trace = glesApiTrace({ write: (line) => lines.push(line), predicate: (command) => command === "glClear" });
 * assertEquals(trace.layer.name, "glesApiTrace");
 * ```
 */
export function glesApiTrace(options: GlesApiTraceOptions): GlesApiTrace {
  checkOptions("glesApiTrace()", options, RULES);
  const { write, path, predicate = () => true, constants = {} } = options;
  if ((write === undefined) === (path === undefined)) {
    throw new TypeError("Cannot trace: give either write or path, to say where lines go");
  }
  prepareClock();
  prepareFiles();
  const file = path === undefined ? undefined : newFile(path, "glesApiTrace({ path })");
  function put(line: string): void {
    const size = file?.size ?? 0;
    try {
      if (write) write(line);
      else file!.writeText(`${line}\n`);
    } catch (error) {
      failed = { error };
      file?.cutTo(size); // a part of a line is no line
    }
  }
  const names = new EnumNames(constants);
  let calls = 0, open = true, failed: { readonly error: unknown } | undefined;
  const layer: GlesLayer = {
    name: "glesApiTrace",
    anyCommand(name) {
      if (!predicate(name)) return undefined;
      const command = commandNamed(name)!;
      return (next, ...args) => {
        if (!open || failed || !trace.enabled) return next(...args);
        const call = calls++, given = argumentsOf(command, args, names), begun = microseconds();
        const done = (outcome: Pick<GlesTraceLine, "result" | "threw">) =>
          put(JSON.stringify({ call, command: name, args: given, ...outcome, us: Math.round(microseconds() - begun) }));
        return followed(() => next(...args), done, (result) => valueOf(resultOf(command), result, names));
      };
    },
  };
  const close = () => {
    open = false;
    file?.close();
  };
  const trace: GlesApiTrace = {
    layer,
    enabled: true,
    get error() {
      return failed?.error;
    },
    close,
    [Symbol.dispose]: close,
  };
  return trace;
}

function followed<T extends Word | undefined>(
  call: () => T,
  done: (outcome: Pick<GlesTraceLine, "result" | "threw">) => void,
  show: (result: Word) => GlesTraceValue,
): T {
  let result: T;
  try {
    result = call();
  } catch (error) {
    done({ threw: String(error) });
    throw error;
  }
  done(result === undefined ? {} : { result: show(result) });
  return result;
}

function argumentsOf(
  { name: command, params }: Command,
  args: readonly Word[],
  names: EnumNames,
): Record<string, GlesTraceValue> {
  const number = (name: string) => Number(args[params.findIndex((each) => each.name === name)] ?? 0);
  const lengths = params.findIndex(({ name, code, stars }) => name.startsWith("length") && code === "i" && stars === 1);
  return Object.fromEntries(params.map((each, index) => {
    const { code, stars, isConst, len } = each, address = args[index];
    if (code !== "c" || !isConst || stars < 1 || address === 0n) return [each.name, valueOf(each, address, names)];
    if (stars === 1) return [each.name, textAt(address as bigint, lengthOf(command, params, args))];
    const all = { count: number(len), lengths: lengths < 0 ? 0n : args[lengths] as bigint };
    return [each.name, textsAt(address as bigint, all)];
  }));
}

/**
 * The length that a command gets beside a text; negative for a text up to its NUL. Markers and labels of extensions
 * have 0 for that.
 */
function lengthOf(command: string, params: readonly Parameter[], args: readonly Word[]): number {
  const at = params.findIndex(({ name, code, stars }) => name === "length" && code === "i" && stars === 0);
  const length = at < 0 ? -1 : Number(args[at]) | 0;
  return length === 0 && command.endsWith("EXT") ? -1 : length;
}

/** Strings at addresses, with lengths beside them where the command gets such; `null` for NULL. */
function textsAt(address: bigint, { count, lengths }: { count: number; lengths: bigint }): (string | null)[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const at = peek64(address + BigInt(8 * index));
    if (at === 0n) return null;
    return textAt(at, lengths === 0n ? -1 : peek32(lengths + BigInt(4 * index)) | 0);
  });
}

function textAt(address: bigint, length: number): string {
  if (length < 0) return readCString(address, MOST);
  return new TextDecoder().decode(bytesAt(address, Math.min(length, MOST)));
}

type Shape = Pick<Parameter, "code" | "stars" | "isConst">;

function resultOf({ result }: Command): Shape {
  const stars = result.lastIndexOf("*") + 1, code = result.replace(/[*&]/g, "");
  return { code: code === "Y" && stars > 0 ? "c" : code, stars, isConst: true };
}

function valueOf({ code, stars, isConst }: Shape, value: Word, names: EnumNames): GlesTraceValue {
  if (stars === 1 && code === "c" && isConst) return value === 0n ? null : textAt(value as bigint, -1);
  if (typeof value === "bigint") return `0x${value.toString(16)}`;
  if (code === "e") return names.of(value);
  if (code === "b" || code === "B") return (value & 255) !== 0;
  if (Object.is(value, -0)) return "-0";
  return Number.isFinite(value) ? value : `${value}`;
}

/** Constants by name; `import * as gl from "@pumice/gfx/gl"` gives such an object. */
export type GlConstants = Readonly<Record<string, unknown>>;

/** Names of enumeration values. */
export class EnumNames {
  readonly #names = new Map<number, string>();

  /** Collects the names. Of several names with one value, the shortest counts: names of extensions are longer. */
  constructor(constants: GlConstants) {
    for (const [name, value] of Object.entries(constants)) {
      if (typeof value !== "number" || !/^E?GL_[A-Z0-9_a-z]+$/.test(name) || /_BIT\d*(?:_|$)/.test(name)) continue;
      const known = this.#names.get(value);
      if (known === undefined || name.length < known.length) this.#names.set(value, name);
    }
  }

  /** The name of a value, or the value itself if it has no name. Small values mean something else in each command. */
  of(value: number): string | number {
    return value < 0x100 ? value : this.#names.get(value) ?? value;
  }
}
