import { adoptContext, adoptSurface, driverCommand, leaveDrivers } from "./driver_commands.ts";
import { BLOB_CACHE_SETTER, blobCacheSetter, refuseBlobCache } from "./blob_cache_setter.ts";
import { commandObject } from "./command_object.ts";
import { MARKER } from "./context_facts.ts";
import { contextCommands } from "./context_commands.ts";
import { displayCommands, terminate } from "./display_commands.ts";
import type { Finding } from "../../loader/driver/report/finding.ts";
import { type Egl, extraCommand, type InstalledEgl } from "./egl.ts";
import { eglMethod } from "./egl_methods.ts";
import { ExtensionAnswers, stringCalls } from "./gl_strings.ts";
import { forwarded, isOfDriver } from "./forward.ts";
import { closedCommands, GlScope } from "./gl_scope.ts";
import { ProcAddresses } from "./proc_address.ts";
import { MARKERS } from "../dispatch/hook_table.ts";
import { eglCommands, glCommands } from "../dispatch/names.ts";
import type { RawCommand, State } from "./state.ts";
import { surfaceCommands } from "./surface_commands.ts";
import { EGL_BAD_PARAMETER, EGL_EXTENSIONS } from "../gen/egl_constants_gen.js";
import { clientExtensions, placeStrings } from "./strings.ts";

/** Errors, strings, time. */
function otherCommands(state: State): Record<string, RawCommand> {
  const { calls } = state, client = placeStrings([clientExtensions(state)]);
  state.clientExtensions = client.addresses[0];
  state.onClose.push(() => client.memory.close());
  return {
    eglGetError: () => state.takeError(),
    eglQueryString(dpy, name) {
      state.clearError();
      if (dpy === 0n && name === EGL_EXTENSIONS) return state.clientExtensions;
      const display = state.display(dpy);
      if (!display) return 0n;
      return display.strings.get(name as number) ?? state.fail(EGL_BAD_PARAMETER, 0n);
    },
    eglQueryStringImplementationANDROID(dpy, name) {
      state.clearError();
      const display = state.display(dpy);
      return display ? calls.call("eglQueryString", display.handle, name) : 0n;
    },
    eglGetSystemTimeNV: () => systemTime(state),
    eglGetSystemTimeFrequencyNV() {
      state.clearError();
      return calls.has("eglGetSystemTimeFrequencyNV") ? calls.call("eglGetSystemTimeFrequencyNV") : 1_000_000_000n;
    },
  };
}

/** Drivers without the command get nanoseconds since the process began. */
function systemTime(state: State): bigint {
  state.clearError();
  if (state.calls.has("eglGetSystemTimeNV")) return state.calls.call("eglGetSystemTimeNV") as bigint;
  return BigInt(Math.round(performance.now() * 1e6));
}

/**
 * Routes a command by its display: to `ours` with the driver's handle for a
 * display of ours, else to the driver with unchanged arguments. Commands
 * without a display go to `ours`. On Android there are no other displays.
 */
function routed(state: State, name: string, ours: RawCommand): RawCommand {
  const first = (eglCommands.find(name) ?? extraCommand(name))?.params[0];
  if (state.platform === "android" || first?.code !== "EGLDisplay" || first.stars > 0) return ours;
  const drivers = driverCommand(state, name);
  return (dpy, ...rest) => {
    const display = state.shown.get(dpy as bigint);
    return display ? ours(display.handle, ...rest) : drivers(dpy, ...rest);
  };
}

/** The open loaders of this isolate. */
const openStates = new Set<State>();
const scopes = new WeakMap<Egl, EglScope>();

/** The parts of a loader, for the rooms above. */
export function scopeOf(egl: Egl): EglScope {
  return scopes.get(egl)!;
}

/**
 * The last call of a driver on this thread. The end of the thread and the end
 * of the process both free libglvnd's data of the thread, twice if both happen
 * at once, so the data must be gone before. Another loader with this driver
 * must not lose its current objects; it makes this call itself later.
 */
function releaseThread({ driver, calls }: State): void {
  const isUsed = [...openStates].some((other) => other.driver.path === driver.path && other.current !== undefined);
  if (!isUsed && calls.has("eglReleaseThread")) calls.call("eglReleaseThread");
}

/** The parts of one loader. */
export class EglScope {
  /** The loader for scripts. */
  readonly egl: Egl;
  /** The loader's state. */
  readonly state: State;
  /** Makes the methods of OpenGL ES. */
  readonly gl: GlScope;
  /** The results of eglGetProcAddress. */
  readonly procAddresses: ProcAddresses;
  readonly #own: Record<string, RawCommand>;
  /** The functions that layers put in the place of commands. */
  readonly #led = new Map<string, RawCommand>();
  readonly #driverOwn = new Map<string, RawCommand>();
  /** Commands that go by their display. */
  readonly #routed = new Map<string, RawCommand>();
  readonly #answers: ExtensionAnswers;
  readonly #forget: (name: string) => void;
  readonly #findings: Finding[];
  /** Carries out {@linkcode Egl.install}; set by who has the room below. */
  install: (() => InstalledEgl) | undefined;
  #open = true;

