import type { NativeFunction } from "../../ffi/stubs.ts";
import { callerOf } from "../dispatch/caller.ts";
import { mayGenerate } from "../../ffi/generated_code.ts";
import { generatedMethod, generatedRaw, isSimple } from "../command/generate.ts";
import { interpretedMethod, type Method } from "../command/method.ts";
import { planOf } from "../command/plan.ts";
import { type Command, signatureOf } from "../command/spec.ts";
import { glCommands } from "../dispatch/names.ts";
import type { GlRawCommands } from "../gen/gl_commands_gen.ts";
import { type CommandObject, commandObject } from "./command_object.ts";
import type { Gl } from "./egl.ts";
import { unmappingMethod } from "./gl_mapping.ts";
import { handMadeMethod, partsOf } from "./gl_methods.ts";
import { stringCalls } from "./gl_strings.ts";
import type { State } from "./state.ts";

/** Makes the methods of `egl.gl` and `egl.gl.raw`. */
export class GlScope {
  /** Typed methods; `raw` holds the raw ones. */
  readonly gl: Gl;
  readonly #state: State;
  readonly #typed: CommandObject<Gl>;
  readonly #raw: CommandObject<GlRawCommands>;
  readonly #calls: Map<string, NativeFunction>;

  /** Makes no method yet. */
  constructor(state: State) {
    this.#state = state;
    this.#calls = stringCalls(state);
    this.#raw = commandObject((name) => this.#makeRaw(name));
    this.#typed = commandObject((name) => this.#makeTyped(name));
    this.gl = this.#typed.object;
    Object.defineProperty(this.gl, "raw", { value: this.#raw.object });
  }

  /** The function that carries a command out: called with the raw arguments and, as the last one, the address. */
  callOf(command: Command): NativeFunction {
    return this.#calls.get(command.name) ?? callerOf(signatureOf(command));
  }

  /** Replaces the function that carries a command out; `undefined` restores the loader's. */
  intercept(name: string, call: NativeFunction | undefined): void {
    if (call) this.#calls.set(name, call);
    else this.#calls.delete(name);
    this.#raw.forget(name);
    this.#typed.forget();
  }

  /** Makes every command answer that the loader is closed. */
  close(): void {
    for (const each of [this.#typed, this.#raw]) {
      each.forget();
      Object.setPrototypeOf(each.object, closedCommands());
    }
  }

  #makeRaw(name: string): Method | undefined {
    const command = glCommands.find(name), { dispatch } = this.#state;
    if (!command) return undefined;
    const slot = glCommands.slot(name)!, call = this.callOf(command);
    dispatch.name(slot);
    if (mayGenerate()) return generatedRaw(command, call, { now: dispatch.now, slot });
    return (...args) => call(...args, dispatch.now.addresses[slot]);
  }

  #makeTyped(name: string): Method | undefined {
    const command = glCommands.find(name), { dispatch } = this.#state;
    if (!command) return undefined;
    const made = handMadeMethod(this.#state, this.gl, name);
    if (made) return made;
    const slot = glCommands.slot(name)!, steps = planOf(command), native = this.callOf(command);
    dispatch.name(slot);
    const parts = partsOf(this.#state, this.gl, command);
    const finished = (method: Method) => unmappingMethod(this.#state, this.gl, name, method);
    if (mayGenerate() && isSimple(command, steps)) {
      return finished(generatedMethod(command, steps, { ...parts, call: native }, { now: dispatch.now, slot }));
    }
    const call = (...args: (number | bigint)[]) => native(...args, dispatch.now.addresses[slot]);
    return finished(interpretedMethod(command, steps, { ...parts, call }));
  }
}

/** The prototype of command objects whose loader is closed. */
export function closedCommands(): object {
  return new Proxy({}, {
    get(_, name) {
      if (typeof name !== "string") return undefined;
      throw new TypeError(`Cannot call ${name}(): its loader is closed; open one with loadEgl()`);
    },
  });
}
