import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { chromiumPath, lavapipePath } from "../../../../../tools/setup/parts.ts";
import { openRecording } from "../../../../../workbench/recordings/view/open_recording.ts";
import { serveRecording } from "../../../../../workbench/recordings/view/server/view_server.ts";
import type { Fields } from "../../../../../workbench/recordings/record/line.ts";
import type { OpenRecording } from "../../../../../workbench/recordings/view/types.ts";
import { Browser } from "../../../../support/browser.ts";
import { needs } from "../../../../support/require.ts";
import { withFolderAsync } from "../../../../support/temporary.ts";
import { recordDemo } from "../../replay/recorded.ts";
import { attachment, CANVAS, colours, PANELS, PATIENCE, Reader, text, VIEWS, WIDTH } from "./reader.ts";

const LAYER = new URL("./dropping_layer.ts", import.meta.url).pathname;
const BOTH = needs("Mesa lavapipe and Chromium", lavapipePath() && chromiumPath());

Deno.test(
  "the page of a recording shows the numbers of two drivers, wide and narrow, light and dark",
  BOTH,
  async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/demo.jsonl`, driver = lavapipePath()!;
      recordDemo(path, driver);
      await using recording = openRecording(path, { drivers: [{ driver }, { driver, layers: [LAYER] }] });
      const server = serveRecording(recording, { recording: path, drivers: [driver, driver] });
      await using browser = await Browser.start();
      const planted = recording.events.find(({ name }) => name === "vkCmdDraw")!.id;
      const expected = {
        A: await colours(recording, planted, 0),
        B: await colours(recording, planted, 1),
        before: await colours(recording, planted, 0, true),
      };
      assert(expected.A.join() !== expected.B.join(), "the planted fault is seen");
      assertEquals(expected.B, expected.before, "the second driver leaves a draw out");
      for (const [width, dark] of VIEWS) {
        const reader = await Reader.open(browser, server.url, width, dark), { page } = reader;
        await page.until(
          `document.querySelectorAll("#drivers [data-state=good]").length === 2`,
          text("body"),
          PATIENCE,
        );
        await reader.check("at first");
        await reader.choose(planted);
        if (dark === width < 400) await lookAtEverything(reader, recording, planted, expected);
        await reader.choose(planted);
        for (const panel of PANELS) {
          await reader.panel(panel);
          await reader.check(panel);
        }
        const loaded = await page.evaluate<string[]>(
          `performance.getEntriesByType("resource").map(({ name }) => name)`,
        );
        assert(
          loaded.every((each) => each.startsWith(server.url)),
          loaded.find((each) => !each.startsWith(server.url)),
        );
      }
      await server.close();
    });
  },
);

async function lookAtEverything(
  reader: Reader,
  recording: OpenRecording,
  planted: number,
  expected: { A: number[]; B: number[]; before: number[] },
): Promise<void> {
  await lookAtPictures(reader, expected);
  await lookAtOverdraw(reader, recording, planted);
  await lookAtNumbers(reader, recording, planted);
  await lookAtHistory(reader, planted);
  await lookAtState(reader);
  await lookAtBuffers(reader, recording);
  await lookAtMesh(reader, recording);
  await reader.choose(planted);
  await reader.panel("parameters");
  assertStringIncludes(await reader.page.evaluate<string>(text("#parameters")), "instanceCount");
  await lookAtEvents(reader, recording, planted);
}

async function lookAtPictures(reader: Reader, expected: { A: number[]; B: number[]; before: number[] }): Promise<void> {
  const { page } = reader;
  await reader.panel("pictures");
  await page.until(`${CANVAS}.width === ${WIDTH}`, undefined, PATIENCE);
  assertEquals(await reader.colours(), expected.A);
  await reader.press("before", "when");
  assertEquals(await reader.colours(), expected.before);
  await reader.key("]");
  await reader.rest();
  await reader.press("B", "show");
  assertEquals(await reader.colours(), expected.B);
  await reader.press("slider", "show");
  assertEquals(await page.evaluate(`document.querySelectorAll(".stack canvas:not([hidden])").length`), 2);
  const clip = `getComputedStyle(document.querySelectorAll(".stack canvas")[1]).clipPath`,
    half = await page.evaluate(clip);
  await page.click(".slider input");
  await reader.key("Home");
  await page.evaluate(
    `(() => { const slider = document.querySelector(".slider input"); slider.value = 10; slider.oninput(); })()`,
  );
  assert(await page.evaluate(clip) !== half);
  await reader.press("blink", "show");
  const second = `document.querySelectorAll(".stack canvas")[1].hidden`;
  await page.until(second, text("body"), PATIENCE);
  await page.until(`!${second}`, text("body"), PATIENCE);
  await reader.press("heat", "show");
  const different = expected.A.reduce(
    (count, _, at) =>
      count +
      (at % 3 === 0 && [0, 1, 2].some((channel) => expected.A[at + channel] !== expected.B[at + channel]) ? 1 : 0),
    0,
  );
  const told = await page.evaluate<string>(text(".told")),
    [, count] = /^([\d,]+) of 9,216 texels differ between A and B/.exec(told) ?? [];
  assert(Number(count?.replace(",", "")) >= different && different > 0, told);
  await reader.check("heat map");
  await page.click(".told .link");
  await reader.press("change", "when");
  await reader.press("one", "show");
  assertStringIncludes(await page.evaluate<string>(text(".told")), "were changed");
  await reader.press("after", "when");
  for (const label of ["smaller", "larger", "one pixel a texel", "fit into the page"]) {
    await page.click(`[aria-label="${label}"]`);
    assert(await page.evaluate<number>(`${CANVAS}.getBoundingClientRect().width`) > 0, label);
  }
  await page.click(`.channels [data-value="G"]`);
  await page.until(
    `document.querySelector('.channels [data-value="G"]').getAttribute("aria-pressed") === "false"`,
    text("body"),
    PATIENCE,
  );
  assertEquals(await reader.colours(), expected.A.map((value, at) => at % 3 === 1 ? 0 : value));
  await page.click(`.channels [data-value="G"]`);
  await reader.rest();
  const images = await page.evaluate<number>(`document.querySelectorAll(".image").length`);
  assert(images >= 3, `${images} images`);
  for (let at = images; at > 0; at--) {
    await page.click(`.image:nth-child(${at})`);
    await reader.rest();
    await reader.check(`image ${at}`);
    assertEquals(await page.evaluate(`document.querySelectorAll("#pictures .error").length`), 0);
  }
}

/** The counts of the texel under the pointer are those of the recording, on both drivers, of all and of tested fragments. */
async function lookAtOverdraw(reader: Reader, recording: OpenRecording, event: number): Promise<void> {
  const { page } = reader, [x, y] = [WIDTH / 2, 30];
  await reader.press("overdraw", "show");
  for (const fragments of ["tested", "all"]) {
    await reader.press(fragments, "fragments");
    await page.evaluate(`(() => {
      const { left, top, width } = ${CANVAS}.getBoundingClientRect(), zoom = width / ${WIDTH};
      const place = { bubbles: true, clientX: left + (${x} + 0.5) * zoom, clientY: top + (${y} + 0.5) * zoom };
      ${CANVAS}.dispatchEvent(new PointerEvent("pointermove", place));
    })()`);
    const found = await page.evaluate<string[]>(
      `[...document.querySelectorAll(".readout tr:not(:first-child)")].map((row) => row.children[2].innerText)`,
    );
    const expected = await Promise.all(([0, 1] as const).map(async (side) => {
      const { counts, width } = await recording.overdraw(event, { side, tested: fragments === "tested" });
      return `${counts[y * width + x]}`;
    }));
    assertEquals(found, expected);
  }
  await reader.check("overdraw");
  await reader.press("one", "show");
}

async function lookAtNumbers({ page }: Reader, recording: OpenRecording, event: number): Promise<void> {
  const { bytes } = (await recording.contents(event)).find(({ piece }) => piece.name === attachment(recording, event))!;
  const view = new DataView(bytes.buffer, bytes.byteOffset), x = 40, y = 20, at = 8 * (y * WIDTH + x);
  await page.evaluate(`(() => {
    const { left, top, width } = ${CANVAS}.getBoundingClientRect(), zoom = width / ${WIDTH};
    const place = { bubbles: true, clientX: left + (${x} + 0.5) * zoom, clientY: top + (${y} + 0.5) * zoom };
    ${CANVAS}.dispatchEvent(new PointerEvent("pointermove", place));
    ${CANVAS}.dispatchEvent(new MouseEvent("click", place));
  })()`);
  const cells = await page.evaluate<string[]>(
    `[...document.querySelectorAll(".readout tr:nth-child(2) td")].map((each) => each.innerText)`,
  );
  const numbers = [0, 2, 4, 6].map((offset) => view.getFloat16(at + offset, true));
  assertEquals(cells.slice(1, 5).map(Number), numbers.map((each) => Number(each.toPrecision(6))));
  assertEquals(cells[5], bytes.subarray(at, at + 8).toHex());
}

async function lookAtHistory(reader: Reader, planted: number): Promise<void> {
  const { page } = reader;
  await reader.panel("history");
  await page.until(`document.querySelectorAll("#history tr[data-event]").length > 0`, text("#history"), PATIENCE);
  await reader.check("history");
  const steps = await page.evaluate<[string, boolean][]>(
    `[...document.querySelectorAll("#history tr[data-event]")].map((each) => [each.dataset.event, each.classList.contains("parted")])`,
  );
  const parted = steps.filter(([, isParted]) => isParted);
  assert(steps.some(([id]) => Number(id) === planted), String(steps));
  assert(parted.every(([id]) => Number(id) === planted), "the drivers part at no other step");
}

async function lookAtState(reader: Reader): Promise<void> {
  const { page } = reader;
  await reader.panel("state");
  await page.evaluate(`document.querySelectorAll("#state details").forEach((each) => each.open = true)`);
  await page.until(
    `[...document.querySelectorAll("#state pre")].every(({ textContent }) => textContent !== "")`,
    text("body"),
    PATIENCE,
  );
  await reader.check("state");
  const state = await page.evaluate<string>(`document.querySelector("#state").textContent`);
  for (
    const part of [
      "Shaders",
      "Descriptors",
      "Vertex input",
      "Attachments",
      "Push constants",
      "Pass",
      "Pipeline",
      "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST",
      "OpEntryPoint",
    ]
  ) {
    assertStringIncludes(state, part);
  }
  for (const [language, word] of [["glsl", "void main()"], ["wgsl", "fn main("], ["spirv", "OpEntryPoint"]]) {
    await page.click(`#state [aria-label="language"] [data-value="${language}"]`);
    await page.until(
      `document.querySelector("#state pre").textContent.includes(${JSON.stringify(word)})`,
      text("#state"),
      PATIENCE,
    );
    await reader.check(language);
  }
  await page.click("#state .card .link");
  await page.until(`document.querySelector("#state").hidden`, text("body"), PATIENCE);
  await reader.rest();
}

