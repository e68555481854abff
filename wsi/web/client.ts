import { type FrameTimes, milliseconds, type ViewerWindow } from "./viewer_window.ts";
import type { RowRange } from "./damage_history.ts";
import type { Picture } from "./picture.ts";
import { readMessage, type ToPage } from "./protocol.ts";
import type { ViewerPage } from "./page.ts";

/** How often a page hears of frames it is not shown, milliseconds. */
const COUNT_EVERY = 200;
/** WebSocket status codes. */
const GOING_AWAY = 1001, POLICY_VIOLATION = 1008;

/** What one page has of one window. */
interface View {
  /** The last frame it was sent, by its number and as the window counts what it takes. */
  shown: bigint;
  sequence: number;
  dropped: number;
  isPaused: boolean;
  /** It wants one frame more, though paused. */
  wantsStep: boolean;
  /** When it was sent a frame last, counted in frames of all windows. */
  turn: number;
}

/** A frame that the page has not acknowledged. */
interface InFlight {
  readonly window: ViewerWindow;
  readonly number: number;
  readonly times: FrameTimes;
  readonly sent: number;
}

/**
 * A connected page. It has one frame at a time and gets the next, the newest
 * then, when it says it has shown that one: whatever it does or fails to do,
 * one frame is all that can be waiting for it.
 */
export class Client {
  /** Settled when the connection is over. */
  readonly closed: Promise<void>;
  #socket: WebSocket;
  #windows: () => Iterable<ViewerWindow>;
  #views = new WeakMap<ViewerWindow, View>();
  #inFlight: InFlight | undefined;
  #countedAt = 0;
  #turns = 0;
  #page: ViewerPage;
  #news: "told" | "telling" | "late" = "told";

  /** `windows` says which there are now. */
  constructor(socket: WebSocket, windows: () => Iterable<ViewerWindow>, hello: () => ToPage, page: ViewerPage) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#socket = socket;
    this.#windows = windows;
    this.#page = page;
    socket.onopen = () => {
      this.tell(hello());
      this.tellNews();
      this.#next();
    };
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = () => resolve();
    socket.onerror = (event) => event.preventDefault(); // a close event follows
  }

  /** Whether it is ready for the newest frame of a window and has not got it. */
  wants(window: ViewerWindow): boolean {
    if (this.#inFlight || this.#socket.readyState !== WebSocket.OPEN) return false;
    const { sequence, isPaused, wantsStep } = this.#viewOf(window);
    return window.sequence > sequence && (!isPaused || wantsStep);
  }

  /** Sends a frame. */
  show(window: ViewerWindow, picture: Picture): void {
    const view = this.#viewOf(window), { number, width, height, format, dataspace, rows } = picture;
    const { top, bottom } = changedRows(picture, window.changedSince(view.sequence)), stride = rows?.stride ?? 0;
    if (view.shown > 0n) view.dropped += Math.max(0, Number(number - view.shown) - 1);
    Object.assign(view, { shown: number, sequence: window.sequence, wantsStep: false, turn: ++this.#turns });
    this.tell({
      type: "frame",
      window: window.id,
      number: Number(number),
      width,
      height,
      top,
      stride,
      left: rows?.left ?? 0,
      format,
      dataspace,
      dropped: view.dropped,
      problem: picture.problem,
    });
    const pixels = rows?.data.subarray(4 * top * stride, 4 * bottom * stride);
    this.#socket.send(pixels ?? new Uint8Array(0)); // which copies: the buffer may go at once
    this.#inFlight = { window, number: Number(number), times: window.times, sent: milliseconds() };
  }

  /** Now and then tells a page that is paused how many frames went by. */
  count(window: ViewerWindow): void {
    const view = this.#viewOf(window), now = performance.now();
    const isQuiet = view.isPaused && !this.#inFlight && this.#socket.bufferedAmount === 0;
    if (!isQuiet || view.shown === 0n || now - this.#countedAt < COUNT_EVERY) return;
    this.#countedAt = now;
    const unseen = Math.max(0, Number(window.newest - view.shown) - 1);
    this.tell({ type: "count", window: window.id, dropped: view.dropped + unseen });
  }

  /** Sends what is new, when the page has taken in what it was sent before. */
  tellNews(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#news !== "told") return void (this.#news = "late");
    const news = this.#page.news?.();
    if (news === undefined) return;
    this.#news = "telling";
    this.tell({ type: "news", news });
  }

  #heard(): void {
    const isLate = this.#news === "late";
    this.#news = "told";
    if (isLate) this.tellNews();
  }

  /** Sends a message. */
  tell(message: ToPage): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Ends the connection. */
  close(): void {
    this.#socket.close(GOING_AWAY, "the viewer was closed");
  }

  #viewOf(window: ViewerWindow): View {
    let view = this.#views.get(window);
    if (!view) {
      this.#views.set(
        window,
        view = { shown: 0n, sequence: 0, dropped: 0, isPaused: false, wantsStep: false, turn: 0 },
      );
    }
    return view;
  }

  #receive(data: unknown): void {
    const message = readMessage(data);
    if (message === undefined) return this.#socket.close(POLICY_VIOLATION, "not a message of the viewer's page");
    if (message.type === "heard") return this.#heard();
    if (message.type === "ask") return this.#page.ask?.(message.request);
    if (message.type === "ack") this.#acknowledge(message.shown);
    else this.#steer(message.type, message.window);
    this.#next();
  }

  #acknowledge(shownSince1970: number): void {
    if (!this.#inFlight) return;
    const { window, number, times: { queued, fence }, sent } = this.#inFlight, acked = milliseconds();
    this.#inFlight = undefined;
    // The page's clock may not be ours: what it says counts as far as it is possible.
    const ago = performance.timeOrigin + performance.now() - shownSince1970;
    const shown = Math.min(acked, Math.max(sent, acked - ago));
    this.tell({
      type: "timing",
      window: window.id,
      number,
      fence: fence - queued,
      sent: sent - queued,
      shown: shown - queued,
      acked: acked - queued,
    });
  }

  #steer(what: "pause" | "resume" | "step", id: number): void {
    for (const window of this.#windows()) {
      if (window.id !== id) continue;
      const view = this.#viewOf(window);
      view.isPaused = what !== "resume";
      view.wantsStep = what === "step";
    }
  }

  /** Asks the windows for what they have, the one that was shown last at the end: each gets its turn. */
  #next(): void {
    const windows = [...this.#windows()].sort((one, other) => this.#viewOf(one).turn - this.#viewOf(other).turn);
    for (const window of windows) if (this.wants(window)) window.offer();
  }
}

/** What changed of a picture, given the rows of its buffer that did. */
function changedRows({ top, height }: Picture, changed: RowRange | undefined): RowRange {
  if (!changed) return { top: 0, bottom: height };
  const within = (row: number) => Math.max(0, Math.min(height, row - top));
  return { top: within(changed.top), bottom: within(changed.bottom) };
}