  /** Puts them together. */
  constructor(state: State, findings: readonly Finding[]) {
    this.#findings = [...findings];
    this.state = state;
    openStates.add(state);
    this.gl = new GlScope(state);
    this.procAddresses = new ProcAddresses(state, (name) => this.raw(name), (name) => this.own(name));
    this.#own = {
      ...displayCommands(state),
      ...contextCommands(state),
      ...surfaceCommands(state),
      ...otherCommands(state),
      eglGetProcAddress: this.procAddresses.command,
    };
    this.#answers = new ExtensionAnswers(state, stringCalls(state));
    this.procAddresses.offers = (name) => this.#offers(name);
    this.procAddresses.onEnter = () => {
      state.answers = (version) => this.#answers.of(version);
      state.setCurrent(state.current);
    };
    state.dispatch.onUse = () => this.procAddresses.follow();
    state.onOurs = () => this.procAddresses.translate();
    state.adopt = {
      context: (display, handle) => adoptContext(state, display, handle),
      surface: (display, handle) => adoptSurface(state, display, handle),
    };
    for (const change of [state.onInitialize, state.onTerminated]) {
      change.push(() => this.procAddresses.followDisplays());
    }
    const raw = commandObject<Egl["raw"]>((name) => this.#found(name));
    const typed = commandObject<Egl>((name) => this.#typed(name));
    this.#forget = (name) => [typed, raw].forEach((each) => each.forget(name));
    this.egl = this.#object(typed.object, raw.object, () => {
      for (const each of [typed, raw]) {
        each.forget();
        Object.setPrototypeOf(each.object, closedCommands());
      }
    });
    scopes.set(this.egl, this);
  }

  /** A command in its raw form, through the layers; `undefined` for an unknown name. */
  raw(name: string): RawCommand | undefined {
    return this.#led.get(name) ?? this.own(name);
  }

  /** The same below all layers. */
  own(name: string): RawCommand | undefined {
    const known = this.#routed.get(name), ours = known ?? this.ours(name);
    if (known || !ours) return known;
    const made = routed(this.state, name, ours);
    this.#routed.set(name, made);
    return made;
  }

  /** A command on displays of ours, or on none. */
  ours(name: string): RawCommand | undefined {
    const own = Object.hasOwn(this.#own, name) ? this.#own[name] : this.#driverOwn.get(name);
    const isHidden = name === BLOB_CACHE_SETTER && this.state.platform === "android";
    if (own || !eglCommands.find(name) || isHidden) return own;
    const made = name === BLOB_CACHE_SETTER ? refuseBlobCache(this.state) : forwarded(this.state, name);
    this.#driverOwn.set(name, made);
    return made;
  }

  /** Replaces an EGL command for displays of ours. Returns the command that was replaced. */
  provide(name: string, command: RawCommand): RawCommand | undefined {
    const before = this.ours(name);
    this.#own[name] = command;
    this.#routed.delete(name);
    this.#forget(name);
    return before;
  }

  /** Leads an EGL command to a layer, or with `undefined` back. */
  intercept(name: string, command: RawCommand | undefined): void {
    if (command) this.#led.set(name, command);
    else this.#led.delete(name);
    this.#forget(name);
  }

  /** Notes what else was looked at, for explain(). */
  note(...findings: Finding[]): void {
    this.#findings.push(...findings);
  }

  /** Whether a command can be called: the driver decides for EGL, the current context for OpenGL ES. */
  supports(name: string): boolean {
    const slot = glCommands.slot(name), context = this.state.current?.context;
    if (slot !== undefined) {
      // Markers do nothing where the loader lists their extension in the place of the driver.
      const isSilent = MARKERS.includes(name) && context?.facts?.extensions.includes(MARKER);
      return context !== undefined && (isSilent || this.state.dispatch.table(context.hooks).has(slot));
    }
    if (name === BLOB_CACHE_SETTER) return blobCacheSetter(this.state) !== 0n;
    return Object.hasOwn(this.#own, name) || this.state.calls.has(name);
  }

  /** A command that a script names, of which layers may want to hear first. */
  #found(name: string): RawCommand | undefined {
    this.procAddresses.onFind?.(name);
    return this.raw(name);
  }

  #typed(name: string): unknown {
    const command = eglCommands.find(name) ?? extraCommand(name), call = this.#found(name);
    const takeError = () => this.raw("eglGetError")!() as number;
    return command && call && eglMethod(this.state, command, call, takeError);
  }

  /**
   * Android's loader has an address for every command that it knows; other
   * loaders, for the commands that somebody carries out.
   */
  #offers(name: string): boolean {
    const isKnown = this.state.platform === "android" || !eglCommands.find(name) || this.#led.has(name);
    return isKnown || Object.hasOwn(this.#own, name) || isOfDriver(this.state, name);
  }

  #object(object: Egl, raw: Egl["raw"], shut: () => void): Egl {
    const close = () => {
      if (!this.#open) return;
      this.#open = false;
      this.#close();
      shut();
    };
    return Object.defineProperties(object, {
      gl: { value: this.gl.gl },
      raw: { value: raw },
      driver: { value: this.state.driver.path },
      explain: { value: () => [...this.#findings] },
      supports: { value: (name: string) => this.supports(name), configurable: true },
      install: { value: () => this.#install() },
      close: { value: close },
      [Symbol.dispose]: { value: close },
    });
  }

  #install(): InstalledEgl {
    if (!this.#open) throw new TypeError("Cannot install the EGL loader: it is closed; open one with loadEgl()");
    if (!this.install) throw new TypeError("Cannot install a bare loader: open it with loadEgl() of @pumice/gfx/egl");
    return this.install();
  }

  #close(): void {
    const { state } = this;
    if (state.current) this.raw("eglReleaseThread")!();
    for (const display of state.displays.values()) if (display.initialized) terminate(state, display);
    for (const display of state.driverDisplays.values()) leaveDrivers(state, display);
    openStates.delete(state);
    releaseThread(state);
    this.gl.close();
    this.procAddresses.close();
    this.#answers.close();
    for (const each of state.onClose) each();
    state.dispatch.close();
    state.driver.close();
  }
}
