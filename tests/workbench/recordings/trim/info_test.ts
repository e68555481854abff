import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { recordingInfo } from "../../../../workbench/recordings/mod.ts";
import { type RecordedLine, RecordingError, writeRecording } from "../../../../workbench/layers.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { recordDemo } from "../replay/recorded.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";

const device = "VkDevice#1", queue = "VkQueue#1";
const LINES: RecordedLine[] = [
  {
    command: "vkCreateInstance",
    args: { pCreateInfo: { pApplicationInfo: { apiVersion: 1 << 22 | 2 << 12 } } },
    out: { pInstance: "VkInstance#1" },
  },
  {
    command: "vkEnumeratePhysicalDevices",
    args: { instance: "VkInstance#1" },
    out: { pPhysicalDevices: ["VkPhysicalDevice#1"] },
  },
  {
    command: "vkCreateDevice",
    args: {
      physicalDevice: "VkPhysicalDevice#1",
      pCreateInfo: {
        ppEnabledExtensionNames: ["VK_KHR_swapchain"],
        pEnabledFeatures: { geometryShader: true, wideLines: false },
        pNext: [
          { sType: "VkPhysicalDeviceVulkan12Features", timelineSemaphore: true },
          { sType: "VkPhysicalDeviceFeatures2", features: { logicOp: true } },
        ],
      },
    },
    out: { pDevice: device },
  },
  { command: "vkQueueSubmit", args: { queue, pSubmits: [] } },
  { write: "VkDeviceMemory#1", offset: 0, content: { bytes: "01" } },
  { missing: "Nobody saw how it was made" },
  { command: "vkQueueSubmit", args: { queue, pSubmits: [] } },
  { read: "VkBuffer#1", offset: 0, content: { bytes: "01" } },
];
const PRESENT: RecordedLine = { command: "vkQueuePresentKHR", args: { queue, pPresentInfo: { pSwapchains: [] } } };

function infoOf(lines: RecordedLine[], change: (text: string) => string = (text) => text) {
  return withFolder((folder) => {
    const path = `${folder}/a.jsonl`;
    writeRecording(path, { lines, data: () => new Uint8Array() });
    Deno.writeTextFileSync(path, change(Deno.readTextFileSync(path)));
    return recordingInfo(path);
  });
}

Deno.test("recordingInfo() tells devices, features, frames, gaps and counts", () => {
  const { devices, commands, gaps, fileBytes, ...rest } = infoOf(LINES);
  assertEquals(devices, [{
    deviceName: undefined,
    apiVersion: "1.2.0",
    extensions: ["VK_KHR_swapchain"],
    features: ["geometryShader", "timelineSemaphore", "logicOp"],
  }]);
  assertEquals(commands.vkQueueSubmit, 2);
  assertEquals(gaps, [{ line: 7, sentence: "Nobody saw how it was made" }]);
  assertEquals(fileBytes > 500, true);
  assertEquals(rest, {
    state: "whole",
    instances: 1,
    frames: 2,
    framesEndAt: "submissions",
    lines: LINES.length,
    writes: 1,
    mapped: {},
    reads: 1,
    dataBytes: 0,
  });
});

Deno.test("recordingInfo() counts the mappings by the way in which writes are found there", () => {
  const map = { command: "vkMapMemory", args: { device, memory: "VkDeviceMemory#1", offset: "0", size: "4" } };
  const { mapped } = infoOf([
    ...LINES,
    { ...map, writes: "comparison" },
    { ...map, writes: "userfaultfd" },
    { ...map, writes: "comparison" },
    map,
  ]);
  assertEquals(mapped, { comparison: 2, userfaultfd: 1 });
});

Deno.test("recordingInfo() counts presented frames where there are some", () => {
  const { frames, framesEndAt } = infoOf([...LINES, PRESENT, PRESENT, PRESENT]);
  assertEquals([frames, framesEndAt], [3, "presents"]);
});

Deno.test("recordingInfo() tells of a file that was cut or changed, and reads what there is", () => {
  const cut = infoOf(LINES, (text) => text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1));
  assertEquals([cut.state, cut.lines], ["cut off", LINES.length]);
  const changed = infoOf(LINES, (text) => text.replace("geometryShader", "tessellation"));
  assertEquals([changed.state, changed.lines], ["changed", LINES.length]);
});

Deno.test("recordingInfo() refuses what is no recording", () => {
  withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/a.txt`, "hello\n");
    const { message } = assertThrows(() => recordingInfo(`${folder}/a.txt`), RecordingError);
    assertMatch(message, /does not say that it is a recording/);
  });
});

Deno.test("recordingInfo() counts the bytes beside the file", needs("Mesa lavapipe", lavapipePath()), () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, data = `${path}.data`;
    recordDemo(path, lavapipePath()!);
    const { dataBytes, state } = recordingInfo(path);
    const sizes = [...Deno.readDirSync(data)].map(({ name }) => Deno.statSync(`${data}/${name}`).size);
    assertEquals([state, dataBytes], ["whole", sizes.reduce((sum, size) => sum + size, 0)]);
  });
});
