import { assertEquals } from "@std/assert";
import { checkEncoding, parseCall } from "../../../../workbench/recordings/replay/arguments.ts";

Deno.test("parseCall() gives a pointer to one number as the array that methods take", () => {
  const args = {
    commandBuffer: "VkCommandBuffer#1",
    pIndexInfo: [{ firstIndex: 306, indexCount: 360, vertexOffset: 0 }],
    instanceCount: 1,
    firstInstance: 0,
    stride: 12,
  };
  const addresses = { address: (value: bigint) => value, contents: (bytes: Uint8Array<ArrayBuffer>) => bytes };
  const meaning = { handle: () => 1n, data: () => new Uint8Array(), family: (index: number) => index, addresses };
  for (const [recorded, given] of [[7, [7]], [undefined, undefined], [null, null]]) {
    const call = { command: "vkCmdDrawMultiIndexedEXT", args: { ...args, pVertexOffset: recorded } };
    const parsed = parseCall(call, meaning);
    assertEquals(parsed.given.get("pVertexOffset"), given);
    checkEncoding(parsed);
  }
});
