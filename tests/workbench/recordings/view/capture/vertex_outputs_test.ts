import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { lavapipePath, shaderTools, swiftshaderPath } from "../../../../../tools/setup/parts.ts";
import { capturingShader } from "../../../../../workbench/recordings/view/capture/vertex_shader.ts";
import { openRecording } from "../../../../../workbench/recordings/view/open_recording.ts";
import type { OpenRecordingOptions, VertexOutputs } from "../../../../../workbench/recordings/view/types.ts";
import { compileShader } from "../../../../support/compile_shader.ts";
import { needs } from "../../../../support/require.ts";
import { withFolderAsync } from "../../../../support/temporary.ts";
import { DRAWN, outputsOf, recordMeshes, VERTEX } from "./mesh_scene.ts";

type Driver = NonNullable<OpenRecordingOptions["drivers"]>[number];
const HIDING = new URL("./hiding_layer.ts", import.meta.url).pathname,
  NO_SANITIZERS = { sanitizeOps: false, sanitizeResources: false };
const lavapipe = lavapipePath()!, swiftshader = swiftshaderPath()!;
/** Drivers, and the way in which they catch outputs. */
const WAYS: Readonly<Record<string, readonly [driver: Driver, way: VertexOutputs["way"], path: string | undefined]>> = {
  "lavapipe": [{ driver: lavapipe }, "transform feedback", lavapipePath()],
  "lavapipe without transform feedback": [
    { driver: lavapipe, layers: [HIDING] },
    "stores of the shader",
    lavapipePath(),
  ],
  "SwiftShader": [{ driver: swiftshader }, "stores of the shader", swiftshaderPath()],
};
const SIZES: Readonly<Record<string, number>> = { vec2: 2, vec4: 4, uvec3: 3, mat3: 9, float: 1, int: 1 };

/** The numbers of a vertex by the names of the outputs. */
function read({ bytes, outputs, stride, first, count }: VertexOutputs, vertex: number, instance: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset), start = (instance * count + vertex - first) * stride;
  return Object.fromEntries(outputs.map(({ name, type, elements, offset }) => {
    const size = SIZES[type] * elements, at = (each: number) => start + offset + 4 * each;
    const number = (each: number) =>
      type === "uvec3"
        ? view.getUint32(at(each), true)
        : type === "int"
        ? view.getInt32(at(each), true)
        : view.getFloat32(at(each), true);
    return [name, Array.from({ length: size }, (_, each) => number(each))];
  }));
}

for (const [name, [driver, way, path]] of Object.entries(WAYS)) {
  Deno.test(`vertexOutputs() of each draw are those that TypeScript computes, on ${name}`, {
    ...needs(`${name} and a shader compiler`, path && shaderTools()),
    ...NO_SANITIZERS,
  }, async () => {
    await withFolderAsync(async (folder) => {
      const file = `${folder}/meshes.jsonl`;
      recordMeshes(file, driver.driver as string);
      await using recording = openRecording(file, { drivers: [driver] });
      const events = recording.events.filter(({ kind }) => kind === "draw");
      let compared = 0;
      for (const [at, { id }] of events.entries()) {
        const before = await recording.contents(id);
        const draws = await recording.draws(id);
        assertEquals(draws.length, DRAWN[at].length);
        for (const [draw, { instances, vertices }] of DRAWN[at].entries()) {
          const found = await recording.vertexOutputs(id, { draw });
          assertEquals([found.way, found.numbers], [way, draws[draw]]);
          const used = vertices.filter((each) => each !== undefined);
          assertEquals([found.first, found.count], [Math.min(...used), Math.max(...used) - Math.min(...used) + 1]);
          assertEquals(found.bytes.length, found.stride * found.count * instances.length);
          for (const [number, instance] of instances.entries()) {
            for (const vertex of used) {
              assertEquals(
                read(found, vertex, number),
                outputsOf(vertex, instance),
                `draw ${draw} of ${id}: ${vertex}, ${instance}`,
              );
              compared++;
            }
          }
        }
        await assertRejects(
          () => recording.vertexOutputs(id, { draw: draws.length }),
          TypeError,
          `${draws.length} draw`,
        );
        assertEquals(await recording.contents(id), before, "the recording itself stays what it is");
      }
      assertEquals([events.length, compared], [3, 8 + 6 + 9]);
    });
  });
}

