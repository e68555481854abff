import { duplicate, errorName, lastError } from "../../ffi/file/file_descriptor.ts";
import { WsiError } from "../error.ts";
import { CpuAccess } from "./cpu_access.ts";
import { checkRequest, MOST_BYTES, shortName } from "./check_request.ts";
import type { BufferRequest } from "./check_request.ts";
import { GraphicBuffer } from "./graphic_buffer.ts";
import { type HalFormat, halFormatOf } from "./hal_format.ts";
import { buffersOfId, enterBuffer, leaveBuffer } from "./known_buffers.ts";
import { align, type BufferLayout, endOf, type Layout, layOut, layoutRuleOf } from "./layout.ts";
import { allocateMemory, type BufferMemory, mapMemory, PAGE } from "./memory.ts";
import { type HandleContents, handleInts, readHandle, readInts, writeHandle } from "./native_handle.ts";
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
  const layout = chooseLayout(request, format, asked), wanted = Math.max(layout.bytes, asked?.size ?? 0);
  if (wanted <= MOST_BYTES) return { format, layout, wanted, kind: asked?.memory };
  throw new WsiError("bad-size", `Cannot allocate ${describe(request)}: ${wanted} bytes, more than ${MOST_BYTES}`);
}

function allocated(
  request: BufferRequest,
  { format, layout, kind }: ReturnType<typeof choose>,
  size: number,
  isGuarded: boolean,
): GraphicBuffer {
  return own(request, nextId(), format, layout, allocateMemory(size, request.usage, kind, isGuarded));
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
  const copy = duplicate(fd);
  if (copy >= 0) return own(contents, id, format, layout, mapMemory(copy, size));
  const reason = errorName(lastError());
  throw new WsiError("bad-handle", `Cannot import a buffer: file descriptor ${fd} cannot be used: ${reason}`);
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
  const { width, height, layers, format, usage, stride, rowPitch, id, memory: { size } } = buffer;
  return handleInts({ width, height, layers, format, usage, stride, rowPitch, size, id });
}

/** Numbers that other processes do not use: the process, and how many before. */
function nextId(): bigint {
  return BigInt(Deno.pid) << 32n | ++last;
}

/** A buffer with its first owner. */
function own(
  request: BufferRequest,
  id: bigint,
  format: HalFormat,
  layout: Layout,
  memory: BufferMemory,
): GraphicBuffer {
  const { width, height, format: hal, usage, layers = 1 } = request, { stride, rowPitch } = layout, { size } = memory;
  const ints = handleInts({ width, height, layers, format: hal, usage, stride, rowPitch, size, id });
  const block = writeHandle(memory.fd, ints), { address: handle } = block;
  const shared = { access: new CpuAccess(memory), owners: new Set<GraphicBuffer>(), copies: 0 };
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
  const { bytes } = withBytes(layout, layers), fits = layout.planes.every((plane) => plane.rowPitch >= plane.rowBytes);
  if (fits && layout.rowPitch === rowPitch && layout.stride === stride && bytes <= size && size <= MOST_BYTES) {
    return layout;
  }
  const found = `rows of ${rowPitch} bytes, a stride of ${stride} and ${size} bytes in all`;
  throw new WsiError(
    "bad-handle",
    `Cannot import ${describe(contents)}: its handle names ${found}, which is not the layout of such a buffer`,
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
