/** The server's messages, as JSON. The pixels of a `frame` follow in a binary message. */
export type ToPage =
  | { readonly type: "hello"; readonly title: string; readonly windows: readonly WindowInfo[] }
  | { readonly type: "window"; readonly window: WindowInfo }
  | FrameInfo
  | TimingInfo
  | { readonly type: "count"; readonly window: number; readonly dropped: number }
  /** News for the page of another kind of viewer, which answers with `heard`. */
  | { readonly type: "news"; readonly news: unknown };

/** A window as the page knows it. */
export interface WindowInfo {
  /** A number that no other window of the viewer has. */
  readonly id: number;
  readonly name: string;
  readonly state: "waiting" | "open" | "closed";
}

/**
 * A frame with the rows that changed since the window's last frame on this page: from row `top` on, `stride` RGBA
 * pixels in each row, of which those from `left` on are shown.
 */
export interface FrameInfo {
  readonly type: "frame";
  readonly window: number;
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly stride: number;
  readonly left: number;
  /** The name of the buffer's format. */
  readonly format: string;
  readonly dataspace: string;
  /** The number of frames that this page did not show since its first frame. */
  readonly dropped: number;
  /** The reason why there are no pixels; `stride` is then 0. */
  readonly problem?: string;
}

/** The times of a frame that a page has shown, in milliseconds since the frame was queued. */
export interface TimingInfo {
  readonly type: "timing";
  readonly window: number;
  readonly number: number;
  readonly fence: number;
  readonly sent: number;
  readonly shown: number;
  readonly acked: number;
}

/** The page's messages, as JSON. */
export type FromPage =
  /** The page has shown the frame, at `shown` milliseconds since 1970, and is ready for the next one. */
  | { readonly type: "ack"; readonly shown: number }
  /** The page pauses a window, continues it, or wants one frame. */
  | { readonly type: "pause" | "resume" | "step"; readonly window: number }
  /** The page has processed the news and is ready for more. */
  | { readonly type: "heard" }
  /** The page of another kind of viewer sends a request. */
  | { readonly type: "ask"; readonly request: unknown };

/** Reads a message of the page; `undefined` for an invalid message. */
export function readMessage(data: unknown): FromPage | undefined {
  if (typeof data !== "string" || data.length > 1000) return undefined;
  try {
    const { type, window, shown, request } = JSON.parse(data);
    if (type === "heard") return { type };
    if (type === "ask") return { type, request };
    if (type === "ack") return typeof shown === "number" ? { type, shown } : undefined;
    if (!["pause", "resume", "step"].includes(type) || typeof window !== "number") return undefined;
    return { type, window };
  } catch {
    return undefined;
  }
}
