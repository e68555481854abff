/** The properties of the screen for new windows. */
export interface XScreen {
  /** The root window. */
  readonly root: number;
  /** The visual of its root window. */
  readonly visual: number;
  readonly depth: number;
  /** Bits of a pixel in images of that depth. */
  readonly bitsPerPixel: number;
  /** Bytes that rows of images are padded to. */
  readonly rowAlignment: number;
  /** The masks of red, green and blue in a pixel. */
  readonly masks: readonly [red: number, green: number, blue: number];
  /** Whether the lowest byte of a pixel comes first. */
  readonly isLittleEndian: boolean;
  /** The first and the last keycode. */
  readonly keycodes: readonly [number, number];
}

const HEADER = 40, FORMAT = 8, SCREEN = 40, DEPTH = 8, VISUAL = 24;

/** Reads a screen from the block that a server sends on connection (xcb_setup_t and the data after it). */
export function readSetup(view: DataView, screen: number): XScreen {
  const formats = HEADER + (view.getUint16(24, true) + 3 & ~3), formatCount = view.getUint8(29);
  const at = screenAt(view, formats + FORMAT * formatCount, screen);
  const depth = view.getUint8(at + 38), visual = view.getUint32(at + 32, true);
  const format = Array.from({ length: formatCount }, (_, index) => formats + FORMAT * index)
    .find((each) => view.getUint8(each) === depth)!;
  return {
    root: view.getUint32(at, true),
    visual,
    depth,
    bitsPerPixel: view.getUint8(format + 1),
    rowAlignment: view.getUint8(format + 2) / 8,
    masks: masksOf(view, at, visual),
    isLittleEndian: view.getUint8(30) === 0,
    keycodes: [view.getUint8(34), view.getUint8(35)],
  };
}

function screenAt(view: DataView, first: number, screen: number): number {
  let at = first;
  for (let index = 0; index < Math.min(screen, view.getUint8(28) - 1); index++) {
    at = depthsOf(view, at).at(-1)!.end;
  }
  return at;
}

function depthsOf(view: DataView, screen: number): { visuals: number; end: number }[] {
  let at = screen + SCREEN;
  return Array.from({ length: view.getUint8(screen + 39) }, () => {
    const visuals = at + DEPTH;
    at = visuals + VISUAL * view.getUint16(at + 2, true);
    return { visuals, end: at };
  });
}

function masksOf(view: DataView, screen: number, visual: number): [number, number, number] {
  for (const { visuals, end } of depthsOf(view, screen)) {
    for (let at = visuals; at < end; at += VISUAL) {
      if (view.getUint32(at, true) !== visual) continue;
      return [view.getUint32(at + 8, true), view.getUint32(at + 12, true), view.getUint32(at + 16, true)];
    }
  }
  return [0, 0, 0];
}
