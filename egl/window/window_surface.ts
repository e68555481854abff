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

/** NATIVE_WINDOW_API_EGL. */
const API_EGL = 1;

/** What a window surface is made with. */
export interface WindowSurfaceParts {
  /** Where it shows. */
  readonly window: Window;
  /** Of the driver. */
  readonly config: bigint;
  /** HAL_PIXEL_FORMAT of its buffers. */
  readonly format: number;
  /** Its color space. */
  readonly color: ChosenColor;
}

/** A surface that shows in a window: a pbuffer of the driver's, whose pixels are copied into the window's buffers. */
export class WindowSurface implements SurfaceObject {
  /** See {@linkcode SurfaceObject.handle}. */
  readonly handle: bigint = freshHandle();
  /** See {@linkcode SurfaceObject.display}. */
  readonly display: bigint;
  /** Where it shows. */
  readonly native: Window;
  /** HDR metadata, as it was set. */
  readonly metadata: Metadata = new Metadata();
  /** EGL_GL_COLORSPACE. */
  readonly colorspace: number;
  /** EGL_SWAP_BEHAVIOR: what was asked for; it is always preserved. */
  swapBehavior = EGL_BUFFER_DESTROYED;
  /** Whether frames are kept track of. */
  timestamps = false;
  /** Whether a buffer shows itself again and again. */
  autoRefresh = false;
  /** How many swaps ago the pixels were drawn that lie there to be drawn over; 0 for none. */
  age = 0;
  /** Whether {@linkcode age} was asked for since the last swap. */
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

  /** For a window that the surface is connected to. Makes no pbuffer yet. */
  constructor(state: State, display: bigint, parts: WindowSurfaceParts) {
    this.#state = state;
    this.display = display;
    this.native = parts.window;
    this.colorspace = parts.color.colorspace;
    this.#parts = parts;
    this.native.acquire();
  }

  /** The driver's pbuffer, another one after the window's size changed. */
  get driver(): bigint {
    return this.#driver;
  }

  /** See {@linkcode SurfaceObject.window}. */
  get window(): bigint {
    return this.native.address;
  }

  /** Pixels in a row of what is drawn to. */
  get width(): number {
    return this.#width;
  }

  /** Its rows. */
  get height(): number {
    return this.#height;
  }

  /** Whether the window is still the surface's. */
  get isConnected(): boolean {
    return this.#connected;
  }

  /** Whether the window has another size than what is drawn to. */
  get isOutgrown(): boolean {
    const [width, height] = this.#wanted();
    return width > 0 && height > 0 && (width !== this.#width || height !== this.#height);
  }

  /** Makes a pbuffer of the window's size; the one before is returned (0n for none), for the caller to destroy. `undefined` when the driver makes none. */
  fit(): bigint | undefined {
    const [width, height] = this.#wanted(), made = this.#makePbuffer(width, height);
    if (made === 0n) return undefined;
    const before = this.#driver;
    [this.#driver, this.#width, this.#height, this.age] = [made, width, height, 0];
    this.native.setBuffersDimensions(width, height);
    return before;
  }

  /** Takes a pbuffer back that {@linkcode fit} replaced. */
  unfit(driver: bigint, width: number, height: number): void {
    [this.#driver, this.#width, this.#height] = [driver, width, height];
    this.native.setBuffersDimensions(width, height);
  }

  /** Memory for pixels on their way; the same as long as it is large enough. */
  block(size: number): NativeBlock {
    if (this.#staging && this.#staging.size >= size) return this.#staging;
    this.#staging?.close();
    return this.#staging = new NativeBlock(size);
  }

  /** Lets go of the window, which may have another surface then. A second call does nothing. */
  leave(): void {
    if (!this.#connected) return;
    this.#connected = false;
    this.native.setBuffersFormat(0);
    this.native.apiDisconnect(API_EGL);
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

/** Connects EGL to a window; whether it worked. */
export function connect(window: Window): boolean {
  return window.apiConnect(API_EGL) === STATUS.OK;
}

/** Gives up what {@linkcode connect} got. */
export function disconnect(window: Window): void {
  window.apiDisconnect(API_EGL);
}
