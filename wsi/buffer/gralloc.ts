import { duplicate, errorName, fileSize, lastError } from "../../ffi/file/file_descriptor.ts";
import { WsiError } from "../error.ts";
import { checkRequest, MOST_BYTES, shortName } from "./check_request.ts";
import type { BufferRequest } from "./check_request.ts";
import { isDmaBuf } from "./dma_buf.ts";
import { GraphicBuffer, newShared } from "./graphic_buffer.ts";
import { type HalFormat, halFormatOf } from "./hal_format.ts";
import { buffersOfId, enterBuffer, leaveBuffer } from "./known_buffers.ts";
import { align, type BufferLayout, endOf, type Layout, layOut, layoutRuleOf } from "./layout.ts";
import { allocateMemory, type BufferMemory, mapMemory, type MemoryKind, PAGE } from "./memory.ts";
import { MODIFIER, modifierName } from "./modifier.ts";
import { type HandleContents, handleInts, readHandle, readInts, writeHandle } from "./native_handle.ts";
import { tiledSize, tilingOf } from "./tiling.ts";
export { openBuffers } from "./known_buffers.ts";

/** Rows and columns of the largest block that GPUs and rasterisers on CPUs work in. */
export const BLOCK = 16;
let last = 0n;

/**
 * Allocates a buffer of zeros for a request, with the layout rule of its usage bits. Throws a {@linkcode WsiError}:
 * `bad-size`, `bad-format`, `bad-usage`, `bad-layout` for a rule that cannot be followed, `out-of-memory`,
 * `out-of-descriptors`.
 *
 * @example
 * ```ts
 * import { allocateBuffer, FORMAT, USAGE } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * using buffer = allocateBuffer({
 *   width: 4,
 *   height: 2,
 *   format: FORMAT.RGBA_8888,
 *   usage: USAGE.CPU_WRITE_OFTEN,
 * });
 * buffer.lock().fill(255);
 * buffer.unlock();
 * assertEquals([buffer.width, buffer.height], [4, 2]);
 * ```
 */
export function allocateBuffer(request: BufferRequest): GraphicBuffer {
  const chosen = choose(request),
    size = Math.max(chosen.wanted, Math.min(paddedSize(request, chosen.format, chosen.layout), MOST_BYTES));
  return allocated(request, chosen, size, false);
}

/**
 * As {@linkcode allocateBuffer}, with no room behind the last row but a page
 * that nobody may touch: the process ends of it. `undefined` for rows that do
 * not end with a page.
 */
export function allocateGuarded(request: BufferRequest): GraphicBuffer | undefined {
  const chosen = choose(request);
  return chosen.wanted % PAGE === 0 ? allocated(request, chosen, chosen.wanted, true) : undefined;
}

/** The layout of a buffer in memory, and the least size of that memory. */
function choose(request: BufferRequest) {
  const format = checkRequest(request), asked = layoutRuleOf(request.usage)?.(request);
  const layout = chooseLayout(request, format, asked), modifier = asked?.modifier ?? MODIFIER.LINEAR;
  const why = whyNotTiled(request, format, layout, modifier);
  if (why) throw new WsiError("bad-layout", `Cannot allocate ${describe(request)}: ${why}`);
  const wanted = Math.max(layout.bytes, wholeTiles(request, layout, modifier), asked?.size ?? 0);
  if (wanted <= MOST_BYTES) return { format, layout, wanted, kind: asked?.memory, modifier };
  throw new WsiError("bad-size", `Cannot allocate ${describe(request)}: ${wanted} bytes, more than ${MOST_BYTES}`);
}

function allocated(
  request: BufferRequest,
  { format, layout, kind, modifier }: ReturnType<typeof choose>,
  size: number,
  isGuarded: boolean,
): GraphicBuffer {
  return own({ ...request, modifier }, nextId(), format, layout, allocateMemory(size, request.usage, kind, isGuarded));
}

/**
 * Opens another owner of a buffer from this or another process, by the file descriptor and the ints of the buffer's
 * handle. The caller keeps the file descriptor. Throws a {@linkcode WsiError} `bad-handle` for an inconsistent handle.
 *
 * @example
 * ```ts
 * import { allocateBuffer, exportInts, FORMAT, importBuffer, USAGE } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * using buffer = allocateBuffer({ width: 4, height: 2, format: FORMAT.RGBA_8888, usage: USAGE.CPU_READ_OFTEN });
 * using again = importBuffer(buffer.memory.fd, exportInts(buffer));
 * assertEquals(again.id, buffer.id);
 * ```
 */
export function importBuffer(fd: number, ints: readonly number[]): GraphicBuffer {
  const contents = readInts(ints), format = checkRequest(contents), { id, size } = contents;
  const layout = importedLayout(contents, format);
  if (fd < 0) return sameProcess(contents);
  return own(contents, id, format, layout, importedMemory(fd, size, contents.modifier));
}

