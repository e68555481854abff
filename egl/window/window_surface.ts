import { inFrame } from "../../ffi/arena.ts";
import { NativeBlock } from "../../ffi/block.ts";
import { STATUS, WINDOW_API } from "../../wsi/android_values.ts";
import type { Window } from "../../wsi/contract/window.ts";
import { type Pair, placePairs } from "../api/attributes.ts";
import { freshHandle, type SurfaceObject } from "../api/objects.ts";
import type { Current, State } from "../api/state.ts";
import {
  EGL_BUFFER_DESTROYED,
  EGL_DRAW,
  EGL_GL_COLORSPACE,
  EGL_HEIGHT,
  EGL_READ,
  EGL_WIDTH,
} from "../gen/egl_constants_gen.js";
import type { ChosenColor } from "./color.ts";
import { driverGl } from "./driver_gl.ts";
import { pixelAbilities } from "./pixel_abilities.ts";
import { keepingDefaultBuffers } from "./pixel_state.ts";
import { Metadata } from "./surface_attributes.ts";

/** The values from which a window surface is made. */
export interface WindowSurfaceParts {
  /** The window. */
  readonly window: Window;
  /** The driver's configuration. */
  readonly config: bigint;
  /** HAL_PIXEL_FORMAT of the buffers. */
  readonly format: number;
  /** The color space. */
  readonly color: ChosenColor;
}

/** A surface for a window: a pbuffer of the driver's, whose pixels are copied to the window's buffers. */
export class WindowSurface implements SurfaceObject {
  /** See {@linkcode SurfaceObject.handle}. */
  readonly handle: bigint = freshHandle();
  /** See {@linkcode SurfaceObject.display}. */
  readonly display: bigint;
  /** The window. */
  readonly native: Window;
  /** The HDR metadata that was set. */
  readonly metadata: Metadata = new Metadata();
  /** EGL_GL_COLORSPACE. */
  readonly colorspace: number;
  /** The requested EGL_SWAP_BEHAVIOR. The pixels are always preserved. */
  swapBehavior = EGL_BUFFER_DESTROYED;
  /** Whether the window records timestamps. */
  timestamps = false;
  /** Whether a shared buffer is shown again at each refresh. */
  autoRefresh = false;
  /** The number of swaps since the current contents were drawn; 0 for undefined contents. */
  age = 0;
  /** Whether {@linkcode age} was queried since the last swap. */
  ageWasAsked = false;
  /** Whether the damage region was set since the last swap. */
  damageWasSet = false;
  readonly #state: State;
  readonly #parts: WindowSurfaceParts;
  #driver = 0n;
  #width = 0;
  #height = 0;
  #connected = true;
  #staging: NativeBlock | undefined;

  /** Makes a surface for a window that is connected. Makes no pbuffer yet. */
  constructor(state: State, display: bigint, parts: WindowSurfaceParts) {
    this.#state = state;
    this.display = display;
    this.native = parts.window;
    this.colorspace = parts.color.colorspace;
    this.#parts = parts;
    this.native.acquire();
  }

  /** The driver's pbuffer, which is replaced when the window's size changes. */
  get driver(): bigint {
    return this.#driver;
  }

  /** See {@linkcode SurfaceObject.window}. */
  get window(): bigint {
    return this.native.address;
  }

  /** Pixels in a row of the pbuffer. */
  get width(): number {
    return this.#width;
  }

  /** Rows of the pbuffer. */
  get height(): number {
    return this.#height;
  }

  /** Whether the window is still connected to the surface. */
  get isConnected(): boolean {
    return this.#connected;
  }

