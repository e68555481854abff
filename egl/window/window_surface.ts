import { NativeBlock } from "../../ffi/block.ts";
import { STATUS } from "../../wsi/status.ts";
import type { Window } from "../../wsi/contract/window.ts";
import { placePairs } from "../api/attributes.ts";
import type { Pair } from "../api/attributes.ts";
import { inFrame } from "../../ffi/arena.ts";
import { freshHandle, type SurfaceObject } from "../api/objects.ts";
import type { State } from "../api/state.ts";
import type { ChosenColor } from "./color.ts";
import { Metadata } from "./metadata.ts";
import { EGL_BUFFER_DESTROYED, EGL_GL_COLORSPACE, EGL_HEIGHT, EGL_WIDTH } from "../gen/egl_constants_gen.js";
import { WINDOW_API } from "../../wsi/android_values.ts";

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
