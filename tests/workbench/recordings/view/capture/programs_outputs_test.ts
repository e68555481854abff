/**
 * The outputs of the vertex shaders of the demo and of vkcube: computed in TypeScript from the buffers that the shaders
 * read.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { lavapipePath } from "../../../../../tools/setup/parts.ts";
import { parseLayout, rowOf } from "../../../../../workbench/recordings/view/page/layout.js";
import { openRecording } from "../../../../../workbench/recordings/view/open_recording.ts";
import { layoutsOf } from "../../../../../workbench/recordings/view/server/buffer_layouts.ts";
import type { OpenRecording, RecordingEvent, VertexOutputs } from "../../../../../workbench/recordings/view/types.ts";
import type { Fields } from "../../../../../workbench/recordings/record/line.ts";
import { exec } from "../../../../cli/layer_server/exec.ts";
import { needs } from "../../../../support/require.ts";
import { withFolderAsync } from "../../../../support/temporary.ts";
import { startXServer } from "../../../../support/x_server.ts";
import { NEEDS_PROGRAMS } from "../../../layer_server/programs.ts";
import { recordDemo } from "../../replay/recorded.ts";

type Vector = readonly number[];
const driver = lavapipePath()!, NO_SANITIZERS = { sanitizeOps: false, sanitizeResources: false };

/** A matrix of four columns by a vector. */
const times = (matrix: Vector, vector: Vector) =>
  [0, 1, 2, 3].map((row) => vector.reduce((sum, each, column) => sum + matrix[4 * column + row] * each, 0));
const cross = ([a, b, c]: Vector, [x, y, z]: Vector) => [b * z - c * y, c * x - a * z, a * y - b * x];
const normalized = (vector: Vector) => vector.map((each) => each / Math.hypot(...vector));
const mix = (one: number, other: number, at: number) => one * (1 - at) + other * at;

async function floats(recording: OpenRecording, event: number, name: string, offset = 0): Promise<Float32Array> {
  const [{ bytes }] = await recording.contents(event, { only: [name] });
  return new Float32Array(bytes.slice(offset).buffer);
}

function floatsOf({ bytes, outputs, stride }: VertexOutputs, name: string, row: number, count: number): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset), { offset } = outputs.find((each) => each.name === name)!;
  return Array.from({ length: count }, (_, at) => view.getFloat32(row * stride + offset + 4 * at, true));
}

function assertClose(found: Vector, expected: Vector, what: string): void {
  const size = Math.max(1, ...expected.map(Math.abs));
  assert(found.every((each, at) => Math.abs(each - expected[at]) < 1e-4 * size), `${what}: ${found}, not ${expected}`);
}

/** The attributes of a vertex and an instance of the demo's columns, by location. */
async function attributesAt(recording: OpenRecording, { id, call }: RecordingEvent) {
  const state = recording.state(id);
  const bindings = await Promise.all(
    state.resources.filter(({ role }) => role.startsWith("vertex buffer")).map(async (resource) => {
      const { layout, offset, role } = layoutsOf(resource, state, call!.command, call!.args);
      const [{ bytes }] = await recording.contents(id, { only: [resource.name] });
      return {
        layout: parseLayout(layout),
        view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        offset,
        role,
      };
    }),
  );
  return (vertex: number, instance: number): Record<string, number[]> =>
    Object.fromEntries(bindings.flatMap(({ layout, view, offset, role }) => {
      const values = rowOf(layout, view, offset, role.includes("each instance") ? instance : vertex) as number[][];
      return (layout.members as { name: string }[]).map(({ name }, at) => [name, values[at]]);
    }));
}

/** The place of a vertex of a column, as the demo's shader computes it. */
function placeOf(
  { location0: shape, location2: place, location3: form, location5: kind }: Record<string, Vector>,
  seconds: number,
): Vector {
  const bevel = Math.min(0.07 * place[3], 0.2 * form[0]);
  const inset = Math.max(place[3] * mix(form[2], form[1], shape[1]) - bevel * (1 - shape[3]), 0);
  const height = mix(bevel * shape[3], form[0] - bevel * shape[3], shape[1]);
  const local = [shape[0] * inset, height, shape[2] * inset], c = Math.cos(form[3]), s = Math.sin(form[3]);
  const turned = [c * local[0] + s * local[2], local[1], -s * local[0] + c * local[2]];
  const axis = normalized([kind[0], 1, kind[1]]), first = normalized(cross([0, 0, 1], axis.map((each) => -each)));
  const lean = [first, axis, cross(first, axis)];
  const bob = kind[3] * Math.sin(seconds * 0.9 + place[0] * 1.7 + place[2]);
  const found = [0, 1, 2].map((row) =>
    place[row] + (row === 1 ? bob : 0) + lean.reduce((sum, column, at) => sum + column[row] * turned[at], 0)
  );
  return [found[0], Math.max(found[1], 0), found[2]];
}

