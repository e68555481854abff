import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";
import { failureOf } from "../api/forward.ts";
import type { EglScope } from "../api/scope.ts";
import type { RawCommand } from "../api/state.ts";
import { signatureOf } from "../command/spec.ts";
import { glCommands } from "../dispatch/names.ts";
import { callAt } from "./code.ts";
import { commandNamed, QUERIES } from "./commands.ts";

/** One command at one level of a chain of layers. */
export interface Level {
  /** The owner of the level: a TypeScript layer's hook, a native layer's function, or the bottom below all layers. */
  readonly kind: "hook" | "native" | "bottom";
  /**
   * Returns the function for calls from TypeScript. `isHot` means that the command deserves generated code of its own.
   */
  call(isHot: boolean): RawCommand;
  /** The function for native code, made at the first access; 0n if the driver has none. */
  readonly address: bigint;
  /** The function for native code on other threads, which have no context of this loader. */
  readonly elsewhere: bigint;
}

/** The level below all layers: the loader's own EGL commands and the driver's GL functions. */
export class Bottom {
  readonly #scope: EglScope;
  readonly #levels = new Map<string, Level>();
  readonly #thunks: Thunk[] = [];

  /** Makes no function yet. */
  constructor(scope: EglScope) {
    this.#scope = scope;
  }

  /** A command at the bottom; for an unknown name, the driver's function. */
  at(name: string): Level {
    const known = this.#levels.get(name);
    if (known) return known;
    const level = this.#make(name);
    this.#levels.set(name, level);
    return level;
  }

  /** Frees the functions. No layer may call them any more. */
  close(): void {
    for (const thunk of this.#thunks) thunk.free();
    this.#thunks.length = 0;
    this.#levels.clear();
  }

  #make(name: string): Level {
    const command = commandNamed(name), slot = glCommands.slot(name);
    if (!command) return this.#unknown(name);
    if (slot === undefined) {
      return this.#own(name, (...args) => this.#scope.own(name)!(...args), () => this.#elsewhere(name));
    }
    const carry = this.#scope.gl.callOf(command), { dispatch } = this.#scope.state;
    const call = (isHot: boolean) => callAt(command, carry, dispatch.below, slot, isHot);
    if (QUERIES.includes(name)) return this.#own(name, call(false), () => dispatch.bottomElsewhere(slot));
    return gl(call, () => dispatch.table(2).below(slot), () => dispatch.bottomElsewhere(slot));
  }

  #elsewhere(name: string): bigint {
    return this.#scope.procAddresses.entrances?.elsewhere(name) ?? 0n;
  }

  /** A command of the loader's own. Calls from other threads go to `elsewhere`. */
  #own(name: string, call: RawCommand, elsewhere: () => bigint): Level {
    const command = commandNamed(name)!, failure = failureOf(command);
    let thunk: Thunk | undefined;
    const make = () => {
      const signature = signatureOf(command);
      thunk = createThunk(signature, call, {
        failure: signature[0] === "q" ? BigInt(failure) : Number(failure),
        next: elsewhere(),
      });
      this.#thunks.push(thunk);
      return thunk;
    };
    return {
      kind: "bottom",
      call: () => call,
      get address() {
        return (thunk ?? make()).address;
      },
      get elsewhere() {
        return elsewhere() || this.address;
      },
    };
  }

  #unknown(name: string): Level {
    const address = this.#scope.state.driver.find(name, name.startsWith("gl") ? "gles2" : "egl");
    return { kind: "bottom", call: () => () => 0n, address, elsewhere: address };
  }
}

function gl(call: Level["call"], find: () => bigint, elsewhere: () => bigint): Level {
  return {
    kind: "bottom",
    call,
    get address() {
      return find();
    },
    get elsewhere() {
      return elsewhere();
    },
  };
}
