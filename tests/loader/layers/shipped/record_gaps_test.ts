import { assert, assertEquals } from "@std/assert";
import { recordingInfo } from "../../../../workbench/recordings/mod.ts";
import { COMMANDS } from "../../../../loader/gen/command_table_gen.js";
import { apiRecording } from "../../../../workbench/layers.ts";
import { givesSecrets, isRecorded } from "../../../../workbench/recordings/record/commands.ts";
import { withFolder } from "../../../support/temporary.ts";
import { withScripted } from "./scripted.ts";

const EXTENSIONS = ["VK_KHR_ray_tracing_pipeline", "VK_KHR_acceleration_structure", "VK_KHR_deferred_host_operations"];

Deno.test("apiRecording() names pages that are bound, what only the driver understands, and what its owner knows, with their lines", () =>
  withFolder((folder) => {
    const path = `${folder}/gaps.jsonl`, logged: string[] = [];
    using recording = apiRecording({ path, log: (sentence) => logged.push(sentence) });
    withScripted([recording.layer], ({ device }) => {
      const buffer = device.vkCreateBuffer({ size: 65536n, usage: 2, flags: 1 });
      const memory = device.vkAllocateMemory({ allocationSize: 65536n, memoryTypeIndex: 0 });
      const pBinds = [{ resourceOffset: 0n, size: 65536n, memory, memoryOffset: 0n }];
      const queue = device.vkGetDeviceQueue(0, 0);
      queue.vkQueueBindSparse([{ pBufferBinds: [{ buffer, pBinds }] }]);
      queue.vkQueueBindSparse([{ pBufferBinds: [{ buffer, pBinds }] }]);
      device.vkGetRayTracingShaderGroupHandlesKHR(5n as never, 0, 1, 32);
    }, { physicalDevices: [{ extensions: EXTENSIONS }] });
    recording.missed("A person saw it");
    recording.close();
    recording.missed("This comes too late");
    const sentences = [
      "Nobody saw what is in the pages of VkBuffer#1 that vkQueueBindSparse bound",
      "Nobody saw where the program put what vkGetRayTracingShaderGroupHandlesKHR gave, which only this driver understands",
      "A person saw it",
    ];
    assertEquals([recording.error, recording.gaps], [undefined, sentences]);
    const { gaps, state } = recordingInfo(path), lines = Deno.readTextFileSync(path).split("\n");
    assertEquals([gaps.map(({ sentence }) => sentence), state], [sentences, "whole"]);
    for (const { line, sentence } of gaps) assertEquals(JSON.parse(lines[line - 1]), { missing: sentence });
    // The gap of the binding stands at the binding.
    assert(lines.slice(gaps[0].line - 2, gaps[0].line + 1).some((line) => line.includes('vkQueueBindSparse",')));
  }));

Deno.test("apiRecording() records no command whose answer only the driver understands, and they are these", () => {
  const names = COMMANDS.split("\n").map((line: string) => line.split(" ")[0]).filter(givesSecrets);
  assertEquals(names.filter((name: string) => !/^vk(Get|Write)/.test(name)), []);
  for (const name of ["vkGetRayTracingShaderGroupHandlesKHR", "vkGetDescriptorEXT", "vkGetImageViewHandleNVX"]) {
    assert(givesSecrets(name), name);
  }
  for (
    const name of ["vkGetDescriptorSetLayoutSupport", "vkGetDescriptorSetLayoutSizeEXT", "vkGetBufferDeviceAddress"]
  ) {
    assertEquals(givesSecrets(name), false, name);
  }
  assert(isRecorded("vkGetAccelerationStructureDeviceAddressKHR"));
});
