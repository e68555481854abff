/** What the page is told, as JSON. A `frame` is followed by its pixels in a binary message. */
export type ToPage =
  | { readonly type: "hello"; readonly title: string; readonly windows: readonly WindowInfo[] }
  | { readonly type: "window"; readonly window: WindowInfo }
  | FrameInfo
  | TimingInfo
  | { readonly type: "count"; readonly window: number; readonly dropped: number }
  /** What the page of another kind of viewer wants to know; answered with `heard`. */
  | { readonly type: "news"; readonly news: unknown };

/** A window as the page knows it. */
export interface WindowInfo {
  /** No other window of the viewer has it. */
  readonly id: number;
  readonly name: string;
  readonly state: "waiting" | "open" | "closed";
}

/**
 * A frame of which those rows follow that changed since the last that the page
 * got of the window: from `top` on, `stride` RGBA pixels each, of which those
 * from `left` on are shown.
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
  /** Of the buffer, by name. */
  readonly format: string;
  readonly dataspace: string;
  /** How many frames this page has not been shown since the first that it was. */
  readonly dropped: number;
  /** Why there are no pixels: `stride` is 0 then. */
  readonly problem?: string;
}

/** When things happened to a frame that a page has shown: milliseconds since it was queued. */
export interface TimingInfo {
  readonly type: "timing";
  readonly window: number;
  readonly number: number;
  readonly fence: number;
  readonly sent: number;
  readonly shown: number;
  readonly acked: number;
}

/** What the page says, as JSON. */
export type FromPage =
  /** It has shown the frame it was sent: `shown` is when, in milliseconds since 1970. The next may come. */
  | { readonly type: "ack"; readonly shown: number }
  /** It wants no more frames of a window, wants them again, wants one. */
  | { readonly type: "pause" | "resume" | "step"; readonly window: number }
  /** It has taken in the news it was sent: the next may come. */
  | { readonly type: "heard" }
  /** It asks a viewer of another kind for something. */
  | { readonly type: "ask"; readonly request: unknown };

/** Reads what the page says; `undefined` when that makes no sense. */
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
