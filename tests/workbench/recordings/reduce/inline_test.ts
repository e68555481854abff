import { assertEquals } from "@std/assert";
import { inlined } from "../../../../workbench/recordings/reduce/inline.ts";
import type { RecordedLine } from "../../../../workbench/layers.ts";

const call = (command: string, commandBuffer: string, args: object = {}) =>
  ({
    command,
    args: { commandBuffer, ...args },
  }) as unknown as RecordedLine;

Deno.test("inlined() puts the commands of secondary command buffers where they are executed, once for each time", () => {
  const draw = (buffer: string) => call("vkCmdDraw", buffer, { vertexCount: 3 });
  const second = [call("vkBeginCommandBuffer", "second"), draw("second"), call("vkEndCommandBuffer", "second")];
  const executing = call("vkCmdExecuteCommands", "first", { pCommandBuffers: ["second", "second"] });
  const begin = (contents: number) => call("vkCmdBeginRenderPass", "first", { contents });
  const rendering = (flags: number) => call("vkCmdBeginRendering", "first", { pRenderingInfo: { flags } });
  const lines = [...second, call("vkBeginCommandBuffer", "first"), begin(1), executing, rendering(3), executing];
  assertEquals(inlined(lines), [
    ...second,
    call("vkBeginCommandBuffer", "first"),
    begin(0),
    draw("first"),
    draw("first"),
    rendering(2),
    draw("first"),
    draw("first"),
  ]);
});