/** Memory of a private layout need not be mapped: the processor does not read it. */
function importedMemory(fd: number, size: number, modifier: bigint, kind?: MemoryKind): BufferMemory {
  const copy = duplicate(fd);
  if (copy >= 0) return mapMemory(copy, size, kind, modifier !== MODIFIER.LINEAR);
  const reason = errorName(lastError());
  throw new WsiError("bad-handle", `Cannot import a buffer: file descriptor ${fd} cannot be used: ${reason}`);
}

/** A picture in memory that somebody else has made, such as a GPU's driver. */
export interface ForeignBuffer extends Omit<BufferRequest, "layers"> {
  /** Bytes from one row to the next, as the maker tells them with the modifier. */
  readonly rowPitch: number;
  /** The layout of the pixels: one of {@linkcode MODIFIER}, or another DRM format modifier. Default LINEAR. */
  readonly modifier?: bigint;
}

/**
 * Makes a buffer of a dma-buf that gralloc has not allocated. The caller keeps the file descriptor. Formats of one plane
 * are taken, whose pixels begin with the file. Throws a {@linkcode WsiError}: `bad-handle` for a description that does
 * not fit the file, and those of {@linkcode allocateBuffer} for a size, a format or a usage.
 *
 * @example
 * ```ts
 * import { allocateBuffer, FORMAT, MODIFIER, USAGE, wrapDmaBuf } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * const size = { width: 128, height: 8, format: FORMAT.RGBA_8888, usage: USAGE.CPU_READ_OFTEN };
 * using memory = allocateBuffer(size);
 * using tiled = wrapDmaBuf(memory.memory.fd, { ...size, rowPitch: 512, modifier: MODIFIER.I915_X_TILED });
 * assertEquals(tiled.modifier, MODIFIER.I915_X_TILED);
 * ```
 */
export function wrapDmaBuf(fd: number, picture: ForeignBuffer): GraphicBuffer {
  const { rowPitch, modifier = MODIFIER.LINEAR } = picture, format = checkRequest(picture);
  const stride = rowPitch / (format.bytesPerPixel || 1), size = Number(fileSize(fd));
  const contents = { ...picture, layers: 1, modifier, stride, size: Math.max(size, 0), id: nextId() };
  const layout = importedLayout(contents, format), kind = isDmaBuf(fd) ? "dma-buf" : undefined;
  return own(contents, contents.id, format, layout, importedMemory(fd, contents.size, modifier, kind));
}

/**
 * Like {@linkcode importBuffer}, for a native_handle_t at an address. The caller keeps the handle.
 *
 * @example
 * ```ts
 * import { allocateBuffer, FORMAT, importHandle, USAGE } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * using buffer = allocateBuffer({ width: 4, height: 2, format: FORMAT.RGBA_8888, usage: USAGE.CPU_READ_OFTEN });
 * using again = importHandle(buffer.handle);
 * assertEquals(again.id, buffer.id);
 * ```
 */
export function importHandle(address: bigint): GraphicBuffer {
  const { fd, ints } = readHandle(address);
  return importBuffer(fd, ints);
}

/**
 * Returns the ints of a buffer's handle, for {@linkcode importBuffer} in another process that also gets `memory.fd`.
 *
 * @example
 * ```ts
 * import { allocateBuffer, exportInts, FORMAT, importBuffer, USAGE } from "@pumice/gfx/wsi";
 * import { assertEquals } from "@std/assert";
 *
 * using buffer = allocateBuffer({ width: 4, height: 2, format: FORMAT.RGBA_8888, usage: USAGE.CPU_READ_OFTEN });
 * using other = importBuffer(buffer.memory.fd, exportInts(buffer)); // as another process does
 * assertEquals(other.stride, buffer.stride);
 * ```
 */
export function exportInts(buffer: GraphicBuffer): number[] {
  const { width, height, layers, format, usage, stride, rowPitch, id, modifier, memory: { size } } = buffer;
  return handleInts({ width, height, layers, format, usage, stride, rowPitch, size, id, modifier });
}

/** Numbers that other processes do not use: the process, and how many before. */
function nextId(): bigint {
  return BigInt(Deno.pid) << 32n | ++last;
}

/** A buffer with its first owner. */
function own(
  request: BufferRequest & { readonly modifier: bigint },
  id: bigint,
  format: HalFormat,
  layout: Layout,
  memory: BufferMemory,
): GraphicBuffer {
  const { width, height, format: hal, usage, layers = 1, modifier } = request, { stride, rowPitch } = layout;
  const ints = handleInts({
    width,
    height,
    layers,
    format: hal,
    usage,
    stride,
    rowPitch,
    size: memory.size,
    id,
    modifier,
  });
  const block = writeHandle(memory.fd, ints), { address: handle } = block;
  const shared = newShared(memory, { modifier, rowPitch, height });
  const close = () => {
    leaveBuffer(handle);
    block.close();
    memory.close();
  };
  enterBuffer(handle, shared.owners);
  return new GraphicBuffer(request, {
    id,
    stride,
    rowPitch,
    memory,
    handle,
    close,
    pixelFormat: format,
    layout,
    modifier,
    shared,
  });
}

