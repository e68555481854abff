import { assertEquals } from "@std/assert";
import { meshOf } from "../../../../../workbench/recordings/view/server/mesh.ts";
import type { EventState } from "../../../../../workbench/recordings/view/types.ts";

const state = (more: Partial<EventState> = {}): EventState => ({
  shaders: [],
  resources: [{ role: "index buffer", name: "VkBuffer#7", facts: { offset: "24", indexType: 1 } }],
  dynamic: {},
  state: { pInputAssemblyState: { topology: 4, primitiveRestartEnable: 1 } },
  ...more,
});

Deno.test("meshOf() has the counts of a draw, and the index buffer of an indexed one", () => {
  const draw = { vertexCount: 9, instanceCount: 2, firstVertex: 3, firstInstance: 0 };
  const common = { topology: 4, restarts: true, first: 3, count: 9, instances: 2 };
  assertEquals(meshOf("vkCmdDraw", draw, state()), { ...common, vertexOffset: 0 });
  const indexed = { indexCount: 9, instanceCount: 2, firstIndex: 3, vertexOffset: -1 };
  const indices = { resource: "VkBuffer#7", offset: 24, size: 4 } as const;
  assertEquals(meshOf("vkCmdDrawIndexed", indexed, state()), { ...common, vertexOffset: -1, indices });
  assertEquals(meshOf("vkCmdDrawIndexed", indexed, state({ resources: [] }))?.indices, undefined);
  for (const command of ["vkCmdDispatch", "vkCmdDrawIndirect", "vkCmdDrawMeshTasksEXT"]) {
    assertEquals(meshOf(command, draw, state()), undefined);
  }
});

Deno.test("meshOf() takes the topology of the command that sets it, if the pipeline leaves it open", () => {
  const dynamic = { "vkCmdSetPrimitiveTopologyEXT ": { primitiveTopology: 1 } };
  const open = { pDynamicState: { pDynamicStates: [1000267002] }, pInputAssemblyState: { topology: 3 } };
  assertEquals(meshOf("vkCmdDraw", { vertexCount: 1 }, state({ dynamic, state: open }))?.topology, 1);
  assertEquals(meshOf("vkCmdDraw", { vertexCount: 1 }, state({ dynamic }))?.topology, 4);
});