async function lookAtBuffers(reader: Reader, recording: OpenRecording): Promise<void> {
  const { page } = reader,
    cells = (row: number) =>
      `[...document.querySelectorAll(".table .rows .cells")].find((each) => !each.hidden && each.firstChild.textContent === "${row}")`;
  await reader.choose(recording.events.find(({ name }) => name === "vkCmdDrawIndexed")!.id);
  await reader.panel("buffers");
  const chosen = `document.querySelector("#buffers select")`;
  await page.evaluate(
    `(() => { ${chosen}.value = [...${chosen}.options].find(({ text }) => text.startsWith("vertex buffer 0")).value; ${chosen}.onchange(); })()`,
  );
  await reader.rest();
  await page.until(`${cells(1)} !== undefined`, text("#buffers"), PATIENCE);
  assertStringIncludes(await page.evaluate<string>(text("#buffers select")), "vertex buffer 0");
  assertStringIncludes(await page.evaluate<string>(text(".cells.head")), "A location0");
  await page.evaluate(
    `(() => { document.querySelector("#layout-text").value = "uint first; stride 8;"; document.querySelector(".layout").requestSubmit(); })()`,
  );
  assertEquals(
    await page.evaluate<string[]>(`[...document.querySelector(".cells.head").children].map((each) => each.innerText)`),
    ["row", "A first", "B first"],
  );
  await page.evaluate(
    `(() => { document.querySelector("#layout-text").value = "vec9 <b>"; document.querySelector(".layout").requestSubmit(); })()`,
  );
  assertStringIncludes(await page.evaluate<string>(text("#buffers .error")), "The layout cannot be used");
  await page.click(`.layout [type="button"]`);
  await reader.rest();
  await reader.press("true", "how");
  assert(/^[0-9a-f]{8} /.test(await page.evaluate<string>(`${cells(0)}.children[1].innerText`)));
  await reader.press("before", "when");
  await reader.press("false", "how");
  await reader.check("buffers");
}