/** Chooses the layout. A rule lays out formats with one plane; rows must not overlap, or begin within a pixel. */
function chooseLayout(request: BufferRequest, format: HalFormat, asked?: BufferLayout): Layout & { bytes: number } {
  const { width, height, layers = 1 } = request;
  if (format.planes > 1 || !asked) return withBytes(layOut(format, width, height), layers);
  const layout = layOut(format, width, height, asked.rowPitch), { rowPitch, stride, planes: [{ rowBytes }] } = layout;
  if (Number.isInteger(stride) && rowPitch >= rowBytes && rowPitch <= MOST_BYTES && Number.isSafeInteger(asked.size)) {
    return withBytes(layout, layers);
  }
  const found = `rows of ${asked.rowPitch} bytes and ${asked.size} in all`;
  const wanted = `rows of at least ${rowBytes} that are a multiple of ${format.bytesPerPixel || 1}`;
  throw new WsiError(
    "bad-layout",
    `Cannot allocate ${describe(request)}: its layout rule wants ${found}; give ${wanted}`,
  );
}

/** Returns why a picture cannot lie so in memory; `undefined` if it can. */
function whyNotTiled(
  { layers = 1 }: BufferRequest,
  { planes, bytesPerPixel }: HalFormat,
  { rowPitch }: Layout,
  modifier: bigint,
): string | undefined {
  if (modifier === MODIFIER.LINEAR) return undefined;
  const layout = modifierName(modifier), width = tilingOf(modifier)?.width ?? 1;
  if (planes > 1 || bytesPerPixel === 0 || layers > 1) return `only pictures of one plane and one layer have ${layout}`;
  return rowPitch % width === 0
    ? undefined
    : `rows of ${rowPitch} bytes have no ${layout}; give a multiple of ${width}`;
}

/** Bytes of the tiles that have a part of a picture; 0 for layouts that are not known here. */
function wholeTiles({ height }: BufferRequest, { rowPitch }: Layout, modifier: bigint): number {
  const tiling = tilingOf(modifier);
  return tiling ? tiledSize({ tiling, rowPitch, height }) : 0;
}

/** The last row needs no padding behind it: a driver that says how much it needs may leave that out. */
function withBytes(layout: Layout, layers: number): Layout & { bytes: number } {
  return { ...layout, bytes: Math.max(...layout.planes.map(endOf)) + layout.size * (layers - 1) };
}

/**
 * The size with room behind the last row of each plane, whatever the usage: drivers that work in blocks touch a whole
 * block, and those whose GPU is the CPU ask for the CPU's usage bits alone. BLOB has no rows.
 */
function paddedSize({ layers = 1 }: BufferRequest, format: HalFormat, { planes, size }: Layout): number {
  if (shortName(format) === "BLOB") return 0;
  const ends = planes.map((plane) => {
    const rowBytes = Math.max(plane.rowPitch, align(plane.rowBytes, BLOCK * (format.bytesPerPixel || 1)));
    return endOf({ ...plane, rowBytes, rows: align(plane.rows, BLOCK) });
  });
  return Math.max(...ends) + size * (layers - 1);
}

/** Returns the layout in a handle, if the layout is consistent. */
function importedLayout(contents: HandleContents, format: HalFormat): Layout {
  const { width, height, layers, rowPitch, stride, size } = contents;
  const layout = layOut(format, width, height, format.planes > 1 ? undefined : rowPitch);
  const isWide = layout.planes.every((plane) => plane.rowPitch >= plane.rowBytes);
  const fits = isWide && !whyNotTiled(contents, format, layout, contents.modifier);
  const bytes = Math.max(withBytes(layout, layers).bytes, wholeTiles(contents, layout, contents.modifier));
  if (fits && layout.rowPitch === rowPitch && layout.stride === stride && bytes <= size && size <= MOST_BYTES) {
    return layout;
  }
  const found = `rows of ${rowPitch} bytes, a stride of ${stride} and ${size} bytes in all, in ${
    modifierName(contents.modifier)
  }`;
  throw new WsiError(
    "bad-handle",
    `Cannot import ${describe(contents)}: it is said to have ${found}, which is not the layout of such a buffer`,
  );
}

/** Anonymous memory has no file, so only its own process knows it. */
function sameProcess(contents: HandleContents): GraphicBuffer {
  const buffer = buffersOfId(contents.id).find(({ memory }) => memory.fd < 0);
  if (buffer) return buffer.retain();
  const message = `Cannot import ${
    describe(contents)
  }: it has no file, and buffer ${contents.id} is not open in this process`;
  throw new WsiError("bad-handle", message);
}

function describe({ width, height, format, layers = 1 }: BufferRequest): string {
  const known = halFormatOf(format), many = layers > 1 ? ` x ${layers}` : "";
  return `a ${known ? shortName(known) : "unknown"} buffer of ${width} x ${height}${many}`;
}
