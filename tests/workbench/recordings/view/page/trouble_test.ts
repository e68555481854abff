import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { chromiumPath, lavapipePath, validationManifest } from "../../../../../tools/setup/parts.ts";
import { numbersOfCall } from "../../../../../workbench/recordings/view/capture/draw_ranges.ts";
import { openRecording } from "../../../../../workbench/recordings/view/open_recording.ts";
import { serveRecording } from "../../../../../workbench/recordings/view/server/view_server.ts";
import type { OpenRecording, RecordingEvent } from "../../../../../workbench/recordings/view/types.ts";
import { validationMessages } from "../../../../../workbench/recordings/view/validation_messages.ts";
import { type RecordedCall, writeRecording } from "../../../../../workbench/layers.ts";
import { RecordingFile } from "../../../../../workbench/recordings/replay/recording_file.ts";
import { Browser } from "../../../../support/browser.ts";
import { needs } from "../../../../support/require.ts";
import { withFolderAsync } from "../../../../support/temporary.ts";
import { recordScene } from "../scene.ts";
import { MARKUP, writeHostile } from "../server/hostile.ts";
import { CANVAS, PANELS, PATIENCE, Reader, text, VIEWS } from "./reader.ts";

const LAYER = new URL("./dying_layer.ts", import.meta.url).pathname;
const SHAPE = { samples: 1, isDynamic: true, isSecondary: false, isIndirect: false } as const;
const DRIVER_AND_BROWSER = needs("Mesa lavapipe and Chromium", lavapipePath() && chromiumPath());

Deno.test(
  "an error of the validation layer stands at its line, in the list and at the event",
  needs(
    "Mesa lavapipe, the validation layer and Chromium",
    lavapipePath() && validationManifest() && chromiumPath(),
  ),
  async () => {
    await withFolderAsync(async (folder) => {
      const whole = `${folder}/whole.jsonl`, path = `${folder}/wrong.jsonl`, driver = lavapipePath()!;
      recordScene(whole, driver, SHAPE);
      const file = new RecordingFile(whole, false), lines = Array.from(file.lines.entries(), ([, line]) => line);
      const wrong = lines.findLastIndex((line) => "command" in line && line.command === "vkCmdSetScissor");
      const call = lines[wrong] as RecordedCall, [rect] = call.args.pScissors;
      const pScissors = [{ ...rect, offset: { ...rect.offset, x: -1 } }];
      lines[wrong] = { ...call, args: { ...call.args, pScissors } };
      writeRecording(path, { lines, data: file.data });
      await using recording = openRecording(path, { drivers: [{ driver }] });
      const validate = () => validationMessages(path, { driver }, 60_000);
      const server = serveRecording(recording, { recording: path, drivers: [driver], validate });
      await using browser = await Browser.start();
      const { id } = recording.events.find(({ line }) => line === wrong + 2)!;
      for (const [width, dark] of VIEWS) {
        const reader = await Reader.open(browser, `${server.url}#event=${id}&panel=parameters`, width, dark);
        const { page } = reader;
        await page.until(`!document.querySelector("#validate").hidden`, text("body"), PATIENCE);
        await page.evaluate(`document.querySelector("#validate").click()`);
        await page.until(
          `document.querySelector("#validate").getAttribute("aria-pressed") === "true"`,
          text("body"),
          PATIENCE,
        );
        const notices = await page.evaluate<string>(`document.querySelector("#notices").textContent`);
        assert(/The validation layer says \d+ errors?, marked at (its|their) lines?/.test(notices), notices);
        await page.until(
          `document.querySelector("#event-marks").textContent.includes("Validation, line ${wrong + 2}: ")`,
          text("body"),
          PATIENCE,
        );
        assertStringIncludes(
          await page.evaluate<string>(`document.querySelector("#event-marks").textContent`),
          "VUID-vkCmdSetScissor-x-00595",
        );
        await reader.back();
        await page.until(
          `[...document.querySelectorAll(".row:not([hidden])")].some((row) => !row.querySelector(".mark").hidden && row.dataset.event + row.querySelector(".mark").textContent === "${id}error")`,
          text("#list"),
        );
        await reader.check("an error at its line");
      }
      await server.close();
    });
  },
);