/** The rows of the mesh are the vertices of the buffer by the indices of the other, and the picture has lines. */
async function lookAtMesh(reader: Reader, recording: OpenRecording): Promise<void> {
  const { page } = reader, { id, call } = recording.events.find(({ name }) => name === "vkCmdDrawIndexed")!;
  await reader.choose(id);
  await reader.panel("mesh");
  const rows = `[...document.querySelectorAll("#mesh .rows .cells:not([hidden])")]`;
  await page.until(`${rows}.length > 10`, text("#mesh"), PATIENCE);
  const cells = await page.evaluate<string[][]>(
    `${rows}.map((row) => [...row.children].map((each) => each.textContent)).sort(([one], [other]) => one - other)`,
  );
  const { resources } = recording.state(id), named = (role: string) => resources.find((each) => each.role === role)!;
  const [vertices, indices] = [named("vertex buffer 0"), named("index buffer")];
  const [mesh, places] = await Promise.all(
    [vertices, indices].map(async ({ name }) => (await recording.contents(id, { only: [name] }))[0].bytes),
  );
  const view = new DataView(mesh.buffer, mesh.byteOffset), start = Number(vertices.facts.offset ?? 0);
  const words = new Uint16Array(places.buffer, places.byteOffset + Number(indices.facts.offset ?? 0));
  const stride = (recording.state(id).state as Fields).pVertexInputState.pVertexBindingDescriptions[0].stride;
  for (const [at, vertex, position] of cells.slice(0, 10)) {
    assertEquals(Number(vertex), words[call!.args.firstIndex + Number(at)] + call!.args.vertexOffset);
    const expected = [0, 4, 8].map((byte) => view.getFloat32(start + Number(vertex) * stride + byte, true));
    assertEquals(position.split(/\s+/).slice(0, 3).map(Number), expected.map((each) => Number(each.toPrecision(6))));
  }
  const ink = `(() => { const canvas = document.querySelector("#mesh canvas"), { data } = canvas.getContext("2d")
    .getImageData(0, 0, canvas.width, canvas.height); return data.filter((value, at) => at % 4 === 3 && value > 0).length; })()`;
  await page.until(`${ink} > 100`, text("#mesh"), PATIENCE);
  const before = await page.evaluate<string>(`document.querySelector("#mesh canvas").toDataURL()`);
  await page.evaluate(`document.querySelector("#mesh canvas").focus()`);
  await reader.key("ArrowLeft");
  assert(
    await page.evaluate<string>(`document.querySelector("#mesh canvas").toDataURL()`) !== before,
    "keys turn the mesh",
  );
  await page.click("#mesh .rows .cells:not([hidden])");
  assertEquals(await page.evaluate(`document.querySelectorAll("#mesh .cells.differs").length`), 1);
  await reader.check("mesh");
  await lookAtOutputs(reader, recording, id);
}

