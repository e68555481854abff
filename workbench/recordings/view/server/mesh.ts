import {
  VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
  VK_INDEX_TYPE_UINT32,
  VK_INDEX_TYPE_UINT8,
} from "../../../../loader/gen/enums_core_gen.js";
import { coreName } from "../../record/commands.ts";
import type { Fields } from "../../record/line.ts";
import type { EventState } from "../types.ts";

/** The vertices that a draw reads, as the call and the state say it. */
export interface Mesh {
  /** VkPrimitiveTopology. */
  readonly topology: number;
  /** Whether the largest index ends a strip. */
  readonly restarts: boolean;
  /** The first vertex or index, and how many. */
  readonly first: number;
  readonly count: number;
  /** The number of the first vertex of the buffers. */
  readonly vertexOffset: number;
  readonly instances: number;
  /** The index buffer, from where it is bound; `undefined` for a draw without indices. */
  readonly indices?: { readonly resource: string; readonly offset: number; readonly size: 1 | 2 | 4 };
}

/** Returns the vertices of a draw whose counts are in the call; `undefined` for other events. */
export function meshOf(command: string, args: Fields, state: EventState): Mesh | undefined {
  const core = coreName(command), isIndexed = core === "vkCmdDrawIndexed";
  if (core !== "vkCmdDraw" && !isIndexed) return undefined;
  const info = (state.state as Fields)?.pInputAssemblyState ?? {};
  const { vertexCount, indexCount, firstVertex = 0, firstIndex = 0, vertexOffset = 0, instanceCount = 1 } = args;
  return {
    topology: dynamicOf(state, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, "vkCmdSetPrimitiveTopology", "primitiveTopology") ??
      info.topology ?? 0,
    restarts: Boolean(info.primitiveRestartEnable),
    first: isIndexed ? firstIndex : firstVertex,
    count: isIndexed ? indexCount : vertexCount,
    vertexOffset,
    instances: instanceCount,
    ...isIndexed && { indices: indicesOf(state) },
  };
}

/** An argument of the command that set a state which the pipeline leaves open. */
function dynamicOf({ state, dynamic }: EventState, kind: number, command: string, name: string): number | undefined {
  const isOpen = (state as Fields)?.pDynamicState?.pDynamicStates?.includes(kind);
  const found = Object.entries(dynamic).find(([key]) => coreName(key.split(" ")[0]) === command);
  return isOpen && found ? (found[1] as Fields)[name] : undefined;
}

function indicesOf({ resources }: EventState): Mesh["indices"] {
  const found = resources.find(({ role }) => role === "index buffer");
  if (!found) return undefined;
  const { offset = 0, indexType } = found.facts as Fields;
  const size = indexType === VK_INDEX_TYPE_UINT32 ? 4 : indexType === VK_INDEX_TYPE_UINT8 ? 1 : 2;
  return { resource: found.name, offset: Number(offset), size };
}
