import { assertEquals, assertThrows } from "@std/assert";
import { classOf, signatureOf } from "../../../../loader/command/registry/signature.ts";
import { parseSpec } from "../../../../loader/codec/layout/spec.ts";
import { COMMANDS, SIGNATURES } from "../../../../loader/gen/command_table_gen.js";
import * as lists from "../../../../loader/gen/structs_gen.js";

const cases: [command: string, arena: string, raw: string][] = [
  ["vkCreateBuffer", "s:qooo", "s:qqqq"],
  ["vkCmdDraw", "v:qwwww", "v:qwwww"],
  ["vkCmdSetBlendConstants", "v:qo", "v:qq"],
  ["vkCmdSetDepthBias", "v:qfff", "v:qfff"],
  ["vkCmdPushConstants", "v:qqwwwq", "v:qqwwwq"],
  ["vkMapMemory", "s:qqqqwo", "s:qqqqwq"],
  ["vkGetQueryPoolResults", "s:qqwwqoqw", "s:qqwwqqqw"],
  ["vkGetBufferDeviceAddress", "q:qo", "q:qq"],
  ["vkGetPhysicalDeviceXlibPresentationSupportKHR", "w:qwqq", "w:qwqq"],
  ["vkGetDeviceProcAddr", "q:qo", "q:qq"],
];

for (const [command, arena, raw] of cases) {
  Deno.test(`signatureOf() gives both forms of ${command}`, () => {
    const [result, parameters] = definitionOf(command);
    assertEquals([signatureOf(result, parameters, "arena", lists), signatureOf(result, parameters, "raw", lists)], [
      arena,
      raw,
    ]);
  });
}

Deno.test("signatureOf() throws a TypeError when a struct is passed by value", () => {
  assertThrows(
    () => signatureOf("void", [parseSpec("extent:VkExtent2D")], "raw", lists),
    TypeError,
    'Cannot pass "VkExtent2D" by value',
  );
});

Deno.test("classOf() tells the types of the tables apart", () => {
  const types = ["VkFormat", "VkBufferUsageFlags", "VkAccessFlagBits2", "VkBuffer", "PFN_vkVoidFunction", "VkExtent2D"];
  assertEquals(types.map((type) => classOf(type, lists)), ["enum", "flags", "flags64", "handle", "pointer", "struct"]);
});

Deno.test("SIGNATURES holds the signatures of every command in both forms", () => {
  const names = COMMANDS.trim().split("\n").filter((line) => !line.split(" ")[2].startsWith("=")).map((line) =>
    line.split(" ")[0]
  );
  const all = names.flatMap((name) => {
    const [result, parameters] = definitionOf(name);
    return [signatureOf(result, parameters, "arena", lists), signatureOf(result, parameters, "raw", lists)];
  });
  assertEquals([...new Set(all)].sort(), SIGNATURES.split(" "));
});

function definitionOf(command: string) {
  const line = COMMANDS.slice(COMMANDS.indexOf(`\n${command} `) + 1).split("\n", 1)[0].split(" ");
  return [line[2], line.slice(4).map(parseSpec)] as const;
}
