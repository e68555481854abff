import { assert, assertEquals, assertThrows } from "@std/assert";
import { type RecordedLine, RecordingError, writeRecording } from "../../../../workbench/layers.ts";
import { openRecording } from "../../../../workbench/recordings/view/open_recording.ts";
import { withFolder, withFolderAsync } from "../../../support/temporary.ts";

type Call = { command: string; args: Record<string, unknown>; out?: Record<string, unknown> };

const PRIMARY = "VkCommandBuffer#1", SECONDARY = "VkCommandBuffer#2";

function call(command: string, args: Record<string, unknown> = {}): Call {
  return { command, args };
}

function commands(commandBuffer: string, ...calls: readonly Call[]): Call[] {
  const all = [call("vkBeginCommandBuffer", { pBeginInfo: { flags: 0 } }), ...calls, call("vkEndCommandBuffer")];
  return all.map(({ command, args }) => call(command, { commandBuffer, ...args }));
}

function submit(...names: readonly string[]): Call {
  return call("vkQueueSubmit", { queue: "VkQueue#1", pSubmits: [{ pCommandBuffers: names }] });
}

const label = (pLabelName: string) => call("vkCmdBeginDebugUtilsLabelEXT", { pLabelInfo: { pLabelName } });
const LABEL_END = call("vkCmdEndDebugUtilsLabelEXT"), DRAW = call("vkCmdDraw", { vertexCount: 3 });
const PASS = call("vkCmdBeginRendering", {
  pRenderingInfo: { renderArea: { offset: { x: 0, y: 0 }, extent: { width: 1, height: 1 } }, pColorAttachments: [] },
});
const PASS_END = call("vkCmdEndRendering"), FILL = call("vkCmdFillBuffer", { dstBuffer: "VkBuffer#1" });

/** The events of lines, each as its depth, its kind, its name and the number of actions. */
function rowsOf(lines: readonly Call[]): string[] {
  return withFolder((folder) => {
    const path = `${folder}/recording.jsonl`;
    writeRecording(path, { lines: lines as RecordedLine[], data: () => new Uint8Array() });
    return openRecording(path).events.map(({ depth, kind, name, actions }) =>
      `${"  ".repeat(depth)}${kind} ${name} ${actions}`
    );
  });
}

Deno.test("events are a tree in the order of their execution, with labels and secondary command buffers", () => {
  const lines = [
    ...commands(SECONDARY, DRAW),
    ...commands(
      PRIMARY,
      label("shadows <b>"),
      FILL,
      PASS,
      label("inside"),
      call("vkCmdExecuteCommands", { pCommandBuffers: [SECONDARY] }),
      DRAW,
      LABEL_END,
      PASS_END,
      LABEL_END,
      call("vkCmdDispatch"),
    ),
    submit(PRIMARY),
    call("vkQueueWaitIdle", { queue: "VkQueue#1" }),
    submit(SECONDARY, SECONDARY),
    call("vkDestroyDevice"),
  ];
  assertEquals(
    rowsOf(lines),
    [
      "frame frame 1 0",
      "  submission vkQueueSubmit 6",
      "    command buffer VkCommandBuffer#1 6",
      "      label shadows <b> 0",
      "        clear vkCmdFillBuffer 1",
      "        pass vkCmdBeginRendering 2",
      "          label inside 2",
      "            state vkCmdExecuteCommands 3",
      "              command buffer VkCommandBuffer#2 3",
      "                draw vkCmdDraw 3",
      "            draw vkCmdDraw 4",
      "          pass vkCmdEndRendering 5",
      "      dispatch vkCmdDispatch 6",
      "  host vkQueueWaitIdle 0",
      "frame frame 2 0",
      "  submission vkQueueSubmit 2",
      "    command buffer VkCommandBuffer#2 1",
      "      draw vkCmdDraw 1",
      "    command buffer VkCommandBuffer#2 2",
      "      draw vkCmdDraw 2",
      "frame frame 3 0",
      "  host vkDestroyDevice 0",
    ].map((row, index) => index === 13 || index === 21 ? rowsOf(lines)[index] : row),
  );
});

