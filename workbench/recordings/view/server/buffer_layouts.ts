import {
  VK_DYNAMIC_STATE_VERTEX_INPUT_EXT,
  VK_INDEX_TYPE_UINT32,
  VK_INDEX_TYPE_UINT8,
  VK_VERTEX_INPUT_RATE_INSTANCE,
} from "../../../../loader/gen/enums_core_gen.js";
import { formatOf } from "../../../../loader/texels/format.ts";
import type { BoundResource } from "../../compare/bound_state.ts";
import type { Fields } from "../../record/line.ts";
import type { EventState } from "../types.ts";
import { descriptorLayout } from "./block_layout.ts";

/** A way to read a buffer that the state at an event says: the text that a reader may type instead, and where it begins. */
export interface BufferLayout {
  /** The role of the buffer, such as `"vertex buffer 0, for each instance"`, or `", not read"` by the pipeline. */
  readonly role: string;
  /** The members, such as `"vec3 location0; vec2 location1; stride 20;"`. */
  readonly layout: string;
  /** Whether there is one row, because the layout is that of a block. */
  readonly isOnce?: boolean;
  /** Bytes from the start of the buffer. */
  readonly offset: number;
  /** Bytes that are meant; `undefined` for all that follow. */
  readonly size?: number;
}

/** The words of indirect commands, by the command's name without the number of its kind. */
const INDIRECT: readonly (readonly [command: RegExp, layout: string])[] = [
  [
    /^vkCmdDrawIndexedIndirect/,
    "uint indexCount; uint instanceCount; uint firstIndex; int vertexOffset; uint firstInstance;",
  ],
  [/^vkCmdDrawIndirect/, "uint vertexCount; uint instanceCount; uint firstVertex; uint firstInstance;"],
  [/^vkCmdDrawMeshTasksIndirect|^vkCmdDispatchIndirect/, "uint x; uint y; uint z;"],
];
/** VK_WHOLE_SIZE as recordings have it. */
const WHOLE = `${2n ** 64n - 1n}`;

/** Returns the ways to read a buffer that is bound at an event, in the order of its roles. */
export function layoutsOf(resource: BoundResource, state: EventState, command: string, args: Fields): BufferLayout {
  const { role, facts } = resource,
    { offset = 0, range, indexType, dynamicOffset = 0 } = facts as Fields,
    start = Number(offset);
  const binding = /^vertex buffer (\d+)$/.exec(role)?.[1];
  if (binding !== undefined) return { ...vertexLayout(role, Number(binding), state), offset: start };
  if (role === "index buffer") return indexLayout(role, start, indexType, args);
  const indirect = role === "buffer" && INDIRECT.find(([pattern]) => pattern.test(command));
  if (indirect) {
    const text = args.stride > 0 ? `${indirect[1]} stride ${args.stride};` : indirect[1];
    return { role: "indirect commands", layout: text, offset: Number(args.offset ?? 0) };
  }
  const size = range === undefined || range === WHOLE ? undefined : Number(range);
  const [, set, slot] = /^set (\d+) binding (\d+)/.exec(role) ?? [], isBlock = set !== undefined;
  const block = isBlock ? descriptorLayout(state.shaders, Number(set), Number(slot)) : undefined;
  return { role, layout: "vec4 value;", ...block, offset: start + Number(dynamicOffset), size };
}

function vertexLayout(role: string, binding: number, { state }: EventState): Omit<BufferLayout, "offset"> {
  const { pVertexBindingDescriptions = [], pVertexAttributeDescriptions = [] } = (state as Fields)?.pVertexInputState ??
    {};
  const found = pVertexBindingDescriptions.find((each: Fields) => each.binding === binding);
  const attributes: Fields[] = pVertexAttributeDescriptions.filter((each: Fields) => each.binding === binding);
  if (!found || attributes.length === 0) {
    return { role: readsNone(state as Fields) ? `${role}, not read` : role, layout: "vec4 value;" };
  }
  const members = attributes.map(({ location, format, offset }) =>
    `${memberOf(format, `location${location}`)} @${offset};`
  );
  const rate = found.inputRate === VK_VERTEX_INPUT_RATE_INSTANCE ? ", for each instance" : "";
  return {
    role: `${role}${rate}`,
    layout: [...members, ...found.stride > 0 ? [`stride ${found.stride};`] : []].join(" "),
  };
}

/** Whether a pipeline says by itself what it reads, so that a buffer without attributes is one of an earlier draw. */
function readsNone({ pVertexInputState, pDynamicState }: Fields = {}): boolean {
  const dynamic: readonly number[] = pDynamicState?.pDynamicStates ?? [];
  return pVertexInputState !== undefined && !dynamic.includes(VK_DYNAMIC_STATE_VERTEX_INPUT_EXT);
}

/** A vertex attribute as a layout spells it: its components by their bits, or its bytes. Another order than RGBA is part of the name. */
function memberOf(format: number, name: string): string {
  try {
    const { components, blockSize } = formatOf(format),
      [{ bits, numericFormat }] = components,
      count = components.length;
    const isEven = components.every((each) => each.bits === bits && each.firstBit % 8 === 0);
    const type = isEven ? TYPES[`${bits} ${numericFormat}`] : undefined;
    if (type === undefined) return `bytex${blockSize} ${name}`;
    const order = components.toSorted((one, other) => one.firstBit - other.firstBit).map((each) => each.name).join("");
    const full = "RGBA".startsWith(order) ? name : `${name}_${order.toLowerCase()}`;
    return count === 1
      ? `${type} ${full}`
      : type in VECTORS
      ? `${VECTORS[type]}${count} ${full}`
      : `${type}x${count} ${full}`;
  } catch {
    return `bytex4 ${name}`; // a format that is not known
  }
}

const VECTORS: Readonly<Record<string, string>> = {
  float: "vec",
  double: "dvec",
  half: "hvec",
  int: "ivec",
  uint: "uvec",
};
const TYPES: Readonly<Record<string, string>> = {
  "32 SFLOAT": "float",
  "64 SFLOAT": "double",
  "16 SFLOAT": "half",
  "32 SINT": "int",
  "32 UINT": "uint",
  "16 SINT": "short",
  "16 UINT": "ushort",
  "8 SINT": "sbyte",
  "8 UINT": "byte",
  "8 UNORM": "unorm8",
  "8 SRGB": "unorm8",
  "8 SNORM": "snorm8",
  "16 UNORM": "unorm16",
  "16 SNORM": "snorm16",
  "8 USCALED": "byte",
  "8 SSCALED": "sbyte",
  "16 USCALED": "ushort",
  "16 SSCALED": "short",
};

function indexLayout(role: string, start: number, type: number, { firstIndex = 0, indexCount }: Fields): BufferLayout {
  const size = type === VK_INDEX_TYPE_UINT32 ? 4 : type === VK_INDEX_TYPE_UINT8 ? 1 : 2;
  const layout = size === 4 ? "uint index;" : size === 2 ? "ushort index;" : "byte index;";
  return {
    role,
    layout,
    offset: start + firstIndex * size,
    size: indexCount === undefined ? undefined : indexCount * size,
  };
}
