import { inFrame } from "../../ffi/arena.ts";
import { bindByAddress } from "../../ffi/stubs.ts";
import type { ContextObject } from "../api/objects.ts";
import type { Word } from "../api/driver_calls.ts";
import type { State } from "../api/state.ts";
import type { KnownAbilities } from "./pixel_abilities.ts";
import { signatureOf } from "../command/spec.ts";
import { type CommandApi, glCommands } from "../dispatch/names.ts";

/** The size of the memory for one glGetIntegerv, in bytes. */
const ROOM = 64;

/** The driver's own GL functions, which layers do not see. */
export class DriverGl {
  readonly #state: State;
  readonly #api: CommandApi;
  readonly #addresses = new Map<string, bigint>();
  /** The known abilities of contexts. */
  readonly abilities: WeakMap<ContextObject, KnownAbilities> = new WeakMap();

  /** Finds the functions of OpenGL ES 1.x, or of later versions. */
  constructor(state: State, api: CommandApi) {
    this.#state = state;
    this.#api = api;
  }

  /** Calls a function. A function that the driver lacks returns 0; check the version first. */
  call(name: string, ...args: Word[]): Word {
    const address = this.#address(name);
    return address === 0n ? 0 : bindByAddress(signatureOf(glCommands.find(name)!))(...args, address);
  }

  /** Reads one value with glGetIntegerv. */
  integer(name: number): number {
    return inFrame((memory) => {
      const at = memory.alloc(ROOM);
      memory.view.setInt32(at, 0, true);
      this.call("glGetIntegerv", name, memory.address(at));
      return memory.view.getInt32(at, true);
    });
  }

  /** Makes a new object name, with the command for it. */
  generate(command: string): number {
    return inFrame((memory) => {
      const at = memory.alloc(ROOM);
      memory.view.setUint32(at, 0, true);
      this.call(command, 1, memory.address(at));
      return memory.view.getUint32(at, true);
    });
  }

  /** Makes a buffer the only one to draw to, with the command for it. */
  drawBuffer(command: string, buffer: number): void {
    inFrame((memory) => {
      const at = memory.alloc(ROOM);
      memory.view.setUint32(at, buffer, true);
      this.call(command, 1, memory.address(at));
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
