import { inFrame } from "../../ffi/arena.ts";
import { bindByAddress } from "../../ffi/stubs.ts";
import type { ContextObject } from "../api/objects.ts";
import type { Word } from "../api/driver_calls.ts";
import type { State } from "../api/state.ts";
import { signatureOf } from "../command/spec.ts";
import { glCommands } from "../dispatch/names.ts";
import type { CommandApi } from "../dispatch/features.ts";

/** Values that fit what one glGetIntegerv here is asked for. */
const ROOM = 64;

/** The driver's own GL functions: what the loader itself does with GL is no business of layers. */
export class DriverGl {
  readonly #state: State;
  readonly #api: CommandApi;
  readonly #addresses = new Map<string, bigint>();

  /** Those of OpenGL ES 1.x or of later versions. */
  constructor(state: State, api: CommandApi) {
    this.#state = state;
    this.#api = api;
  }

  /** Calls a function. One that the driver lacks is not called, and 0 returned: ask for the version first. */
  call(name: string, ...args: Word[]): Word {
    const address = this.#address(name);
    return address === 0n ? 0 : bindByAddress(signatureOf(glCommands.find(name)!))(...args, address);
  }

  /** One value of glGetIntegerv. */
  integer(name: number): number {
    return inFrame((memory) => {
      const at = memory.alloc(ROOM);
      memory.view.setInt32(at, 0, true);
      this.call("glGetIntegerv", name, memory.address(at));
      return memory.view.getInt32(at, true);
    });
  }

  /** A new name of an object, by the command that makes them. */
  generate(command: string): number {
    return inFrame((memory) => {
      const at = memory.alloc(ROOM);
      memory.view.setUint32(at, 0, true);
      this.call(command, 1, memory.address(at));
      return memory.view.getUint32(at, true);
    });
  }

  #address(name: string): bigint {
    let address = this.#addresses.get(name);
    if (address === undefined) {
      address = this.#state.driver.find(name, this.#api);
      this.#addresses.set(name, address);
    }
    return address;
  }
}

const known = new WeakMap<State, Partial<Record<CommandApi, DriverGl>>>();

/** The driver's functions for a context. */
export function driverGl(state: State, { hooks }: Pick<ContextObject, "hooks">): DriverGl {
  const api = hooks === 1 ? "gles1" : "gles2", all = known.get(state) ?? {};
  known.set(state, all);
  return all[api] ??= new DriverGl(state, api);
}
