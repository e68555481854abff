/**
 * Which part of the house may import which: the floors from the ground up, and
 * the order of the rooms inside them.
 *
 * @module
 */

const FLOORS: Record<string, number> = {
  ffi: 0,
  loader: 1,
  wsi: 2,
  egl: 3,
  hwc: 4,
  "mod.ts": 5,
  "check.ts": 5,
  "cli.ts": 5,
  cli: 5,
  examples: 5,
};
/** By floor, its rooms: each may import those with a smaller number, and those with its own. */
const ROOMS: Record<string, Record<string, number>> = {
  loader: {
    gen: 0,
    codec: 1,
    command: 2,
    driver: 2,
    chain: 3,
    layers: 4,
    terminator: 4,
    install: 5,
    scripted: 5,
    seats: 6,
    api: 7,
    replay: 8,
    requirements: 8,
    vkjson: 8,
    deqp: 9,
  },
  wsi: {
    fence: 0,
    buffer: 1,
    contract: 2,
    queue: 3,
    adaptor: 3,
    window: 4,
    consumer: 4,
    web: 5,
    swapchain: 5,
    requirements: 6,
    testing: 6,
  },
  egl: {
    gen: 0,
    command: 1,
    driver: 1,
    dispatch: 2,
    api: 3,
    layers: 4,
    cache: 5,
    window: 5,
    install: 6,
    requirements: 7,
    info: 8,
  },
  hwc: {
    backends: 0,
    planes: 1,
    reference: 2,
    hwc2: 3,
    remote: 3,
    flinger: 4,
    info: 4,
    viewer: 5,
    requirements: 5,
  },
};
/** Folders outside the house: they may import anything, and only the examples may import from them. */
const OUTSIDE = new Set(["tests", "bench", "tools"]);

/**
 * Why `importer` must not import `imported` (both paths from the project's
 * root), or `undefined` when it may.
 *
 * @example A floor sees what lies below it
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(objection("loader/mod.ts", "ffi/mod.ts"), undefined);
 * assertEquals(objection("ffi/arena.ts", "loader/mod.ts"), "ffi/ (floor 0) cannot import from loader/ (floor 1)");
 * ```
 */
export function objection(importer: string, imported: string): string | undefined {
  const [from, fromRoom] = importer.split("/");
  const [to, toRoom] = imported.split("/");
  if (OUTSIDE.has(to) && from in FLOORS && from !== "examples") {
    return `${label(from)} cannot import from ${to}/, which is not published`;
  }
  if (!(from in FLOORS) || !(to in FLOORS)) return undefined;
  if (FLOORS[to] > FLOORS[from]) return `${label(from)} cannot import from ${label(to)}`;
  const rooms = ROOMS[from];
  if (from !== to || !rooms) return undefined;
  if (toRoom === "mod.ts" && fromRoom in rooms) {
    return `${from}/${fromRoom}/ cannot import from ${from}/mod.ts, which sits on top of it`;
  }
  if (!(fromRoom in rooms) || !(toRoom in rooms) || rooms[toRoom] <= rooms[fromRoom]) return undefined;
  return `${from}/${fromRoom}/ cannot import from ${from}/${toRoom}/, which is built on it`;
}

function label(part: string): string {
  return `${part}${part.endsWith(".ts") ? "" : "/"} (floor ${FLOORS[part]})`;
}