/** The rows of the outputs are those of the recording, each with its position divided. */
async function lookAtOutputs(reader: Reader, recording: OpenRecording, id: number): Promise<void> {
  const { page } = reader, found = await recording.vertexOutputs(id), { bytes, stride, first } = found;
  await reader.press("out", "vertices");
  await reader.press("1", "driver");
  await reader.press("0", "driver");
  await page.evaluate(
    `(() => { const field = document.querySelector('#mesh [aria-label="instance"]'); field.value = 1; field.onchange(); })()`,
  );
  await reader.rest();
  const rows = await page.evaluate<string[][]>(
    `[...document.querySelectorAll("#mesh .rows .cells:not([hidden])")].map((row) => [...row.children].map((each) => each.textContent))`,
  );
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  assert(rows.length > 10);
  for (const [, vertex, position, divided] of rows) {
    const at = (found.count + Number(vertex) - first) * stride;
    const numbers = [0, 4, 8, 12].map((byte) => view.getFloat32(at + byte, true));
    const told = (all: number[]) => all.map((each) => Number(each.toPrecision(6)));
    assertEquals(position.split(/\s+/).map(Number), told(numbers));
    assertEquals(divided.split(/\s+/).map(Number), told(numbers.slice(0, 3).map((each) => each / numbers[3])));
  }
  assertStringIncludes(await page.evaluate<string>(text("#mesh .caption")), "caught by transform feedback");
  await reader.check("outputs");
  await reader.press("in", "vertices");
}

