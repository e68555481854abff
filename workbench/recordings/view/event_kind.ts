import { coreName } from "../record/commands.ts";
import { isDispatch, isDraw } from "../state_tracker/effects.ts";
import type { EventKind } from "./types.ts";

const KINDS: readonly (readonly [pattern: RegExp, kind: EventKind])[] = [
  [/^vkCmd(Begin|End)(RenderPass2?|Rendering)$/, "pass"],
  [/DebugUtilsLabel$/, "label"],
  [/^vkCmd(Clear|Fill)/, "clear"],
  [/^vkCmd(Copy|Blit|Resolve|Update)/, "copy"],
  [/^vkCmd(Build|Write)(AccelerationStructures|Micromaps)/, "dispatch"],
  [/^vkCmd(PipelineBarrier2?|(Wait|Set|Reset)Events?2?)$/, "barrier"],
  [/^vkCmd/, "state"],
  [/^vkQueueSubmit2?$/, "submission"],
  [/^vkQueuePresent$/, "present"],
];

/** Returns the kind of a command's row. */
export function kindOfCommand(command: string): EventKind {
  const core = coreName(command);
  if (isDraw(core)) return "draw";
  if (isDispatch(core)) return "dispatch";
  return KINDS.find(([pattern]) => pattern.test(core))?.[1] ?? "host";
}