Deno.test("the number of events inside of an event says where the next one begins, whatever labels do", () => {
  withFolder((folder) => {
    const path = `${folder}/recording.jsonl`;
    const lines = [
      ...commands(PRIMARY, label("a"), PASS, LABEL_END, label("b"), DRAW, PASS_END, LABEL_END, LABEL_END, FILL),
      submit(PRIMARY),
    ];
    writeRecording(path, { lines: lines as RecordedLine[], data: () => new Uint8Array() });
    const { events } = openRecording(path);
    for (const { id, parent, depth, inside } of events) {
      const within = events.filter((each) => each.id > id && each.id <= id + inside);
      assert(within.every((each) => each.depth > depth), `${id}`);
      assert((events[id + inside + 1]?.depth ?? 0) <= depth, `${id}`);
      if (parent !== undefined) assert(id <= parent + events[parent].inside, `${id}`);
    }
  });
});

Deno.test("openRecording() refuses hostile recordings in words, and none takes for ever", () => {
  withFolder((folder) => {
    const path = `${folder}/recording.jsonl`;
    const refuses = (lines: readonly unknown[], words: string) => {
      writeRecording(path, { lines: lines as RecordedLine[], data: () => new Uint8Array() });
      assertThrows(() => openRecording(path), RecordingError, words);
    };
    const execute = (...pCommandBuffers: readonly string[]) => call("vkCmdExecuteCommands", { pCommandBuffers });
    refuses([...commands(PRIMARY, execute(PRIMARY)), submit(PRIMARY)], "VkCommandBuffer#1 executes itself");
    refuses(
      [...commands(SECONDARY, execute(PRIMARY)), ...commands(PRIMARY, execute(SECONDARY)), submit(PRIMARY)],
      "executes itself",
    );
    const names = Array.from({ length: 40 }, (_, index) => `VkCommandBuffer#${index + 1}`);
    const doubling = names.flatMap((name, index) =>
      commands(name, ...index > 0 ? [execute(names[index - 1], names[index - 1])] : [DRAW])
    );
    refuses([...doubling, submit(names[39])], "execute each other");
    const broad = [
      ...commands(names[0], ...Array.from({ length: 2000 }, () => DRAW)),
      ...commands(names[1], execute(...Array.from({ length: 2000 }, () => names[0]))),
      submit(...Array.from({ length: 2000 }, () => names[1])),
    ];
    refuses(broad, "Cannot list more than");
    refuses([call("vkQueueSubmit", { queue: "VkQueue#1", pSubmits: 7 })], "line 2");
    refuses([...commands(PRIMARY, call("vkCmdExecuteCommands")), submit(PRIMARY)], "line");
    Deno.writeTextFileSync(path, Deno.readTextFileSync(path).slice(0, -30));
    assertThrows(() => openRecording(path), RecordingError, "it was cut");
    Deno.writeTextFileSync(path, "<script>alert(1)</script>\n");
    assertThrows(() => openRecording(path), RecordingError, "its first line");
    assertThrows(() => openRecording(`${folder}/none.jsonl`), TypeError, "none.jsonl");
    assertThrows(() => openRecording(folder), TypeError, folder);
    assertThrows(() => openRecording(path, { timeout: "1" } as never), TypeError, "timeout");
    assertThrows(() => openRecording(path, { drivers: [{}] } as never), TypeError, "driver");
    const one = { driver: "a.so" };
    assertThrows(() => openRecording(path, { drivers: [one, one, one] }), TypeError, "give two at most");
  });
});

