import { readCString } from "../../ffi/cstring.ts";
import { type ExportedLibrary, exportLibrary } from "../../ffi/exported.ts";
import { createThunk, type Thunk } from "../../ffi/thunk.ts";
import { signatureOf } from "../command/spec.ts";
import { eglCommands, glCommands } from "../dispatch/names.ts";
import { extraCommand } from "./extra_commands.ts";
import { elsewhere, failureFor } from "./elsewhere.ts";
import type { RawCommand, State } from "./state.ts";

/** How many functions that nobody knows beforehand eglGetProcAddress gives out. */
export const FORWARDERS = 256;
/** What the driver may have but no application is to see. */
const HIDDEN = "eglSetBlobCacheFuncsANDROID";

/** What eglGetProcAddress of the loader gives out, by Android's rules. */
export class ProcAddresses {
  readonly #state: State;
  readonly #raw: (name: string) => RawCommand | undefined;
  readonly #thunks = new Map<string, Thunk>();
  readonly #forwarded = new Map<string, bigint>();
  #forwarders: ExportedLibrary | undefined;
  #entrances: ExportedLibrary | undefined;
  #shown: readonly bigint[] | undefined;
  /** Told of a name before its address is given out: layers are put before it then. */
  onFind: ((name: string) => void) | undefined;
  /** Told of a function that the tables don't have, and the driver's address of it: says where it is to lead. */
  onForward: ((name: string, address: bigint) => bigint) | undefined;

  /** Finds the loader's own commands by `raw`. */
  constructor(state: State, raw: (name: string) => RawCommand | undefined) {
    this.#state = state;
    this.#raw = raw;
  }

  /** Handles of the functions given out so far that the loader doesn't know, and the driver's addresses of them. */
  get forwarded(): ReadonlyMap<string, bigint> {
    return this.#forwarded;
  }

  /** The address of a function for native code; 0n if there is none. */
  find(name: string): bigint {
    if (name === HIDDEN) return 0n;
    this.onFind?.(name);
    if (this.#raw(name)) return this.#thunk(name);
    if (glCommands.slot(name) !== undefined) return this.#entrance(name);
    return this.#forward(name);
  }

  /** The raw command for native code: a name's address in, a function's address out. */
  readonly command: RawCommand = (address) => {
    this.#state.clearError();
    return this.find(readCString(address as bigint));
  };

  /** Leads the entrances of GL commands to the current hooks. */
  follow(addresses: readonly bigint[]): void {
    if (!this.#entrances || this.#shown === addresses) return;
    this.#shown = addresses;
    glCommands.names.forEach((name, slot) => this.#lead(name, slot, addresses[slot]));
  }

  /** Leads the entrance of one GL command elsewhere. */
  refresh(name: string, address: bigint): void {
    this.#lead(name, glCommands.slot(name)!, address);
  }

  /** Leads a forwarder to a layer, or back. */
  lead(name: string, address: bigint): void {
    const index = [...this.#forwarded.keys()].indexOf(name);
    if (index >= 0) this.#forwarders!.set(`forwarder${index}`, address);
  }

  /** Gives everything back. Native code must not call what it got any more. */
  close(): void {
    for (const thunk of this.#thunks.values()) thunk.free();
    this.#thunks.clear();
    this.#forwarders?.unload();
    this.#entrances?.unload();
    this.#forwarders = this.#entrances = undefined;
  }

  /** A command of the loader's own, as a function that native code can call on this thread. */
  #thunk(name: string): bigint {
    const known = this.#thunks.get(name);
    if (known) return known.address;
    const signature = signatureOf(eglCommands.find(name) ?? extraCommand(name)!);
    const thunk = createThunk(signature, (...args) => this.#raw(name)!(...args) as number, {
      failure: failureFor(name),
      next: elsewhere(this.#state, name),
    });
    this.#thunks.set(name, thunk);
    return thunk.address;
  }

  /** A GL command, whatever context is current when it is called. */
  #entrance(name: string): bigint {
    const { now } = this.#state.dispatch;
    if (!this.#entrances) {
      const { noContext } = this.#state.dispatch.standIns;
      this.#entrances = exportLibrary({ ownedSlots: glCommands.names.map((each) => [each, noContext, noContext]) });
      this.follow(now.addresses);
    }
    return this.#entrances?.address(name) ?? now.addresses[glCommands.slot(name)!];
  }

  /** No other thread has a context by this loader: not every driver survives being called then. Layers decide for themselves. */
  #lead(name: string, slot: number, address: bigint): void {
    const { below, standIns } = this.#state.dispatch, isDrivers = address === below.addresses[slot];
    this.#entrances?.set(name, address, isDrivers ? standIns.noContext : address);
  }

  /** A function of the driver's that the tables don't have. */
  #forward(name: string): bigint {
    const index = [...this.#forwarded.keys()].indexOf(name), known = this.#forwarders;
    if (index >= 0 && known) return known.address(`forwarder${index}`);
    const address = this.#state.driver.find(name, "egl");
    if (address === 0n) return 0n;
    const slot = this.#forwarded.size;
    if (slot >= FORWARDERS) {
      this.#state.say(`no more slots for eglGetProcAddress("${name}"): ${FORWARDERS} other functions were given out`);
      return 0n;
    }
    this.#forwarders ??= exportLibrary({
      slots: Array.from({ length: FORWARDERS }, (_, index) => [`forwarder${index}`, 0n] as const),
    });
    this.#forwarded.set(name, address);
    this.#forwarders?.set(`forwarder${slot}`, this.onForward?.(name, address) ?? address);
    return this.#forwarders?.address(`forwarder${slot}`) ?? address;
  }
}
