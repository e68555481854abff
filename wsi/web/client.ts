import { type FrameTimes, milliseconds, type ViewerWindow } from "./viewer_window.ts";
import type { RowRange } from "./damage_history.ts";
import type { Picture } from "./picture.ts";
import { readMessage, type ToPage } from "./protocol.ts";
import type { ViewerPage } from "./page.ts";

/** The interval in milliseconds at which a page gets the number of frames that it does not show. */
const COUNT_EVERY = 200;
/** WebSocket status codes. */
const GOING_AWAY = 1001, POLICY_VIOLATION = 1008;

/** The state of one window on one page. */
interface View {
  /** The last frame that the page was sent: its number, and the window's sequence number of the frame. */
  shown: bigint;
  sequence: number;
  dropped: number;
  isPaused: boolean;
  /** Whether the page wants one more frame while it is paused. */
  wantsStep: boolean;
  /** The time of the window's last frame, counted in frames of all windows. */
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
 * A connected page. The page has one frame at a time, and gets the newest frame when it has acknowledged the previous
 * one. So at most one frame waits for a page, whatever the page does.
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

  /** Takes a connection. `windows` returns the current windows. */
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

  /** Whether the page is ready for the newest frame of a window and does not have that frame yet. */
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
    this.#socket.send(pixels ?? new Uint8Array(0)); // send() copies: the buffer may be released at once
    this.#inFlight = { window, number: Number(number), times: window.times, sent: milliseconds() };
  }

  /** Tells a paused page from time to time how many frames passed. */
  count(window: ViewerWindow): void {
    const view = this.#viewOf(window), now = performance.now();
    const isQuiet = view.isPaused && !this.#inFlight && this.#socket.bufferedAmount === 0;
    if (!isQuiet || view.shown === 0n || now - this.#countedAt < COUNT_EVERY) return;
    this.#countedAt = now;
    const unseen = Math.max(0, Number(window.newest - view.shown) - 1);
    this.tell({ type: "count", window: window.id, dropped: view.dropped + unseen });
  }

  /** Sends news when the page has processed the previous news. */
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
    // The page's clock may differ from this one: its time counts only within the possible range.
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

  /**
   * Offers the page frames of its windows. The window that was shown last comes last, so that each window gets its
   * turn.
   */
  #next(): void {
    const windows = [...this.#windows()].sort((one, other) => this.#viewOf(one).turn - this.#viewOf(other).turn);
    for (const window of windows) if (this.wants(window)) window.offer();
  }
}

/** The changed rows of a picture, by the changed rows of its buffer. */
function changedRows({ top, height }: Picture, changed: RowRange | undefined): RowRange {
  if (!changed) return { top: 0, bottom: height };
  const within = (row: number) => Math.max(0, Math.min(height, row - top));
  return { top: within(changed.top), bottom: within(changed.bottom) };
}