Deno.test("vertexOutputs() says why there are none, for each way", {
  ...needs("Mesa lavapipe and a shader compiler", lavapipePath() && shaderTools()),
  ...NO_SANITIZERS,
}, async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/meshes.jsonl`;
    recordMeshes(path, lavapipe);
    Deno.env.set("HIDES", "stores");
    try {
      await using recording = openRecording(path, { drivers: [{ driver: lavapipe, layers: [HIDING] }] });
      const draw = recording.events.find(({ kind }) => kind === "draw")!.id;
      const { message } = await assertRejects(() => recording.vertexOutputs(draw), TypeError);
      for (
        const part of [
          "by transform feedback: ",
          "transformFeedback",
          "by stores of the shader: ",
          "vertexPipelineStoresAndAtomics",
        ]
      ) {
        assertStringIncludes(message, part);
      }
      await assertRejects(() => recording.vertexOutputs(0), TypeError, "Event 0");
      assert((await recording.contents(draw)).length > 0);
    } finally {
      Deno.env.delete("HIDES");
    }
  });
});

Deno.test(
  "capturingShader() makes shaders that spirv-val accepts, and refuses what is no shader",
  needs("a shader compiler", shaderTools()),
  async () => {
    await withFolderAsync((folder) => {
      const range = { first: 3, count: 4, firstInstance: 1, instances: 2, set: 1 };
      const named = `#version 450
      layout(location = 0) out dvec3 far; layout(location = 2) out vec2 near[2][3];
      vec4 help(vec4 value) { return value * 2.0; }
      void main() { far = dvec3(1.0LF); near[1][2] = vec2(gl_InstanceIndex); gl_Position = help(vec4(1)); if (gl_VertexIndex > 2) return; }`;
      for (
        const [target, environment] of [["vulkan1.0", "vulkan1.0"], ["vulkan1.1", "vulkan1.1"], [
          "vulkan1.2",
          "vulkan1.2",
        ], ["vulkan1.3", "vulkan1.3"]]
      ) {
        for (const source of [VERTEX, named]) {
          const words = new Uint8Array(compileShader(source, target, "vert").buffer);
          for (const way of ["feedback", "stores"] as const) {
            const { bytes, outputs, stride } = capturingShader(words, "main", way, range),
              file = `${folder}/shader.spv`;
            Deno.writeFileSync(file, bytes);
            const args = ["--target-env", environment === "vulkan1.0" ? "vulkan1.1" : environment, file];
            const { success, stdout, stderr } = new Deno.Command(shaderTools()!.validator, { args }).outputSync();
            assert(success, `${target} ${way}: ${new TextDecoder().decode(stdout)}${new TextDecoder().decode(stderr)}`);
            assertEquals(outputs[0].name, "gl_Position");
            if (source === named) assertEquals([stride, outputs.length], [88, 3]);
            // A shader that was changed once can be changed again.
            assertEquals(capturingShader(bytes, "main", "feedback", range).stride, stride);
          }
        }
      }
      const words = new Uint8Array(compileShader(VERTEX, "vulkan1.0", "vert").buffer);
      for (const wrong of [new Uint8Array(3), words.slice(0, 100), words.slice(4)]) {
        try {
          capturingShader(wrong, "main", "stores", range);
          throw new Error("it was taken");
        } catch (error) {
          assert(error instanceof TypeError, `${error}`);
        }
      }
      return Promise.resolve();
    });
  },
);
