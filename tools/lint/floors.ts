/**
 * The parts of the house that may import each other: the floors from the ground up, and the order of the rooms inside
 * them.
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
  workbench: 6,
  "cli.ts": 7,
  cli: 7,
  examples: 7,
};
/**
 * By floor, its rooms and the files that lie beside them: each may import those with a smaller number, and those with
 * its own. A file beside the rooms that is not listed may neither import nor be imported.
 */
const ROOMS: Record<string, Record<string, number>> = {
  ffi: {
    "error.ts": 0,
    "scalar.ts": 0,
    "libc.ts": 0,
    "check_options.ts": 0,
    "signature.ts": 0,
    "generated_code.ts": 0,
    "fault.ts": 0,
    gen: 0,
    asm: 0,
    emit: 0,
    "block.ts": 1,
    "spare_memory.ts": 1,
    "arena_memory.ts": 1,
    image: 2,
    "portable.ts": 3,
    "invoke.ts": 3,
    "stubs.ts": 3,
    "cstring.ts": 3,
    "machine.ts": 3,
    "executable.ts": 3,
    "thread_end.ts": 4,
    "arena.ts": 4,
    "mapped.ts": 4,
    "long.ts": 4,
    file: 5,
    library: 5,
    thunk: 5,
    functions: 6,
    "prepare.ts": 6,
    "fetch.ts": 6,
    android: 6,
    "mod.ts": 7,
  },
  loader: {
    gen: 0,
    emit: 0,
    "version.ts": 0,
    "junit.ts": 0,
    "result.ts": 0,
    "layer.ts": 0,
    "base.ts": 0,
    "types.ts": 0,
    codec: 1,
    texels: 1,
    command: 2,
    driver: 2,
    "error.ts": 2,
    "temporary_folder.ts": 0,
    "options.ts": 3,
    chain: 3,
    layers: 4,
    terminator: 4,
    install: 5,
    scripted: 5,
    platform: 6,
    interposers: 6,
    api: 7,
    requirements: 8,
    vkjson: 8,
    twin: 9,
    "vk.ts": 10,
    "drivers.ts": 10,
    "vkjson.ts": 10,
    "core.ts": 10,
    "public_types.ts": 9,
    "mod.ts": 10,
  },
  wsi: {
    "error.ts": 0,
    "status.ts": 0,
    "android_values.ts": 0,
    fence: 0,
    buffer: 1,
    contract: 2,
    queue: 3,
    adaptor: 3,
    window: 4,
    consumer: 4,
    web: 5,
    swapchain: 5,
    requirements: 7,
    "android_wsi.ts": 6,
    "load_vulkan.ts": 6,
    gpu: 7,
    "check_vulkan.ts": 7,
    "mod.ts": 8,
  },
  egl: {
    gen: 0,
    "error.ts": 0,
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
    twin: 9,
    "gl.ts": 9,
    "load_egl.ts": 6,
    "mod.ts": 9,
  },
  hwc: {
    "types.ts": 0,
    "device_types.ts": 0,
    "rects.ts": 0,
    "composer_records.ts": 0,
    "hwc_error.ts": 0,
    "composer.ts": 0,
    "function_names.ts": 0,
    "arguments.ts": 0,
    backends: 0,
    planes: 1,
    core: 2,
    simulated: 3,
    kms: 3,
    hwc2: 3,
    remote: 3,
    binder: 3,
    flinger: 4,
    info: 4,
    viewer: 5,
    requirements: 5,
    "mod.ts": 6,
  },
  workbench: {
    process: 0,
    pages: 1,
    layer_server: 1,
    timeline: 1,
    runs: 2,
    recordings: 3,
    programs: 3,
    "layers.ts": 4,
    "gles_layers.ts": 4,
    check: 4,
  },
};
/** Folders outside the house: they may import anything, and only the examples may import from them. */
const OUTSIDE = new Set(["tests", "bench", "tools"]);

/**
 * The reason why `importer` must not import `imported` (both paths from the
 * project's root); `undefined` if it may.
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
  return from === to && rooms ? objectionInside(from, rooms, fromRoom, toRoom) : undefined;
}

/** The same inside one floor: its rooms from the ground up, and the files beside them. */
function objectionInside(floor: string, rooms: Record<string, number>, from: string, to: string): string | undefined {
  for (const place of [from, to]) {
    if (!(place in rooms)) return `${floor}/${place} has no place on its floor: list it in tools/lint/floors.ts`;
  }
  if (rooms[to] <= rooms[from]) return undefined;
  const [upper, lower] = [to, from].map((place) => `${floor}/${place}${place.endsWith(".ts") ? "" : "/"}`);
  return `${lower} cannot import from ${upper}, which is built on it`;
}

/** Whether a path from the project's root is published, on one of the floors. */
export function isPublished(path: string): boolean {
  return path.split("/")[0] in FLOORS && !path.startsWith("examples/");
}

function label(part: string): string {
  return `${part}${part.endsWith(".ts") ? "" : "/"} (floor ${FLOORS[part]})`;
}
