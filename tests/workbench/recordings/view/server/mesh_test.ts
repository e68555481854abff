import { assertEquals } from "@std/assert";
import { meshOf } from "../../../../../workbench/recordings/view/server/mesh.ts";
import type { RecordedCall } from "../../../../../workbench/recordings/record/line.ts";
import type { EventState } from "../../../../../workbench/recordings/view/types.ts";

const state = (more: Partial<EventState> = {}): EventState => ({
  shaders: [],
  resources: [{ role: "index buffer", name: "VkBuffer#7", facts: { offset: "24", indexType: 1 } }],
  dynamic: {},
  state: { pInputAssemblyState: { topology: 4, primitiveRestartEnable: 1 } },
  ...more,
});

const call = (command: string, args = {}): RecordedCall => ({ command, args });

Deno.test("meshOf() has the index buffer of an indexed draw, whose numbers may be in a buffer", () => {
  const common = { topology: 4, restarts: true }, indices = { resource: "VkBuffer#7", offset: 24, size: 4 } as const;
  for (const command of ["vkCmdDraw", "vkCmdDrawIndirect", "vkCmdDrawIndirectCountKHR"]) {
    assertEquals(meshOf(call(command), state()), common);
  }
  for (const command of ["vkCmdDrawIndexed", "vkCmdDrawIndexedIndirect", "vkCmdDrawIndexedIndirectCount"]) {
    assertEquals(meshOf(call(command), state()), { ...common, indices });
    assertEquals(meshOf(call(command), state({ resources: [] }))?.indices, undefined);
  }
  for (const command of ["vkCmdDispatch", "vkCmdDrawIndirectByteCountEXT", "vkCmdDrawMeshTasksEXT"]) {
    assertEquals(meshOf(call(command), state()), undefined);
  }
});

Deno.test("meshOf() takes the topology of the command that sets it, if the pipeline leaves it open", () => {
  const dynamic = { "vkCmdSetPrimitiveTopologyEXT ": { primitiveTopology: 1 } };
  const open = { pDynamicState: { pDynamicStates: [1000267002] }, pInputAssemblyState: { topology: 3 } };
  assertEquals(meshOf(call("vkCmdDraw"), state({ dynamic, state: open }))?.topology, 1);
  assertEquals(meshOf(call("vkCmdDraw"), state({ dynamic }))?.topology, 4);
});
