import { callback, checkOptions, number, type OptionRules, text, typed } from "../../../ffi/check_options.ts";
import { WsiError } from "../../error.ts";
import type { Frame, FrameConsumer, FrameSource } from "../../contract/frame_consumer.ts";
import { latchAll } from "../frames.ts";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import { XConnection } from "./connection.ts";
import { Keyboard, readEvent, type XEvent, type XKeyEvent, type XPointerEvent } from "./events.ts";
import { type Paint, Painter, putPlain, putShared } from "./painter.ts";
import { readFence, type Segment, Segments, waitUntil } from "./segments.ts";
import { WindowHandle } from "./window_handle.ts";

/** Settings of {@linkcode x11Window}. */
export interface X11WindowOptions {
  /** The window's title. Default `"Pumice"`. */
  readonly title?: string;
  /** Width in pixels. Default 640. */
  readonly width?: number;
  /** Height in pixels. Default 480. */
  readonly height?: number;
  /** The X display. Default: the value of the environment variable `DISPLAY`. */
  readonly displayName?: string;
  /** Called when a key was pressed or released. */
  readonly onKey?: (event: XKeyEvent) => void;
  /** Called when the pointer moved or a button changed. */
  readonly onPointer?: (event: XPointerEvent) => void;
  /** Called when the user closes the window. Default: the window is closed, and producers get errors. */
  readonly onClose?: () => void;
  /** Called when the window has another size; producers learn the size in any case. */
  readonly onResize?: (width: number, height: number) => void;
}

const RULES: OptionRules<X11WindowOptions> = {
  title: typed("a text", "string"),
  width: number,
  height: number,
  displayName: text('a display, such as ":0"'),
  onKey: callback("takes a key"),
  onPointer: callback("takes where the pointer is"),
  onClose: callback("is called when the window is closed"),
  onResize: callback("takes the new size"),
};

/** The picture on the screen, kept to be shown again after the window was covered. */
interface Shown {
  readonly paint: Paint;
  /** The frame, if its own buffer is shown. */
  readonly frame?: Frame;
  readonly segment?: Segment;
}

/** Milliseconds between polls for events when no frames come. */
const EVENT_INTERVAL = 10;
/** The longest that the server is waited for, milliseconds. */
const PATIENCE = 2000;

/** A window of an X server. Made by {@linkcode x11Window}. */
export class X11Window implements FrameConsumer, Disposable {
  /** Two frames: the frame on the screen is held until the next frame is there, so that it can be shown again. */
  readonly maxAcquired = 2;
  /** The size at the window's creation. */
  readonly size: { readonly width: number; readonly height: number };
  #options: X11WindowOptions;
  #connection: XConnection;
  #painter: Painter;
  #window: WindowHandle;
  #segments: Segments;
  #keyboard: Keyboard;
  #current: { width: number; height: number };
  #source: FrameSource | undefined;
  #shown: Shown | undefined;
  #events: XEvent[] = [];
  /** Numbers of the frames that the server is still reading, with their segments. */
  #reading: { number: bigint; segment: number }[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #frames = 0;
  #gone = false;

