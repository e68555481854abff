import { VK_INDEX_TYPE_UINT32, VK_INDEX_TYPE_UINT8 } from "../../../../loader/gen/enums_core_gen.js";
import { layoutOf } from "../../../../loader/codec/layout/layout.ts";
import { coreName } from "../../record/commands.ts";
import type { Fields, RecordedCall } from "../../record/line.ts";
import type { DrawNumbers } from "../types.ts";

/** An index buffer as it is bound. */
export interface BoundIndices {
  readonly buffer: string;
  readonly offset: number;
  readonly size: 1 | 2 | 4;
}

/** The struct that an indirect command reads. */
function structOf(command: string): ReturnType<typeof layoutOf> {
  return layoutOf(coreName(command).includes("Indexed") ? "VkDrawIndexedIndirectCommand" : "VkDrawIndirectCommand");
}

/** The buffers that an indirect draw reads its numbers from. */
export interface IndirectPlace {
  readonly buffer: string;
  readonly offset: number;
  readonly stride: number;
  readonly most: number;
  readonly count?: { readonly buffer: string; readonly offset: number };
}

/** Returns where an indirect draw has its numbers; `undefined` for other commands. */
export function indirectPlace({ command, args }: RecordedCall): IndirectPlace | undefined {
  const found = /^vkCmdDraw(Indexed)?Indirect(Count)?$/.exec(coreName(command));
  if (!found) return undefined;
  const { buffer, offset, stride, drawCount, maxDrawCount, countBuffer, countBufferOffset } = args;
  return {
    buffer,
    offset: Number(offset),
    stride: stride || structOf(command).size,
    most: found[2] ? maxDrawCount : drawCount,
    ...found[2] && { count: { buffer: countBuffer, offset: Number(countBufferOffset) } },
  };
}

/** Returns the numbers of a draw whose call has them; `undefined` for other commands. */
export function numbersOfCall({ command, args }: RecordedCall): DrawNumbers | undefined {
  const core = coreName(command), isIndexed = core === "vkCmdDrawIndexed";
  if (core !== "vkCmdDraw" && !isIndexed) return undefined;
  return {
    isIndexed,
    count: isIndexed ? args.indexCount : args.vertexCount,
    first: (isIndexed ? args.firstIndex : args.firstVertex) ?? 0,
    vertexOffset: args.vertexOffset ?? 0,
    instances: args.instanceCount ?? 1,
    firstInstance: args.firstInstance ?? 0,
  };
}

/** Returns the numbers of each draw of an indirect command. `bytesOf` returns the contents of a buffer before the command. */
export async function numbersInBuffer(
  call: RecordedCall,
  place: IndirectPlace,
  bytesOf: (buffer: string) => Promise<Uint8Array>,
): Promise<DrawNumbers[]> {
  const bytes = viewOf(await bytesOf(place.buffer)), { fields, size } = structOf(call.command);
  const counted = place.count
    ? viewOf(await bytesOf(place.count.buffer)).getUint32(place.count.offset, true)
    : place.most;
  const command = coreName(call.command).includes("Indexed") ? "vkCmdDrawIndexed" : "vkCmdDraw";
  const found: DrawNumbers[] = [];
  for (let draw = 0; draw < Math.min(counted, place.most); draw++) {
    const at = place.offset + draw * place.stride;
    if (at + size > bytes.byteLength) break; // the program is wrong: the buffer ends
    const args = Object.fromEntries(fields.map(({ name, offset }) => [
      name,
      name === "vertexOffset" ? bytes.getInt32(at + offset, true) : bytes.getUint32(at + offset, true),
    ]));
    found.push(numbersOfCall({ command, args })!);
  }
  return found;
}

/** Returns the index buffer of a state; `undefined` if none is bound. */
export function indicesOf(bound: Fields | undefined): BoundIndices | undefined {
  if (!bound?.buffer) return undefined;
  const { buffer, offset = 0, indexType } = bound;
  return {
    buffer,
    offset: Number(offset),
    size: indexType === VK_INDEX_TYPE_UINT32 ? 4 : indexType === VK_INDEX_TYPE_UINT8 ? 1 : 2,
  };
}

/** Returns the lowest vertex of a draw and the number of vertices up to the highest one, without those that end strips. */
export function vertexRange(
  numbers: DrawNumbers,
  restarts: boolean,
  indices?: { readonly bytes: Uint8Array; readonly bound: BoundIndices },
): { readonly first: number; readonly count: number } {
  if (!indices) return { first: numbers.first, count: numbers.count };
  const { bytes, bound: { offset, size } } = indices, view = viewOf(bytes), end = 2 ** (8 * size) - 1;
  let low = Infinity, high = -Infinity;
  for (let index = numbers.first; index < numbers.first + numbers.count; index++) {
    const at = offset + index * size;
    if (at + size > view.byteLength) break; // the program is wrong: the buffer ends
    const vertex = size === 4 ? view.getUint32(at, true) : size === 2 ? view.getUint16(at, true) : view.getUint8(at);
    if (restarts && vertex === end) continue;
    [low, high] = [Math.min(low, vertex), Math.max(high, vertex)];
  }
  if (low > high) return { first: 0, count: 0 };
  return { first: low + numbers.vertexOffset, count: high - low + 1 };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
