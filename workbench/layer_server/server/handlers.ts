import type { NativeCall } from "../../../loader/command/compile.ts";
import type { Hooks, LayerKind } from "./layer_kind.ts";

/** The composed hooks of a command. */
export interface Handler {
  readonly name: string;
  readonly signature: string;
  /** The result if a hook throws. */
  readonly failure: number | bigint;
  readonly run: NativeCall;
}

/** Throws a `TypeError` for a result that the program cannot get. */
export function requireResult({ name, signature }: Handler, result: unknown): unknown {
  const letter = signature[0], found: string = typeof result;
  if (letter === "v" || found === (letter === "q" ? "bigint" : "number")) return result;
  throw new TypeError(`A hook of ${name} returned ${result}: return what next() returns, or a value of that type`);
}

/** The composed hooks of the commands that were called. */
export class Handlers<Kind extends { readonly name: string }> {
  readonly #kind: LayerKind<Kind>;
  readonly #names: readonly string[];
  readonly #hooks: Hooks<Kind>;
  readonly #known = new Map<number, Handler>();

  /** Composes hooks when they are first wanted. */
  constructor(kind: LayerKind<Kind>, hooks: Hooks<Kind>) {
    this.#kind = kind;
    this.#names = kind.names();
    this.#hooks = hooks;
  }

  /** Forgets all: the layers have changed. */
  clear(): void {
    this.#known.clear();
  }

  /** Returns the hooks of a command; `undefined` for a number that no command has. */
  of(number: number): Handler | undefined {
    const known = this.#known.get(number), name = this.#names[number];
    if (known || name === undefined) return known;
    const signature = this.#kind.signatureOf(name), failure = this.#kind.failureOf(name);
    const handler = { name, signature, failure, run: this.#hooks.compose(name) };
    this.#known.set(number, handler);
    return handler;
  }
}
