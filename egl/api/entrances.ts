import { OwnedFunctions } from "../../ffi/functions/owned_functions.ts";
import { createThunk, type Thunk } from "../../ffi/thunk/thunk.ts";
import { signatureOf } from "../command/spec.ts";
import { eglCommands, glCommands } from "../dispatch/names.ts";
import { EGL_DRAW, EGL_EXTENSIONS, EGL_READ, EGL_SUCCESS } from "../gen/egl_constants_gen.js";
import { BLOB_CACHE_SETTER, blobCacheSetter } from "./blob_cache_setter.ts";
import { isWatched } from "./driver_commands.ts";
import { extraCommand } from "./egl.ts";
import { driversAddress, failureOf } from "./forward.ts";
import type { RawCommand, State } from "./state.ts";
import { Translators } from "./translators.ts";

/** Commands that take windows; where those are TypeScript's, drivers would follow pointers in them. */
const WINDOWED = ["eglCreateWindowSurface", "eglCreatePlatformWindowSurface", "eglCreatePlatformWindowSurfaceEXT"];
/** A function that native code finds under this name refuses a command that the driver lacks, with this result. */
const REFUSALS: readonly (readonly [name: string, failure: number])[] = [["refuse 0", 0], ["refuse -1", -1]];
/** Functions that answer for no display themselves, and leave all else to the driver: the default display, the client's extensions. */
const DEFAULTED: readonly (readonly [name: string, second?: number])[] = [["eglGetDisplay"], [
  "eglQueryString",
  EGL_EXTENSIONS,
]];
/** The name of such a function among the loader's own. */
const defaultOf = (name: string): string => `default of ${name}`;

/**
 * The address for native code that calls a command on a thread that isn't the
 * loader's. The command goes to the driver, which knows the caller's handles
 * and keeps what is current on each thread and its errors. Work that only
 * TypeScript can do (windows of this process and their displays) is unknown to
 * the driver, so the driver refuses it. `address` finds a function of the
 * loader's by name.
 */
function elsewhere(state: State, name: string, address: (name: string) => bigint): bigint {
  if (DEFAULTED.some(([each]) => each === name)) return address(defaultOf(name));
  const isRefused = state.platform === "android" && state.provided.size > 0 && WINDOWED.includes(name);
  return (isRefused ? 0n : driversAddress(state, name)) || address(refusalOf(name));
}

function refusalOf(name: string): string {
  return REFUSALS.find(([, failure]) => failure === Number(failureFor(name)))![0];
}

/** Returns the result for native code of a command that cannot be carried out. */
function failureFor(name: string): number | bigint {
  const command = eglCommands.find(name) ?? extraCommand(name);
  return command ? failureOf(command) : 0n;
}

const LOOKUP = "eglGetProcAddress",
  ERROR = "eglGetError",
  PLAIN = [LOOKUP, ERROR];
/** The driver's function that refuses a NULL with EGL_BAD_DISPLAY. */
const REFUSING = "eglTerminate";

/** Commands that name no display and are the driver's all the same. */
const BARE = ["eglBindAPI", "eglQueryAPI", "eglWaitClient", "eglWaitGL", "eglWaitNative"];
/** Commands that tell what is current, by their argument. */
const OF_CURRENT: readonly (readonly [name: string, given: readonly (number | undefined)[]])[] = [
  ["eglGetCurrentContext", [undefined]],
  ["eglGetCurrentDisplay", [undefined]],
  ["eglGetCurrentSurface", [EGL_DRAW, EGL_READ]],
];
/** Commands that have functions of their own, which go by their names with this before. */
const MADE = "the loader's ";

/** The EGL commands that native code finds. */
export const EGL_NAMES: readonly string[] = [...eglCommands.names, "eglQueryStringImplementationANDROID"]
  .filter((name) => name !== BLOB_CACHE_SETTER);

/** Finds raw commands by name. */
export type Commands = (name: string) => RawCommand | undefined;

/** The functions that native code calls in the place of a command with a layer. */
export interface Layered {
  /** The function's address. */
  readonly address: bigint;
  /** The same for other threads than the loader's. */
  readonly elsewhere: bigint;
}

/**
 * The functions through which native code enters a loader, on any thread.
 * Commands of OpenGL ES use the tables. Commands of EGL run in TypeScript on
 * the loader's thread. On all other threads they go to the layer or the driver,
 * and on the loader's thread too if they concern a display of the driver's and
 * TypeScript need not know.
 */
export class Entrances {
  readonly #state: State;
  readonly #raw: Commands;
  readonly #functions: OwnedFunctions;
  readonly #thunks = new Map<string, Thunk>();
  #translators: Translators | undefined;
  readonly #layered = new Map<string, Layered>();

  private constructor(state: State, raw: Commands, functions: OwnedFunctions) {
    this.#state = state;
    this.#raw = raw;
    this.#functions = functions;
    state.error.moveTo(functions.error);
  }

  /** Makes them; `undefined` where emitted code cannot be used. `raw` finds the loader's commands, `own` those below all layers. */
  static make(state: State, raw: Commands, own: Commands): Entrances | undefined {
    const routes = EGL_NAMES.filter((name) => !PLAIN.includes(name));
    const functions = OwnedFunctions.make({
      noError: EGL_SUCCESS,
      tabled: glCommands.names,
      routes: routes.map((name) => [name, hasDisplay(name)] as const),
      ...{ plain: PLAIN, takeError: MADE + ERROR, lookup: MADE + LOOKUP, refusals: REFUSALS },
      answers: OF_CURRENT.map(([name, given]) => [MADE + name, given] as const),
      defaulted: DEFAULTED.map(([name, second]) => [defaultOf(name), second] as const),
    });
    return functions && new Entrances(state, raw, functions).#begin(own);
  }

