import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { lavapipePath, shaderTools, swiftshaderPath } from "../../../../../tools/setup/parts.ts";
import { readRecording, type RecordedCall } from "../../../../../workbench/layers.ts";
import { countingShader, emptyFragment } from "../../../../../workbench/recordings/view/capture/fragment_shader.ts";
import { openRecording } from "../../../../../workbench/recordings/view/open_recording.ts";
import { compileShader } from "../../../../support/compile_shader.ts";
import { needs } from "../../../../support/require.ts";
import { withFolder, withFolderAsync } from "../../../../support/temporary.ts";
import { DRAWS, recordScene, type SceneShape, TEXEL } from "../scene.ts";
import { fragmentsOf, HEIGHT, QUADS, recordQuads, WIDTH } from "./overdraw_scene.ts";

const HIDING = new URL("./hiding_layer.ts", import.meta.url).pathname,
  NO_SANITIZERS = { sanitizeOps: false, sanitizeResources: false };
const DRIVERS = [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const;
const PLAIN: SceneShape = { samples: 1, isDynamic: true, isSecondary: false, isIndirect: false };

for (const [name, driver] of DRIVERS) {
  const options = { ...needs(`${name} and a shader compiler`, driver && shaderTools()), ...NO_SANITIZERS };
  for (const isSecondary of [false, true]) {
    Deno.test(
      `overdraw() after each draw ${
        isSecondary ? "of a secondary command buffer " : ""
      }is that of quads counted one by one, on ${name}`,
      options,
      async () => {
        await withFolderAsync(async (folder) => {
          const path = `${folder}/quads.jsonl`;
          recordQuads(path, driver!, isSecondary);
          await using recording = openRecording(path, { drivers: [{ driver: driver! }] });
          const draws = recording.events.filter(({ kind }) => kind === "draw");
          assertEquals(draws.length, QUADS.length);
          const before = await recording.contents(draws.at(-1)!.id);
          for (const [at, { id }] of draws.entries()) {
            const expected = fragmentsOf(at + 1);
            for (const tested of [false, true]) {
              const { counts, ...facts } = await recording.overdraw(id, { tested });
              assertEquals(facts, { width: WIDTH, height: HEIGHT, draws: at + 1, unknown: [] });
              assertEquals([...counts], tested ? expected.tested : expected.all, `${at}, ${tested}`);
            }
          }
          const pass = recording.events.find(({ kind }) => kind === "pass")!.id;
          assertEquals([...(await recording.overdraw(pass)).counts], fragmentsOf(QUADS.length).all);
          assertEquals(await recording.contents(draws.at(-1)!.id), before, "the recording itself stays what it is");
          await assertRejects(() => recording.overdraw(0), TypeError, "is in no pass");
        });
      },
    );
  }

  Deno.test(`overdraw() of a texel is what its history says of the draws, on ${name}`, {
    ...needs(name, driver),
    ...NO_SANITIZERS,
  }, async () => {
    await withFolderAsync(async (folder) => {
      const path = `${folder}/scene.jsonl`;
      recordScene(path, driver!, PLAIN);
      await using recording = openRecording(path, { drivers: [{ driver: driver! }] });
      const { lines } = readRecording(path);
      const image = (lines.find((line) =>
        "command" in line && line.command === "vkCreateImage"
      ) as RecordedCall).out!.pImage;
      const { steps } = await recording.pixelHistory({ image, ...TEXEL });
      const reasons = steps.filter(({ event }) => event.kind === "draw").map(({ reason }) => reason);
      assertEquals(reasons, DRAWS.map(({ reason }) => reason));
      const fragments = reasons.filter((reason) =>
        !["scissor", "culled", "discarded", "not covered"].includes(reason!)
      );
      const last = recording.events.findLast(({ kind }) => kind === "draw")!.id, at = TEXEL.y * 16 + TEXEL.x;
      assertEquals((await recording.overdraw(last)).counts[at], fragments.length);
      const { counts, unknown } = await recording.overdraw(last, { tested: true });
      assertEquals([counts[at], unknown.length], [fragments.length, DRAWS.length]);
      assertStringIncludes(unknown[0], "its shader discards fragments");
    });
  });
}

Deno.test("overdraw() says why fragments cannot be counted", {
  ...needs("Mesa lavapipe and a shader compiler", lavapipePath() && shaderTools()),
  ...NO_SANITIZERS,
}, async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/quads.jsonl`;
    recordQuads(path, lavapipePath()!);
    Deno.env.set("HIDES", "stores");
    try {
      await using recording = openRecording(path, { drivers: [{ driver: lavapipePath()!, layers: [HIDING] }] });
      const { id } = recording.events.find(({ kind }) => kind === "draw")!;
      const { message } = await assertRejects(() => recording.overdraw(id), Error);
      assertStringIncludes(message, "fragmentStoresAndAtomics");
    } finally {
      Deno.env.delete("HIDES");
    }
  });
});

Deno.test("countingShader() makes shaders that spirv-val accepts", needs("a shader compiler", shaderTools()), () => {
  withFolder((folder) => {
    const discarding = `#version 450
      layout(early_fragment_tests) in;
      layout(location = 0) out vec4 color;
      void main() { if (gl_FragCoord.x > 3.0) discard; color = gl_FragCoord; }`;
    const plain = `#version 450
      layout(location = 0) in vec2 uv; layout(location = 0) out vec4 color; void main() { color = vec4(uv, 0, 1); }`;
    for (const target of ["vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3"]) {
      const sources = [discarding, plain].map((source) => new Uint8Array(compileShader(source, target, "frag").buffer));
      for (const words of [...sources, emptyFragment()]) {
        for (const isTested of [false, true]) {
          const file = `${folder}/shader.spv`;
          Deno.writeFileSync(file, countingShader(words, "main", { width: 4, height: 4, set: 2 }, isTested));
          const args = ["--target-env", target === "vulkan1.0" ? "vulkan1.1" : target, file];
          const { success, stderr } = new Deno.Command(shaderTools()!.validator, { args }).outputSync();
          assert(success, `${target}: ${new TextDecoder().decode(stderr)}`);
        }
      }
    }
  });
});