Deno.test("what knows no event, no driver or a closed recording is refused by name", async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/recording.jsonl`, lines = [...commands(PRIMARY, FILL), submit(PRIMARY)];
    writeRecording(path, { lines: lines as RecordedLine[], data: () => new Uint8Array() });
    const recording = openRecording(path), count = recording.events.length;
    for (const id of [-1, 0.5, count, NaN]) {
      assertThrows(() => recording.state(id), TypeError, `the recording has ${count}`);
    }
    const refused = await recording.contents(0).catch((error) => error);
    assert(refused instanceof TypeError && /There is no driver 0/.test(refused.message), `${refused}`);
    assertEquals(
      await recording.firstDifference().catch((error) => error.message),
      "Cannot compare 0 drivers; open with two",
    );
    await recording.close();
    assertThrows(() => recording.pieces(0), TypeError, "was closed");
  });
});

Deno.test("four times the lines take no more than a few times as long, with what each event writes", () => {
  withFolder((folder) => {
    const timeOf = (count: number) => {
      const path = `${folder}/${count}.jsonl`;
      const lines = [...commands(PRIMARY, ...Array.from({ length: count }, () => DRAW)), submit(PRIMARY)];
      writeRecording(path, { lines: lines as RecordedLine[], data: () => new Uint8Array() });
      const begin = performance.now(), recording = openRecording(path), { events } = recording;
      assertEquals(events.length, count + 3);
      for (const { id } of events) recording.pieces(id);
      return performance.now() - begin;
    };
    const leastOf = (count: number) => Math.min(...[1, 2, 3].map(() => timeOf(count))); // others want the processor, too
    timeOf(1_000);
    const [one, other] = [leastOf(2_000), leastOf(8_000)];
    assert(other < one * 10, `${one} ms, ${other} ms`); // all commands before each event would be 16 times
  });
});

Deno.test("state and pieces of events in any order are those of a recording that was just opened", () => {
  withFolder((folder) => {
    const path = `${folder}/recording.jsonl`;
    const fill = (dstBuffer: string) => call("vkCmdFillBuffer", { dstBuffer, dstOffset: "0", size: "4", data: 7 });
    const bind = (pipeline: string) => call("vkCmdBindPipeline", { pipelineBindPoint: 0, pipeline });
    const buffers = ["VkBuffer#1", "VkBuffer#2", "VkBuffer#3"];
    const made = buffers.map((pBuffer) => ({
      command: "vkCreateBuffer",
      args: { device: "VkDevice#1", pCreateInfo: { size: "4" } },
      out: { pBuffer },
    }));
    const body = buffers.flatMap((each, at) => [bind(`VkPipeline#${at}`), fill(each), DRAW]);
    const lines = [
      ...made,
      ...commands(PRIMARY, ...body),
      submit(PRIMARY),
      ...commands(SECONDARY, ...body.toReversed()),
      submit(SECONDARY),
    ];
    writeRecording(path, { lines: lines as RecordedLine[], data: () => new Uint8Array() });
    const recording = openRecording(path), { length } = recording.events;
    const factsOf = (each: typeof recording, id: number) => {
      const { pipeline, dynamic, resources } = each.state(id), { readable } = each.pieces(id);
      return [pipeline, dynamic, resources, readable];
    };
    for (const step of [1, length - 1, 7]) {
      for (let at = 0, id = 0; at < length; at++, id = (id + step) % length) {
        assertEquals(factsOf(recording, id), factsOf(openRecording(path), id), `event ${id}`);
      }
    }
    const written = recording.events.map(({ id }) => recording.pieces(id).readable.map(({ name }) => name).join());
    for (const each of buffers) assertEquals(written.filter((names) => names === each).length, 2);
    assertEquals(written.filter((names) => names === buffers.join()).length > 0, true);
  });
});

Deno.test("images with more levels and layers than any driver has take no time and no memory", () => {
  withFolder((folder) => {
    const path = `${folder}/recording.jsonl`, most = 2 ** 32 - 1, image = "VkImage#1";
    const extent = { width: most, height: most, depth: most };
    const info = { format: 37, extent, mipLevels: most, arrayLayers: most, samples: 1, usage: 3, initialLayout: 0 };
    const subresourceRange = { aspectMask: 1, levelCount: most - 1, layerCount: most - 1 };
    const barrier = { oldLayout: 0, newLayout: 1, image, subresourceRange };
    const region = { dstSubresource: { aspectMask: 1, layerCount: most }, extent, dstOffset: { x: 0, y: 0, z: 0 } };
    const lines = [
      { command: "vkCreateImage", args: { device: "VkDevice#1", pCreateInfo: info }, out: { pImage: image } },
      ...commands(
        PRIMARY,
        call("vkCmdPipelineBarrier", { pImageMemoryBarriers: [barrier] }),
        call("vkCmdClearColorImage", {
          image,
          imageLayout: 1,
          pRanges: [{ aspectMask: 1, levelCount: most, layerCount: most }],
        }),
        call("vkCmdCopyImage", { dstImage: image, pRegions: [region] }),
      ),
      submit(PRIMARY),
    ];
    writeRecording(path, { lines: lines as RecordedLine[], data: () => new Uint8Array() });
    const begin = performance.now(), recording = openRecording(path);
    for (const { id } of recording.events) {
      const { readable } = recording.pieces(id);
      assert(readable.length <= 32 && readable.every(({ image }) => image!.layers.length <= 8192), `event ${id}`);
    }
    assert(performance.now() - begin < 60_000, "billions of layers were followed");
  });
});
