import { assertEquals } from "@std/assert";
import plugin from "../../../tools/lint/plugin.ts";

const ROOT = decodeURIComponent(new URL("../../..", import.meta.url).pathname);

function messages(source: string, file = "wsi/adaptor/a.ts"): string[] {
  return Deno.lint.runPlugin(plugin, ROOT + file, source).filter(({ id }) => id === "pumice/registry-facts")
    .map(({ message }) => message);
}

const written = (member: string, example: string) =>
  `${member} is written as a number, and its values have names, such as ${example}`;
const repeated = (constant: string, name: string) => `${constant} is ${name}, which the registry states`;

Deno.test("pumice/registry-facts sees members that only Vulkan has, with a number", () => {
  const sources: readonly (readonly [string, string, string])[] = [
    ["const WHOLE = { aspectMask: 1, levelCount: 1 };", "aspectMask", "VK_IMAGE_ASPECT_COLOR_BIT"],
    ["const info = { imageType: 1 };", "imageType", "VK_IMAGE_TYPE_2D"],
    ["const info = { sharingMode: 0 };", "sharingMode", "VK_SHARING_MODE_EXCLUSIVE"],
    ["const info = { queueFlags: 1 | 2 | 1 << 2 };", "queueFlags", "VK_QUEUE_GRAPHICS_BIT"],
    ["const info = { initialLayout: 0 as never };", "initialLayout", "VK_IMAGE_LAYOUT_UNDEFINED"],
    ["const info = { sType: 47 };", "sType", "VK_STRUCTURE_TYPE_…"],
    [
      "const A = 4; const info = { loadOp: 2, storeOp: STORE, semaphoreType: A };",
      "loadOp",
      "VK_ATTACHMENT_LOAD_OP_DONT_CARE",
    ],
  ];
  for (const [source, member, example] of sources) assertEquals(messages(source)[0], written(member, example), source);
});

Deno.test("pumice/registry-facts sees members of one word where the struct is Vulkan's", () => {
  const usage = written("usage", "VK_BUFFER_USAGE_TRANSFER_DST_BIT");
  const sources = [
    'write("VkImageCreateInfo", { usage: 2 });',
    "device.vkCreateBuffer({ size, usage: 2 });",
    "device.vkCreateImages([{ ...plain, usage: 2 }]);",
    "const info = { sType: STYPE, usage: 2 };",
    "const info = { imageType: TYPE, usage: 2 };",
    "const info = { imageType: TYPE, sizes: [{ usage: 2 }] };",
    "const OWN = 2;\ndevice.vkCreateBuffer({ usage: OWN });",
  ];
  for (const source of sources) {
    assertEquals(messages(source), [usage], source);
  }
  const level = written("level", "VK_COMMAND_BUFFER_LEVEL_PRIMARY");
  assertEquals(messages("device.vkAllocateCommandBuffers({ commandPool, level: 0 });"), [level]);
});

Deno.test("pumice/registry-facts sees members of Vulkan that are compared with a number", () => {
  const queue = written("queueFlags", "VK_QUEUE_GRAPHICS_BIT");
  for (
    const source of [
      "if ((queueFlags & 1) !== 0) {}",
      "f(family.queueFlags & 1);",
      "const OWN = 1;\nf(queueFlags & OWN);",
    ]
  ) {
    assertEquals(messages(source), [queue], source);
  }
  assertEquals(messages("if (imageType !== 1) {}"), [written("imageType", "VK_IMAGE_TYPE_2D")]);
  assertEquals(messages("if ((queueFlags & VK_QUEUE_GRAPHICS_BIT) !== 0 || queueFlags === 0) {}"), []);
});

Deno.test("pumice/registry-facts sees constants that repeat a value by its name or by their comment", () => {
  const sources: readonly (readonly [string, string, string])[] = [
    ["const TRANSFER_DST = 2;", "TRANSFER_DST", "VK_BUFFER_USAGE_TRANSFER_DST_BIT"],
    ["const ALL_COMMANDS = 0x1_0000, OTHER = 3;", "ALL_COMMANDS", "VK_PIPELINE_STAGE_ALL_COMMANDS_BIT"],
    [
      "export const USAGE = { INPUT_ATTACHMENT: 0x80 } as const;",
      "INPUT_ATTACHMENT",
      "VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT",
    ],
    ["const INITIALIZATION_FAILED = 0xffff_fffd;", "INITIALIZATION_FAILED", "VK_ERROR_INITIALIZATION_FAILED"],
    ["/** VK_PHYSICAL_DEVICE_TYPE_CPU. */\nconst CPU = 4;", "CPU", "VK_PHYSICAL_DEVICE_TYPE_CPU"],
    ["/** VkImageTiling. */\nexport const TILING = { OPTIMAL: 0, OTHER: 1 };", "OPTIMAL", "VK_IMAGE_TILING_OPTIMAL"],
  ];
  for (const [source, constant, name] of sources) assertEquals(messages(source), [repeated(constant, name)], source);
});

Deno.test("pumice/registry-facts leaves numbers alone that are not Vulkan's", () => {
  const sources = [
    "const request = { width, height, format: 1, usage: 3n };",
    "const layer = { transform: 4, usage: 0x33n, layers: 1 };",
    "allocateBuffer({ format: 1, usage: USAGE.PROTECTED, layers: 1 });",
    "const point = { x: 1, y: 2, r: 1, type: 3, mode: 2, level: 1, stage: 1 };",
    "const info = { flags: 0, srcAccessMask: 0, supportedUsage: 0, pNext: [] };",
    "const LINEAR = 1, NONE = 2, CPU = 4, GENERAL = 1, READ = 1;",
    "const CLOCK_MONOTONIC = 1, TRANSFER_DST = 3, TRANSFER_SRC = 1n;",
    "const info = { imageType: VK_IMAGE_TYPE_2D, tiling: TILING.OPTIMAL, samples };",
  ];
  for (const source of sources) assertEquals(messages(source), [], source);
});

Deno.test("pumice/registry-facts looks for numbers of Vulkan where Vulkan is used", () => {
  const source = "const info = { imageType: 1 };";
  for (
    const file of [
      "loader/a/b.ts",
      "workbench/recordings/replay/a.ts",
      "workbench/programs/a.ts",
      "workbench/recordings/compare/driver_process/a.ts",
      "workbench/recordings/script/a.ts",
      "wsi/swapchain/a.ts",
      "hwc/backends/vulkan/a.ts",
      "cli/info/a.ts",
    ]
  ) {
    assertEquals(messages(source, file).length, 1, file);
  }
  for (
    const file of [
      "egl/window/a.ts",
      "wsi/consumer/x11/a.ts",
      "hwc/planes/a.ts",
      "loader/emit/a.ts",
      "loader/gen/a_gen.ts",
    ]
  ) {
    assertEquals(messages(source, file), [], file);
  }
});