  /** Whether the window's size differs from the pbuffer's. */
  get isOutgrown(): boolean {
    const [width, height] = this.#wanted();
    return width > 0 && height > 0 && (width !== this.#width || height !== this.#height);
  }

  /**
   * Makes a pbuffer of the window's size. Returns the former pbuffer (0n for none), which the caller must destroy;
   * `undefined` if the driver makes none.
   */
  fit(): bigint | undefined {
    const [width, height] = this.#wanted(), made = this.#makePbuffer(width, height);
    if (made === 0n) return undefined;
    const before = this.#driver;
    [this.#driver, this.#width, this.#height, this.age] = [made, width, height, 0];
    this.native.setBuffersDimensions(width, height);
    return before;
  }

  /** Restores the pbuffer that {@linkcode fit} replaced. */
  unfit(driver: bigint, width: number, height: number): void {
    [this.#driver, this.#width, this.#height] = [driver, width, height];
    this.native.setBuffersDimensions(width, height);
  }

  /** Memory for pixels to copy. The memory is reused as long as it is large enough. */
  block(size: number): NativeBlock {
    if (this.#staging && this.#staging.size >= size) return this.#staging;
    this.#staging?.close();
    return this.#staging = new NativeBlock(size);
  }

  /** Disconnects from the window, which may then get another surface. A second call does nothing. */
  leave(): void {
    if (!this.#connected) return;
    this.#connected = false;
    this.native.setBuffersFormat(0);
    this.native.apiDisconnect(WINDOW_API.EGL);
    this.native.release();
    this.#staging?.close();
    this.#staging = undefined;
  }

  #wanted(): [width: number, height: number] {
    return [this.native.query("DEFAULT_WIDTH"), this.native.query("DEFAULT_HEIGHT")];
  }

  #makePbuffer(width: number, height: number): bigint {
    const { config, color } = this.#parts;
    return inFrame(() => {
      const pairs: Pair[] = [[EGL_WIDTH, BigInt(width)], [EGL_HEIGHT, BigInt(height)]];
      if (color.driver !== undefined) pairs.push([EGL_GL_COLORSPACE, BigInt(color.driver)]);
      const made = this.#state.calls.call("eglCreatePbufferSurface", this.display, config, placePairs(pairs, false));
      return made as bigint;
    });
  }
}

/** Whether a window is open. */
export function isOpen(window: Window): boolean {
  return window.query("IS_VALID") === 1;
}

/** Connects EGL to a window. Returns whether that succeeded. */
export function connect(window: Window): boolean {
  return window.apiConnect(WINDOW_API.EGL) === STATUS.OK;
}

/** Undoes {@linkcode connect}. */
export function disconnect(window: Window): void {
  window.apiDisconnect(WINDOW_API.EGL);
}

/**
 * Gives a surface the current size of its window. The handle stays, and the drawing is lost. A current surface is
 * current again with its new pbuffer. Returns `false` and keeps the old pbuffer if the driver makes no surface of that
 * size. The driver's error is reset then.
 */
export function fitCurrent(state: State, surface: WindowSurface): boolean {
  if (!surface.isConnected || !surface.isOutgrown) return true;
  if (fit(state, surface)) return true;
  state.calls.error();
  return false;
}

function fit(state: State, surface: WindowSurface): boolean {
  const { current, calls } = state, { width, height } = surface, before = surface.fit();
  if (before === undefined) return false;
  if (current && [current.draw, current.read].includes(surface.handle) && !replace(state, current, surface)) {
    calls.call("eglDestroySurface", surface.display, surface.driver);
    surface.unfit(before, width, height);
    return false;
  }
  if (before !== 0n) calls.call("eglDestroySurface", surface.display, before);
  return true;
}

/** Makes the new pbuffer current in the place of the former one. Returns whether the driver does so. */
function replace(state: State, { draw, read, context, display }: Current, { handle, driver }: WindowSurface): boolean {
  const { calls } = state, gl = driverGl(state, context);
  const now = (each: bigint, which: number) =>
    each === handle ? driver : calls.call("eglGetCurrentSurface", which) as bigint;
  const drawn = now(draw, EGL_DRAW), readFrom = now(read, EGL_READ);
  return keepingDefaultBuffers(
    gl,
    pixelAbilities(gl, context),
    () => calls.call("eglMakeCurrent", display.handle, drawn, readFrom, context.driver) !== 0,
  );
}