Deno.test(
  "a driver that dies in the middle of a replay is told, and the page goes on",
  DRIVER_AND_BROWSER,
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/scene.jsonl`, driver = lavapipePath()!, file = `${folder}/die`;
      recordScene(path, driver, SHAPE);
      Deno.env.set("DIE", file);
      try {
        Deno.writeTextFileSync(file, "");
        await using recording = openRecording(path, { drivers: [{ driver, layers: [LAYER] }] });
        const server = serveRecording(recording, { recording: path, drivers: [driver] });
        await using browser = await Browser.start();
        const draws = recording.events.filter(({ kind }) => kind === "draw").map(({ id }) => id);
        const reader = await Reader.open(browser, server.url, 1280, true), { page } = reader;
        await page.until(`document.querySelector("#drivers [data-state=good]") !== null`, text("body"), PATIENCE);
        await reader.choose(draws[4]);
        await page.until(
          `document.querySelector("#pictures .error")?.textContent.includes("signal SIGKILL")`,
          text("#pictures"),
          PATIENCE,
        );
        const told = await page.evaluate<string>(text("#pictures .error"));
        assertStringIncludes(told, "The driver's process crashed, signal SIGKILL");
        assertStringIncludes(told, "the next request starts another");
        await reader.panel("parameters");
        assertStringIncludes(await page.evaluate<string>(text("#parameters")), "vertexCount");
        Deno.removeSync(file);
        await reader.panel("pictures");
        for (const draw of [draws[5], draws[4]]) {
          await reader.choose(draw);
          await page.until(`${CANVAS}.width === 16`, text("#pictures"), PATIENCE);
          assertEquals(await page.evaluate(`document.querySelectorAll("#pictures .error").length`), 0);
        }
        await reader.check("after the death of a driver");
        await server.close();
      } finally {
        Deno.env.delete("DIE");
      }
    });
  },
);

/** A recording with a draw of as many vertices, and an image as large, as a number can say. */
function withHugeCounts(recording: OpenRecording): OpenRecording {
  const most = 2 ** 32 - 1, piece = (name: string) => ({ name, resource: name.split(" ")[0] });
  const image = {
    level: 0,
    aspect: "color" as const,
    format: 37,
    layers: [0],
    samples: 1,
    width: most,
    height: most,
    depth: most,
  };
  const pieces = [{ ...piece("VkImage#1 level 0 color"), image }, piece("VkBuffer#1"), piece("VkBuffer#2")];
  const resources = [
    { role: "attachment 0", name: "VkImage#1", facts: {} },
    { role: "vertex buffer 0", name: "VkBuffer#1", facts: { offset: "0" } },
    { role: "index buffer", name: "VkBuffer#2", facts: { offset: "18446744073709551615", indexType: 1 } },
  ];
  const vertices = {
    pVertexBindingDescriptions: [{ binding: 0, stride: 12, inputRate: 0 }],
    pVertexAttributeDescriptions: [{ binding: 0, location: 0, format: 106, offset: 0 }],
  };
  const args = {
    indexCount: most,
    instanceCount: most,
    firstIndex: most,
    vertexOffset: -(2 ** 31),
    firstInstance: most,
  };
  const huge = (event: RecordingEvent): RecordingEvent =>
    event.kind === "draw" ? { ...event, call: { command: "vkCmdDrawIndexed", args } } : event;
  return {
    ...recording,
    info: recording.info,
    gaps: [],
    events: recording.events.map(huge),
    drivers: () => Promise.resolve([{ deviceName: MARKUP, driver: MARKUP, apiVersion: "1.3.0" }]),
    state: () => ({
      shaders: [{ stage: 1, entry: MARKUP, module: MARKUP, code: undefined, assembly: [MARKUP] }],
      resources,
      dynamic: {},
      pipeline: MARKUP,
      state: { pVertexInputState: vertices, pInputAssemblyState: { topology: 4 } },
    }),
    shaderText: () => Promise.resolve(MARKUP),
    pieces: () => ({ readable: pieces, unread: new Map([[MARKUP, MARKUP]]) }),
    contents: (_event, { only } = {}) =>
      Promise.resolve(
        pieces.filter(({ name }) => only?.includes(name)).map((each) => ({ piece: each, bytes: new Uint8Array(64) })),
      ),
    draws: () => Promise.resolve([numbersOfCall({ command: "vkCmdDrawIndexed", args })!]),
    vertexOutputs: () =>
      Promise.resolve({
        way: "stores of the shader",
        numbers: numbersOfCall({ command: "vkCmdDrawIndexed", args })!,
        first: most,
        count: most,
        outputs: [{ name: "gl_Position", type: "vec4", elements: 1, offset: 0 }],
        stride: 16,
        bytes: new Uint8Array(64),
      }),
    times: () => Promise.resolve(new Map([[0, Infinity]])),
    close: () => Promise.resolve(),
  } as OpenRecording;
}

Deno.test("huge counts and markup in everything harm no panel", needs("Chromium", chromiumPath()), async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/hostile.jsonl`;
    writeHostile(path, 12, [MARKUP]);
    await using whole = openRecording(path);
    const recording = withHugeCounts(whole), server = serveRecording(recording, { recording: path, drivers: [MARKUP] });
    await using browser = await Browser.start();
    const { id } = recording.events.find(({ kind }) => kind === "draw")!;
    for (const [width, dark] of [VIEWS[0], VIEWS[3]]) {
      const reader = await Reader.open(browser, server.url, width, dark), { page } = reader;
      await page.until(`document.querySelector("#drivers [data-state=good]") !== null`, text("body"), PATIENCE);
      await reader.choose(id);
      for (const panel of PANELS) {
        await page.evaluate(`document.querySelector("#tab-${panel}").click()`);
        await page.evaluate(`document.querySelectorAll("#${panel} details").forEach((each) => each.open = true)`);
        await reader.rest();
        await reader.check(panel);
      }
      await page.evaluate(`document.querySelector("#tab-pictures").click()`);
      await page.until(`document.querySelector("#pictures .error") !== null`, text("#pictures"), PATIENCE);
      assertStringIncludes(await page.evaluate<string>(text("#pictures .error")), "too large for a page");
      await page.evaluate(`document.querySelector("#tab-mesh").click()`);
      await reader.rest();
      await page.until(`document.querySelectorAll("#mesh .rows .cells").length > 5`, text("#mesh"), PATIENCE);
      assertStringIncludes(await page.evaluate<string>(text("#mesh")), "beyond the buffer");
      await page.until(`${text("#mesh .toolbar")}.includes("4,294,967,295 vertices")`, text("#mesh"), PATIENCE);
      await reader.press("out", "vertices");
      await page.until(`${text("#mesh .caption")}.includes("stores of the shader")`, text("#mesh"), PATIENCE);
      await reader.check("outputs");
      assertEquals(await page.evaluate(`document.querySelectorAll("main img, header img").length`), 0);
    }
    await server.close();
  });
});

Deno.test(
  "a file that was cut is shown as far as it goes, and the page says so",
  needs("Chromium", chromiumPath()),
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/cut.jsonl`;
      writeHostile(path, 40);
      const lines = Deno.readTextFileSync(path).split("\n"),
        at = lines.findIndex((line) => line.includes("vkQueueSubmit"));
      Deno.writeTextFileSync(path, `${lines.slice(0, at + 1).join("\n")}\n`);
      await using recording = openRecording(path, { unsealed: true });
      const server = serveRecording(recording, { recording: path, drivers: [] });
      await using browser = await Browser.start();
      for (const [width, dark] of [VIEWS[0], VIEWS[3]]) {
        const reader = await Reader.open(browser, server.url, width, dark);
        assertStringIncludes(
          await reader.page.evaluate<string>(text("#notices .error")),
          "what is missing cannot be seen",
        );
        assertEquals(
          await reader.page.evaluate(`document.querySelectorAll('.row[data-kind="draw"]').length > 3`),
          true,
        );
        await reader.check("a cut file");
      }
      await server.close();
    });
  },
);
