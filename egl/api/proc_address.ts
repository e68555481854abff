import { readCString } from "../../ffi/cstring.ts";
import { type ExportedLibrary, exportLibrary } from "../../ffi/functions/exported.ts";
import type { Thunk } from "../../ffi/thunk/thunk.ts";
import { glCommands } from "../dispatch/names.ts";
import { BLOB_CACHE_SETTER, blobCacheSetter } from "./blob_cache_setter.ts";
import { type Commands, EGL_NAMES, Entrances, type Layered, thunkOf } from "./entrances.ts";
import type { RawCommand, State } from "./state.ts";

/** The most functions that eglGetProcAddress gives out for names that nobody knows beforehand. */
export const FORWARDERS = 256;

/** The results of the loader's eglGetProcAddress, by Android's rules. */
export class ProcAddresses {
  readonly #state: State;
  readonly #raw: Commands;
  readonly #own: Commands;
  /** Functions for native code where emitted code cannot be used. */
  readonly #thunks = new Map<string, Thunk>();
  readonly #forwarded = new Map<string, bigint>();
  readonly #layered = new Map<string, Layered>();
  #forwarders: ExportedLibrary | undefined;
  #entrances: Entrances | undefined | null = null;
  /** Whether eglGetProcAddress answers a name of EGL's with more than NULL. */
  offers: (name: string) => boolean = () => true;
  /** Called with a name before its address is given out, so that layers can be put before the function first. */
  onFind: ((name: string) => void) | undefined;
  /** Called when native code can enter for the first time. */
  onEnter: (() => void) | undefined;
  /**
   * Called with a function that the tables lack and its driver's address.
   * Returns the address that the function leads to.
   */
  onForward: ((name: string, address: bigint) => bigint) | undefined;

  /** Finds the loader's commands by `raw`, and those below all layers by `own`. */
  constructor(state: State, raw: Commands, own: Commands) {
    this.#state = state;
    this.#raw = raw;
    this.#own = own;
  }

  /** Handles of the functions given out so far that the loader doesn't know, and the driver's addresses of them. */
  get forwarded(): ReadonlyMap<string, bigint> {
    return this.#forwarded;
  }

  /** The address of a function for native code; 0n if there is none. */
  find(name: string): bigint {
    if (name === BLOB_CACHE_SETTER) return blobCacheSetter(this.#state);
    this.onFind?.(name);
    if (this.#raw(name)) return this.entrances?.address(name) ?? this.#thunk(name);
    const slot = glCommands.slot(name);
    if (slot !== undefined) return this.entrances?.address(name) ?? this.#state.dispatch.now.addresses[slot];
    return this.#forward(name);
  }

  /** The raw command for native code: a name's address in, a function's address out. */
  readonly command: RawCommand = (address) => {
    this.#state.clearError();
    const name = readCString(address as bigint);
    return this.offers(name) ? this.find(name) : 0n;
  };

  /** The entrances of native code, made when first used; `undefined` where emitted code cannot be used. */
  get entrances(): Entrances | undefined {
    if (this.#entrances !== null) return this.#entrances;
    this.#entrances = Entrances.make(this.#state, this.#raw, this.#own);
    for (const [name, layered] of this.#layered) this.#entrances?.layer(name, layered);
    for (const name of EGL_NAMES) if (!this.offers(name)) this.#entrances?.hide(name);
    this.onEnter?.();
    return this.#entrances;
  }

  /** Leads native code to the tables that are current. */
  follow(): void {
    this.#entrances?.follow();
  }

  /** Gives native code of other threads the objects of displays of ours. */
  translate(): void {
    this.#entrances?.translate();
  }

  /** Offers native code what depends on the displays that are initialized. */
  followDisplays(): void {
    this.#entrances?.followDisplays();
  }

  /** Puts a layer before an EGL command for native code; `undefined` removes the layer. */
  layer(name: string, layered: Layered | undefined): void {
    if (layered) this.#layered.set(name, layered);
    else this.#layered.delete(name);
    this.#entrances?.layer(name, layered);
  }

  /** Leads a forwarder to a layer, or back. */
  lead(name: string, address: bigint): void {
    const index = [...this.#forwarded.keys()].indexOf(name);
    if (index >= 0) this.#forwarders!.set(`forwarder${index}`, address);
  }

  /** Frees everything. Native code must not call the addresses any more. */
  close(): void {
    for (const thunk of this.#thunks.values()) thunk.free();
    this.#thunks.clear();
    this.#forwarders?.unload();
    this.#entrances?.close();
    this.#forwarders = this.#entrances = undefined;
  }

  #thunk(name: string): bigint {
    const thunk = this.#thunks.get(name) ?? thunkOf(name, this.#raw);
    this.#thunks.set(name, thunk);
    return thunk.address;
  }

  /** Finds a function of the driver's that the tables lack. */
  #forward(name: string): bigint {
    const index = [...this.#forwarded.keys()].indexOf(name), known = this.#forwarders;
    if (index >= 0 && known) return known.address(`forwarder${index}`);
    const address = this.#state.driver.find(name, "egl");
    if (address === 0n) return 0n;
    if (this.#state.platform === "linux") return this.onForward?.(name, address) ?? address;
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