async function lookAtEvents(reader: Reader, recording: OpenRecording, planted: number): Promise<void> {
  const { page } = reader, chosen = `new URLSearchParams(location.hash.slice(1)).get("event")`;
  await reader.back();
  const rows = `[...document.querySelectorAll(".row:not([hidden])")].map((each) => each.dataset.kind)`;
  await page.evaluate(`document.querySelector("#list").focus()`);
  await reader.key("p");
  const draws = recording.events.filter(({ kind }) => kind === "draw" || kind === "dispatch").map(({ id }) => `${id}`);
  const before = await page.evaluate<string>(chosen);
  assert(draws.includes(before) && Number(before) < planted, before);
  await reader.key("n");
  assertEquals(await page.evaluate(chosen), `${planted}`);
  await reader.key("ArrowDown");
  await reader.key("ArrowUp");
  assertEquals(await page.evaluate(chosen), `${planted}`);
  await reader.key("ArrowLeft");
  await reader.key("ArrowLeft");
  await page.until(
    `document.querySelector('.row[aria-selected="true"]').getAttribute("aria-expanded") === "false"`,
    text("body"),
    PATIENCE,
  );
  await reader.key("ArrowRight");
  await reader.key("/");
  assertEquals(await page.evaluate("document.activeElement.id"), "search");
  await page.send("Input.insertText", { text: "DRAWindexed" });
  await page.until(
    `${rows}.includes("draw") && !${rows}.includes("dispatch") && !${rows}.includes("barrier")`,
    text("body"),
    PATIENCE,
  );
  await page.evaluate(
    `(() => { const search = document.querySelector("#search"); search.value = "nothing is called so"; search.oninput({ target: search }); })()`,
  );
  await page.until(`!document.querySelector("#nothing").hidden`, text("body"), PATIENCE);
  await reader.key("Escape");
  await page.until(`document.querySelector("#nothing").hidden`, text("body"), PATIENCE);
  await page.click("#kinds summary");
  await page.click(`#kinds [value="host"]`);
  await page.until(
    `${text("#count")}.startsWith("${recording.events.length.toLocaleString("en")} of")`,
    text("body"),
    PATIENCE,
  );
  await page.click(`#kinds [value="host"]`);
  await page.click("#count");
  await page.click("#fold");
  await page.until(`!${rows}.includes("draw")`, text("body"), PATIENCE);
  await page.click("#fold");
  await page.click("#difference");
  await page.until(`document.querySelector(".row.different") !== null`, text("body"), PATIENCE);
  assertEquals(await page.evaluate(chosen), `${planted}`);
  await reader.rest();
  await page.evaluate(`document.querySelector("#times").click()`);
  await page.until(`document.querySelector("#times").getAttribute("aria-pressed") === "true"`, text("body"), PATIENCE);
  await page.until(
    `[...document.querySelectorAll(".row .time")].some((each) => each.textContent.endsWith(" ms"))`,
    text("body"),
    PATIENCE,
  );
  for (const [at, name] of PANELS.entries()) {
    await reader.key(`${at + 1}`);
    await page.until(`!document.querySelector("#${name}").hidden`, text("body"), PATIENCE);
  }
  await reader.rest();
  await reader.check("events");
}