Deno.test("vertexOutputs() of the demo's columns and of its backdrop are those that TypeScript computes", {
  ...needs("Mesa lavapipe", lavapipePath()),
  ...NO_SANITIZERS,
}, async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/demo.jsonl`;
    recordDemo(path, driver);
    await using recording = openRecording(path, { drivers: [{ driver }] });
    const backdrop = recording.events.find(({ name, call }) => name === "vkCmdDraw" && call!.args.vertexCount === 3)!;
    const sky = await recording.vertexOutputs(backdrop.id);
    for (const [vertex, at] of [[0, 0], [2, 0], [0, 2]].entries()) {
      assertEquals(floatsOf(sky, "location0", vertex, 2), at);
      assertEquals(floatsOf(sky, "gl_Position", vertex, 4), [...at.map((each) => 2 * each - 1), 1, 1]);
    }
    let compared = 0;
    for (const event of recording.events.filter(({ name }) => name === "vkCmdDrawIndexed")) {
      const { shaders, resources, dynamic } = recording.state(event.id);
      if (!shaders.some(({ reflection }) => reflection?.outputs.length === 4)) continue;
      const frame = resources.find(({ role }) => role === "set 0 binding 0")!;
      const uniforms = await floats(recording, event.id, frame.name, Number((frame.facts as Fields).offset ?? 0));
      const pushed = Object.entries(dynamic).find(([key]) => key.startsWith("vkCmdPushConstants"))![1] as Fields;
      const mirror = new DataView(Uint8Array.fromHex(pushed.pValues.bytes).buffer).getFloat32(0, true);
      const found = await recording.vertexOutputs(event.id), attributes = await attributesAt(recording, event);
      const { instances, firstInstance } = found.numbers;
      for (const instance of [0, instances >> 1, instances - 1]) {
        for (let vertex = found.first; vertex < found.first + found.count; vertex += 5) {
          const own = attributes(vertex, firstInstance + instance), row = instance * found.count + vertex - found.first;
          const place = placeOf(own, uniforms[35]), mirrored = [place[0], place[1] * mirror, place[2], 1];
          assertClose(floatsOf(found, "location0", row, 3), place, "place");
          assertClose(floatsOf(found, "gl_Position", row, 4), times([...uniforms.slice(0, 16)], mirrored), "position");
          assertClose(floatsOf(found, "location2", row, 4), own.location4, "colour");
          compared++;
        }
      }
    }
    assert(compared > 20, `${compared} vertices`);
  });
});

Deno.test("vertexOutputs() of vkcube are those that TypeScript computes", {
  ...NEEDS_PROGRAMS,
  ...NO_SANITIZERS,
}, async () => {
  await using server = await startXServer();
  await withFolderAsync(async (folder) => {
    const path = `${folder}/cube.jsonl`;
    exec(folder, [`--record=${path}`, "--frames=2..2", "--", "vkcube", "--c", "4"], {
      DISPLAY: server.display,
      HOME: folder,
    });
    await using recording = openRecording(path, { drivers: [{ driver }] });
    const { id } = recording.events.find(({ kind }) => kind === "draw")!;
    const { name } = recording.state(id).resources.find(({ role }) => role === "set 0 binding 0")!;
    const uniforms = [...await floats(recording, id, name)], found = await recording.vertexOutputs(id);
    assertEquals([found.way, found.first, found.count], ["transform feedback", 0, 36]);
    for (let vertex = 0; vertex < 36; vertex++) {
      const [position, attribute] = [16, 160].map((start) =>
        uniforms.slice(start + 4 * vertex, start + 4 * vertex + 4)
      );
      assertClose(
        floatsOf(found, "gl_Position", vertex, 4),
        times(uniforms.slice(0, 16), position),
        `position ${vertex}`,
      );
      assertEquals(floatsOf(found, "texcoord", vertex, 4), attribute);
    }
  });
});