  /** Use {@linkcode x11Window}. */
  constructor(options: X11WindowOptions) {
    checkOptions("x11Window()", options, RULES);
    const { title = "Pumice", width = 640, height = 480 } = options;
    checkSize(width, height);
    this.#options = options;
    this.size = this.#current = { width, height };
    this.#connection = new XConnection(options.displayName);
    this.#segments = new Segments(this.#connection);
    this.#painter = this.#makePainter();
    this.#window = new WindowHandle(this.#connection, title, width, height);
    this.#keyboard = new Keyboard(this.#connection);
    this.#timer = setInterval(() => this.events(), EVENT_INTERVAL);
    Deno.unrefTimer(this.#timer);
  }

  /** The window's number in the X server. */
  get id(): number {
    return this.#window.id;
  }

  /** Whether the window is open and its server is connected. */
  get isOpen(): boolean {
    return this.#timer !== undefined;
  }

  /** Number of frames shown. */
  get frames(): number {
    return this.#frames;
  }

  /**
   * Number of frames that were copied, because their pixels differ from the server's format or their size differs from
   * the window's size.
   */
  get copies(): number {
    return this.#painter.copies;
  }

  /** Number of buffers shared with the server; 0 if pictures go through the socket. */
  get sharedBuffers(): number {
    return this.#segments.count;
  }

  /** Stores the window's source, which later learns sizes and the window's end. */
  attach(source: FrameSource): void {
    this.#source = source;
  }

  /**
   * Shows the queued frame. Throws a {@linkcode WsiError}: `server-gone`, or `closed` after
   * {@linkcode X11Window.close}.
   */
  onFrame(source: FrameSource): void {
    if (!this.isOpen && !this.#gone) {
      throw new WsiError("closed", "Cannot show frames: the window is closed; open another");
    }
    this.events();
    if (this.isOpen) latchAll(source, (frame) => this.#show(frame));
    this.#lookAtServer();
    if (this.#gone) throw this.#connection.gone();
  }

  /** Shows the queued frame; if there is none, releases the frame on the screen. */
  pump(source: FrameSource): void {
    const before = this.#frames;
    this.onFrame(source);
    if (this.#frames > before || !this.#shown?.frame) return;
    const { frame, segment } = this.#shown;
    this.#shown = undefined;
    if (segment) this.#waitFor(segment);
    frame.release();
  }

  /**
   * Handles the server's events, and calls the callbacks for keys and other events. Called for every frame and every
   * few milliseconds; never waits.
   */
  events(): void {
    this.#drain();
    for (let event; this.isOpen && (event = this.#events.shift());) this.#handle(event);
    if (this.isOpen) this.#segments.sweep();
    this.#lookAtServer();
  }

  /**
   * Waits until the server has processed all requests; the shown frame is then in the window. Throws a
   * {@linkcode WsiError} `server-gone`.
   */
  sync(): void {
    if (this.isOpen) this.#connection.sync();
    this.#lookAtServer();
    if (this.#gone) throw this.#connection.gone();
  }

  /** Closes the window and frees its resources. A second call does nothing. */
  close(): void {
    if (!this.isOpen) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!this.#connection.isGone) {
      this.#window.destroy();
      this.#reading.forEach(({ segment }) => this.#waitFor(this.#segments.byId(segment)));
      this.#waitFor(this.#shown?.segment); // it may be shown again
    }
    this.#segments.release();
    this.#connection.close();
    this.#releaseShown();
    this.#painter.close();
  }

  /** Closes it at the end of a `using` scope. */
  [Symbol.dispose](): void {
    this.close();
  }

  #makePainter(): Painter {
    try {
      return new Painter(this.#connection.screen, {
        isShared: (buffer) => this.#segments.of(buffer) !== undefined,
        settle: (buffer) => this.#waitFor(this.#segments.known(buffer)),
      });
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  #show(frame: Frame): void {
    const paint = this.#painter.paint(frame, this.#current);
    const segment = this.#put(paint), before = this.#shown;
    this.#shown = { paint, segment, frame: paint.isCopy ? undefined : frame };
    this.#frames++;
    if (segment) this.#reading.push({ number: frame.number, segment: segment.id });
    else this.#source?.presented(frame.number, monotonicNow());
    if (paint.isCopy) frame.release();
    this.#giveBack(before);
  }

  #showAgain(): void {
    if (this.#shown && !this.#shown.paint.buffer.isClosed) this.#put(this.#shown.paint);
  }

  /** Makes the server draw. Returns the segment that the server reads, if there is one. */
  #put(paint: Paint): Segment | undefined {
    const segment = this.#segments.of(paint.buffer);
    if (segment) putShared(this.#connection, this.#window, segment, paint);
    else putPlain(this.#connection, this.#window, paint);
    return segment;
  }

  #giveBack(shown: Shown | undefined): void {
    if (!shown?.frame) return;
    const { frame, segment } = shown;
    const drain = { drain: () => this.#drain(), waitForInput: (most: number) => this.#connection.waitForInput(most) };
    frame.release(segment && readFence(segment, drain));
  }

  #releaseShown(): void {
    this.#shown?.frame?.release();
    this.#shown = undefined;
  }

  #waitFor(segment: Segment | undefined): void {
    if (!segment) return;
    const isRead = () => {
      this.#drain();
      return segment.isRead;
    };
    waitUntil(isRead, { waitForInput: (most: number) => this.#connection.waitForInput(most) }, PATIENCE);
  }

  /** Handles events. Finished reads count at once; other events wait for {@linkcode X11Window.events}. */
  #drain(): void {
    if (this.#connection.isClosed) return;
    const firstShmEvent = this.#connection.shm?.firstEvent ?? 0;
    for (let view; (view = this.#connection.nextEvent());) {
      const event = readEvent(view, firstShmEvent);
      if (event?.kind === "completion") this.#completed(event.segment);
      else if (event?.kind === "error") this.#refused(event.major);
      else if (event) this.#events.push(event);
    }
    if (this.#connection.isGone) this.#segments.release();
  }

  #completed(id: number): void {
    this.#segments.completed(id);
    const index = this.#reading.findIndex(({ segment }) => segment === id);
    if (index >= 0) this.#source?.presented(this.#reading.splice(index, 1)[0].number, monotonicNow());
  }

  #refused(major: number): void {
    if (major === this.#connection.shm?.major) this.#segments.fail();
  }

  #handle(event: XEvent): void {
    switch (event.kind) {
      case "key": {
        const keysym = this.#keyboard.keysym(event.event.keycode, event.event.modifiers);
        return this.#options.onKey?.({ ...event.event, keysym });
      }
      case "pointer":
        return this.#options.onPointer?.(event.event);
      case "size":
        return this.#resized(event.width, event.height);
      case "expose":
        return this.#showAgain();
      case "mapping":
        return this.#keyboard.reset();
      case "message":
        if (event.type === this.#window.protocols && event.value === this.#window.deleteMessage) this.#askedToClose();
        return;
      case "destroyed":
        return this.#end();
    }
  }

  #resized(width: number, height: number): void {
    if (width === this.#current.width && height === this.#current.height) return;
    this.#current = { width, height };
    this.#source?.resize(width, height);
    this.#options.onResize?.(width, height);
  }

  #askedToClose(): void {
    if (this.#options.onClose) this.#options.onClose();
    else this.#end();
  }

  #end(): void {
    this.close();
    this.#source?.abandon();
  }

  /** Ends the window when the server has gone. */
  #lookAtServer(): void {
    if (!this.isOpen || !this.#connection.isGone) return;
    this.#gone = true;
    this.#end();
  }
}

function checkSize(width: number, height: number): void {
  const isGood = (size: number) => Number.isInteger(size) && size >= 1 && size <= 32767;
  if (isGood(width) && isGood(height)) return;
  throw new RangeError(`Cannot open a window of ${width}×${height}: give whole numbers from 1 to 32767`);
}

/**
 * Opens a window of an X server that shows frames. The server reads buffers of BGRA_8888 in the window's size in place
 * (MIT-SHM), including padded rows; other formats are copied once. Without MIT-SHM, for example on another machine's
 * display, pictures go through the socket. When the window is resized, producers learn the new size, and frames of the
 * old size are scaled. Needs libxcb.so.1 and, for speed, libxcb-shm.so.0. Throws a {@linkcode WsiError}: `no-display`
 * if no server answers, `unsupported` for a screen whose pixels are not 32 bits wide.
 *
 * @example
 * ```ts ignore
 * import { x11Window } from "@pumice/gfx/wsi";
 *
 * const window = x11Window({ title: "Triangle", width: 1280, height: 720, onKey: (key) => console.log(key.keysym) });
 * ```
 */
export function x11Window(options: X11WindowOptions = {}): X11Window {
  return new X11Window(options);
}
