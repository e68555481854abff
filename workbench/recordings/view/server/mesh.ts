import {
  VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
  VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
} from "../../../../loader/gen/enums_core_gen.js";
import { coreName } from "../../record/commands.ts";
import type { Fields, RecordedCall } from "../../record/line.ts";
import { indicesOf, indirectPlace, numbersOfCall } from "../capture/draw_ranges.ts";
import type { EventState } from "../types.ts";

/** A draw's reading of vertices, by the call and the state. The numbers are asked for: they may be in a buffer. */
export interface Mesh {
  /** VkPrimitiveTopology. */
  readonly topology: number;
  /** Whether the largest index ends a strip. */
  readonly restarts: boolean;
  /** The index buffer, from where it is bound; `undefined` for a draw without indices. */
  readonly indices?: { readonly resource: string; readonly offset: number; readonly size: 1 | 2 | 4 };
}

/** Returns how a draw reads vertices; `undefined` for other events. */
export function meshOf(call: RecordedCall, state: EventState): Mesh | undefined {
  if (!numbersOfCall(call) && !indirectPlace(call)) return undefined;
  const info = (state.state as Fields)?.pInputAssemblyState ?? {};
  const isIndexed = coreName(call.command).startsWith("vkCmdDrawIndexed");
  return {
    topology: dynamicOf(state, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, "vkCmdSetPrimitiveTopology", "primitiveTopology") ??
      info.topology ?? 0,
    restarts: Boolean(
      dynamicOf(
        state,
        VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
        "vkCmdSetPrimitiveRestartEnable",
        "primitiveRestartEnable",
      ) ?? info.primitiveRestartEnable,
    ),
    ...isIndexed && { indices: boundIndices(state) },
  };
}

/** An argument of the command that set a state which the pipeline leaves open. */
function dynamicOf({ state, dynamic }: EventState, kind: number, command: string, name: string): number | undefined {
  const isOpen = (state as Fields)?.pDynamicState?.pDynamicStates?.includes(kind);
  const found = Object.entries(dynamic).find(([key]) => coreName(key.split(" ")[0]) === command);
  return isOpen && found ? (found[1] as Fields)[name] : undefined;
}

function boundIndices({ resources }: EventState): Mesh["indices"] {
  const found = resources.find(({ role }) => role === "index buffer");
  const indices = found && indicesOf({ ...found.facts, buffer: found.name });
  return indices && { resource: indices.buffer, offset: indices.offset, size: indices.size };
}