  /** The address of a command of EGL or OpenGL ES for native code. */
  address(name: string): bigint {
    return this.#functions.address(name);
  }

  /** Makes native code follow what is current. */
  follow(): void {
    const { dispatch } = this.#state;
    this.#functions.useTables(dispatch.native.address, dispatch.elsewhere.address);
    const { context, display, draw = 0n, read = 0n } = this.#state.current ?? {};
    this.#tell("eglGetCurrentContext", context?.handle ?? 0n);
    this.#tell("eglGetCurrentDisplay", display?.shown ?? 0n);
    this.#tell("eglGetCurrentSurface", draw, read);
  }

  #tell(name: string, ...values: bigint[]): void {
    this.#functions.tell(MADE + name, values, this.#thunk(name));
  }

  /** Puts a layer before an EGL command; `undefined` removes the layer. */
  layer(name: string, layered: Layered | undefined): void {
    if (layered) this.#layered.set(name, layered);
    else this.#layered.delete(name);
    this.#lead(name);
  }

  /** Makes eglGetProcAddress answer a name with NULL. */
  hide(name: string): void {
    this.#functions.name(name, 0n);
  }

  /** Answers with the command that sets a cache as long as a display has it. */
  followDisplays(): void {
    this.#functions.name(BLOB_CACHE_SETTER, blobCacheSetter(this.#state));
  }

  /** Leads a command of EGL anew, after what the driver has for it was replaced. */
  refresh(name: string): void {
    this.#lead(name);
  }

  /** The address of a command of EGL below all layers, on other threads than the loader's. */
  elsewhere(name: string): bigint {
    if (PLAIN.includes(name)) return this.address(MADE + name);
    const driver = elsewhere(this.#state, name, (each) => this.#functions.address(each));
    return this.#translators?.before(name, driver) ?? driver;
  }

  /** Gives other threads the objects of displays of ours, from when there is one. */
  translate(): void {
    if (this.#translators) return;
    this.#translators = this.#makeTranslators();
    for (const name of EGL_NAMES) this.#lead(name);
  }

  /** Frees everything. Native code must not call the addresses any more. */
  close(): void {
    this.#state.error.moveBack();
    this.#functions.close();
    this.#translators?.close();
    this.#state.handles.close();
    for (const thunk of this.#thunks.values()) thunk.free();
    this.#thunks.clear();
  }

  #makeTranslators(): Translators | undefined {
    const { handles } = this.#state;
    return Translators.make(handles, (name) => driversAddress(this.#state, name) !== 0n);
  }

  #begin(own: Commands): this {
    const { calls } = this.#state, unknown = this.address(REFUSALS[0][0]);
    this.#functions.aim({
      error: calls.address(ERROR),
      refuse: calls.address(REFUSING),
      miss: this.#thunk(LOOKUP),
      missElsewhere: calls.address(LOOKUP) || unknown,
    });
    for (const [name, second] of DEFAULTED) {
      const value = own(name)!(0n, ...second === undefined ? [] : [second]) as bigint;
      this.#functions.answer(defaultOf(name), value, calls.address(name) || unknown);
    }
    this.follow();
    if (this.#state.displays.size > 0) this.#translators = this.#makeTranslators();
    for (const name of EGL_NAMES) {
      this.#functions.name(name, this.address(name));
      this.#lead(name);
    }
    for (const name of glCommands.names) this.#functions.name(name, this.address(name));
    this.followDisplays();
    return this;
  }

  #lead(name: string): void {
    const { address, elsewhere } = this.#layered.get(name) ?? {}, own = address ?? this.#thunk(name);
    if (PLAIN.includes(name)) return this.#functions.point(name, address ?? this.address(MADE + name));
    this.#functions.lead(name, {
      address: address ?? (this.#here(name) || own),
      own,
      elsewhere: elsewhere ?? this.elsewhere(name),
    });
  }

  /**
   * The address of a command that needs no TypeScript on the loader's thread
   * either, unless the command concerns a display of ours; 0n for other
   * commands.
   */
  #here(name: string): bigint {
    if (OF_CURRENT.some(([each]) => each === name)) return this.address(MADE + name);
    const isDrivers = this.#state.platform !== "android" &&
      (BARE.includes(name) || hasDisplay(name) && !isWatched(name));
    return isDrivers ? driversAddress(this.#state, name) : 0n;
  }

  /** A command as TypeScript carries it out, for native code on the loader's thread. */
  #thunk(name: string): bigint {
    const known = this.#thunks.get(name);
    if (known) return known.address;
    const thunk = thunkOf(name, this.#raw);
    this.#thunks.set(name, thunk);
    return thunk.address;
  }
}

/** A command of the loader's own, as a function that native code can call on this thread. */
export function thunkOf(name: string, raw: Commands, next = 0n): Thunk {
  const signature = signatureOf(eglCommands.find(name) ?? extraCommand(name)!), failure = failureFor(name);
  return createThunk(signature, (...args) => raw(name)!(...args) as number, { failure, next });
}

/** Whether a command's first argument is its display. */
function hasDisplay(name: string): boolean {
  return (eglCommands.find(name) ?? extraCommand(name)!).params[0]?.code === "EGLDisplay";
}
