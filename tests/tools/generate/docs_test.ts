import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { comment, listed, usedBy } from "../../../tools/generate/docs/comment.ts";

const VULKAN = ["core", "khr", "ext", "vendor", "video", "platform", "stype"].map((name) =>
  `loader/gen/enums_${name}_gen`
);
const GL = ["egl/gen/gl_constants_gen", "egl/gen/egl_constants_gen"];

Deno.test("listed() and usedBy() name a few places and count the rest", () => {
  assertEquals(listed(["a"], 2), "`a`");
  assertEquals(listed(["a", "b", "c"], 3), "`a`, `b` and `c`");
  assertEquals(listed(["a", "b", "c"], 2), "`a`, `b` and 1 more");
  assertEquals(usedBy([], 2), undefined);
});

Deno.test("comment() puts tags on lines of their own and leaves out what is not there", () => {
  assertEquals(comment(["One.", undefined, "Two."]), "/** One. Two. */\n");
  assertEquals(comment(["One."], [false, "experimental"]), "/**\n * One.\n *\n * @experimental\n */\n");
});

for (const module of [...VULKAN, ...GL]) {
  Deno.test(`${module}.js has no comments, and its declarations are the same constants, each documented`, async () => {
    const run = read(`${module}.js`), declared = read(`${module}.d.ts`);
    assertFalse(run.includes("/*"), "comments are read at every start of a program");
    const constants = [...declared.matchAll(/^(.*)\n(?:\/\*\* @.*\n)?export const (\w+)(?:=(.*)|: .*);$/gm)];
    const values = await import(`../../../${module}.js`) as Record<string, unknown>;
    assertEquals(constants.map(([, , name]) => name).sort(), Object.keys(values).sort());
    for (const [, before, name, value] of constants) {
      assert(before.endsWith("*/"), `${name} is not documented`);
      if (value !== undefined) assertEquals(literal(value), values[name], name);
    }
  });
}

Deno.test("constants say what they are, where they are used, since when, and where the specification has them", () => {
  const text = docOf("loader/gen/enums_core_gen.d.ts", "export const VK_BUFFER_USAGE_TRANSFER_DST_BIT:");
  for (
    const part of [
      "Bit 1 (0x2) of {@linkcode VkBufferUsageFlagBits}.",
      "`VkBufferCreateInfo.usage`",
      "Since Vulkan 1.0.",
      "/VkBufferUsageFlagBits.html)",
    ]
  ) assert(text.includes(part), text);
  const gl = docOf("egl/gen/gl_constants_gen.d.ts", "export const GL_COLOR_BUFFER_BIT=");
  assert(/0x4000.*`glClear\(mask\)`, `glBlitFramebuffer\(mask\)`.*Since OpenGL ES 1\.0\./.test(gl), gl);
  const alias = docOf("loader/gen/enums_khr_gen.d.ts", "export const VK_COLORSPACE_SRGB_NONLINEAR_KHR:");
  assert(/Alias of \{@linkcode VK_COLOR_SPACE_SRGB_NONLINEAR_KHR\}[^]*@deprecated/.test(alias), alias);
});

Deno.test("commands that are recorded say where and for which queues, and limits say which value is better", () => {
  const places = [
    [
      "vkCmdCopyBuffer(",
      "Recorded outside render passes, for transfer, graphics or compute queues, by one thread at a time.",
    ],
    ["vkCmdDraw(", "Recorded inside render passes, for graphics queues, by one thread at a time."],
    [
      "vkCmdBeginRenderPass(",
      "Recorded outside render passes, in primary command buffers, for graphics queues, by one thread at a time.",
    ],
    ["vkCmdSetViewport(", "Recorded for graphics queues, by one thread at a time."],
  ];
  for (const [command, sentence] of places) {
    assertStringIncludes(docOf("loader/gen/commands_gen.ts", command), sentence);
  }
  assertStringIncludes(docOf("loader/gen/types_core_gen.ts", "maxImageDimension2D:"), "Larger is better.");
});

Deno.test("commands show their C prototype and codes, members their C declaration and what counts them", () => {
  const command = docOf("loader/gen/commands_gen.ts", "vkQueuePresentKHR(");
  for (
    const part of [
      "`VkResult vkQueuePresentKHR(VkQueue queue, const VkPresentInfoKHR* pPresentInfo)`",
      "`VK_SUBOPTIMAL_KHR`",
      "`VulkanError` with",
      "`VK_ERROR_OUT_OF_DATE_KHR`",
      "Since `VK_KHR_swapchain`.",
    ]
  ) assert(command.includes(part), command);
  const member = docOf("loader/gen/types_core_gen.ts", "pQueueFamilyIndices?");
  assert(member.includes("`const uint32_t* pQueueFamilyIndices`. As many elements as `queueFamilyIndexCount`"), member);
  const typed = docOf("egl/gen/gl_commands_gen.ts", "glTexParameteri(");
  assert(/`void glTexParameteri\(GLenum target, .*\/glTexParameter\.xhtml\)/.test(typed), typed);
});

Deno.test("members say whether they are required and what they may not hold, commands what other threads may not use", () => {
  const core = "loader/gen/types_core_gen.ts",
    says = (declaration: string, words: string, path = core) => {
      const comment = docOf(path, declaration);
      assert(comment.includes(words), comment);
    };
  says("pQueuePriorities:", "says. Required.");
  says("pWaitSemaphores?:", "None of the elements may be null.");
  says("usage?: VkBufferUsageFlags2", "Bits of {@linkcode VkBufferUsageFlagBits2}. At least one.");
  says("vkDestroyBuffer(", "During the call, no other thread may use `buffer`.", "loader/gen/commands_gen.ts");
  says("vkQueueSubmit(", "no other thread may use `fence`.", "loader/gen/commands_gen.ts");
});

Deno.test("sizes, offsets and times have their unit, and fractions their range", () => {
  const commands = "loader/gen/commands_gen.ts";
  const said = [
    ["loader/gen/types_core_gen.ts", "allocationSize?:", "`VkDeviceSize allocationSize`, in bytes."],
    ["loader/gen/types_core_gen.ts", "pQueuePriorities:", "`const float* pQueuePriorities`, from 0 to 1."],
    ["loader/gen/types_vendor_gen.ts", "simStartTimeUs:", "`uint64_t simStartTimeUs`, in microseconds."],
    [commands, "vkWaitForFences(", "Takes `timeout` in nanoseconds."],
    [commands, "vkCmdFillBuffer(", "Takes `dstOffset` and `size` in bytes."],
  ];
  for (const [path, declaration, words] of said) assertStringIncludes(docOf(path, declaration), words);
  const message = docOf(commands, "vkDebugReportMessageEXT(");
  assertFalse(message.includes("Takes"), "the place of a message is no number of bytes");
});

/** The comment before the first line that begins with `declaration`. */
function docOf(path: string, declaration: string): string {
  const text = read(path), at = text.indexOf(`\n${declaration}`);
  assert(at >= 0, `${path} has no ${declaration}`);
  return text.slice(text.lastIndexOf("/**", at), at);
}

function literal(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return text.endsWith("n") ? BigInt(text.slice(0, -1)) : Number(text);
}

function read(path: string): string {
  return Deno.readTextFileSync(new URL(`../../../${path}`, import.meta.url));
}
