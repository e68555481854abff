import { assert, assertEquals, assertRejects } from "@std/assert";
import { loadVulkan } from "../../../../loader/mod.ts";
import { formatOf, type ImageAspect } from "../../../../loader/texels/format.ts";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { fuzzFacts } from "../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../workbench/programs/generate.ts";
import { readRecording, writeRecording } from "../../../../workbench/layers.ts";
import { openRecording } from "../../../../workbench/recordings/view/open_recording.ts";
import { numbersOf } from "../../../../workbench/recordings/view/texel.ts";
import type { OpenRecording, PixelHistory } from "../../../../workbench/recordings/view/types.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { resultsByAction } from "./brute_force.ts";
import { DRAWS, recordScene, type SceneShape, TEXEL } from "./scene.ts";

const DRIVERS = [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const;
const PLAIN: SceneShape = { samples: 1, isDynamic: false, isSecondary: false, isIndirect: false };
const SHAPES: Readonly<Record<string, SceneShape>> = {
  plainly: PLAIN,
  "with dynamic state": { ...PLAIN, isDynamic: true },
  "in a secondary command buffer, indirectly": { ...PLAIN, isSecondary: true, isIndirect: true },
  "with four samples that are resolved": { ...PLAIN, samples: 4, isDynamic: true },
};

/** The image of a recording into which the scene is drawn, by the framebuffer. */
function attachmentsIn(path: string): string[] {
  const { lines } = readRecording(path);
  const call = (command: string, output: string, name?: string) =>
    lines.find((line) =>
      "command" in line && line.command === command && (name === undefined || line.out?.[output] === name)
    ) as unknown as { args: { pCreateInfo: { pAttachments: string[]; image: string } } };
  const { pAttachments } = call("vkCreateFramebuffer", "pFramebuffer").args.pCreateInfo;
  return pAttachments.map((view) => call("vkCreateImageView", "pView", view).args.pCreateInfo.image);
}

function draws({ steps }: PixelHistory) {
  return steps.filter(({ event }) => event.kind === "draw");
}

for (const [name, driver] of DRIVERS) {
  const options = {
    ...needs(name, driver),
    sanitizeOps: false, // a driver may keep what it has loaded
    sanitizeResources: false,
  };
  const open = (path: string): OpenRecording => openRecording(path, { drivers: [{ driver: driver! }] });

  for (const [how, shape] of Object.entries(SHAPES)) {
    Deno.test(
      `pixelHistory() says why each draw leaves a texel that was drawn ${how}, on ${name}`,
      options,
      async () => {
        await withFolderAsync(async (folder) => {
          const path = `${folder}/scene.jsonl`;
          recordScene(path, driver!, shape);
          const [color, depth, resolved] = attachmentsIn(path);
          await using recording = open(path);
          const history = await recording.pixelHistory({ image: color, ...TEXEL, sample: shape.samples - 1 });
          assertEquals(history.unknown, []);
          assertEquals(draws(history).map(({ reason }) => reason), DRAWS.map(({ reason }) => reason));
          assertEquals(draws(history).map(({ changed }) => changed), DRAWS.map(({ reason }) => reason === undefined));
          const values = draws(history).filter(({ changed }) => changed).map(({ before, after }) => [before, after]);
          assertEquals(values, [[[0, 0, 0, 0], [255, 0, 0, 255]], [[255, 0, 0, 255], [0, 0, 255, 255]]]);
          const deep = await recording.pixelHistory({ image: depth, ...TEXEL, aspect: "depth" });
          assertEquals(
            draws(deep).filter(({ changed }) => changed).map(({ after }) => Math.fround(after[0])),
            [0.5, 0.45, 0.4, 0.1].map(Math.fround),
          );
          if (!resolved) return;
          const { steps } = await recording.pixelHistory({ image: resolved, ...TEXEL });
          const ends = steps.filter(({ event }) => event.name === "vkCmdEndRenderPass");
          assertEquals(ends.map(({ after, changed }) => [after, changed]), [[[0, 0, 255, 255], true]]);
        });
      },
    );
  }

  Deno.test(`pixelHistory() of random texels is that of replays up to each action, on ${name}`, options, async () => {
    await withFolderAsync(async (folder) => {
      let compared = 0, changes = 0;
      for (const seed of [2, 8, 9]) {
        using vulkan = loadVulkan({ driver: driver! });
        const program = generateProgram(fuzzFacts(vulkan), { seed, actions: 6 }), path = `${folder}/${seed}.jsonl`;
        writeRecording(path, program.recording);
        await using recording = open(path);
        const actions = recording.events.filter(({ isAction }) => isAction);
        const all = resultsByAction(vulkan, program, actions);
        for (const { of, format: part } of program.results.filter(({ of }) => of.startsWith("VkImage")).slice(0, 2)) {
          const [, image, level, layer, stencil] = /^(VkImage#\d+) mip (\d+) layer (\d+)( stencil)?$/.exec(of)!;
          const aspect: ImageAspect | undefined = stencil ? "stencil" : undefined, format = formatOf(part);
          const numbers = all.map((each) => numbersOf(each.get(of)!.slice(0, format.blockSize), format));
          const expected = actions.flatMap(({ id }, index) => {
            const [before, after] = [numbers[index], numbers[index + 1]];
            return before.join() === after.join() ? [] : [{ id, before, after }];
          });
          const place = { image, level: Number(level), layer: Number(layer), x: 0, y: 0, ...aspect && { aspect } };
          const { steps } = await recording.pixelHistory(place), nothing = numbers[0];
          const found = steps.map(({ event: { id }, before, after }) => ({
            id,
            before: before.length > 0 ? before : nothing, // fresh memory is zero
            after,
          })).filter(({ before, after }) => before.join() !== after.join());
          assertEquals(found, expected, `seed ${seed}: ${of}`);
          compared++;
          changes += expected.length;
        }
      }
      assert(compared >= 2 && changes >= 3, `${compared} texels with ${changes} changes`);
    });
  });
}

Deno.test("pixelHistory() of a recording with a planted fault parts at the draw with the fault", {
  ...needs("Mesa lavapipe", lavapipePath()),
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await withFolderAsync(async (folder) => {
    const driver = lavapipePath()!, path = `${folder}/scene.jsonl`;
    recordScene(path, driver, { ...PLAIN, isDynamic: true });
    const [color] = attachmentsIn(path), stream = readRecording(path);
    const pushes = [...stream.lines.entries()].filter(([, line]) =>
      "command" in line && line.command === "vkCmdPushConstants"
    );
    assertEquals(pushes.length, DRAWS.length);
    await using good = openRecording(path, { drivers: [{ driver }] });
    const right = draws(await good.pixelHistory({ image: color, ...TEXEL }));
    let found = 0;
    for (const [index, [at, line]] of pushes.entries()) {
      for (const kind of ["other colour", "nearer"] as const) {
        const isSeen = kind === "nearer" ? ["depth"] : [undefined, "same value"];
        if (!isSeen.includes(DRAWS[index].reason)) continue;
        const { args } = line as unknown as { args: { pValues: { bytes: string } } };
        const words = new Float32Array(Uint8Array.fromHex(args.pValues.bytes).buffer);
        if (kind === "nearer") words[8] = 0.01;
        else words.set([0.25, 0.5, 0.75, 1], 4);
        const pValues = { bytes: new Uint8Array(words.buffer).toHex() }, edited = `${folder}/${index}${kind[0]}.jsonl`;
        const lines = stream.lines.with(at, { ...line, args: { ...args, pValues } } as never);
        writeRecording(edited, { ...stream, lines });
        await using bad = openRecording(edited, { drivers: [{ driver }] });
        const wrong = draws(await bad.pixelHistory({ image: color, ...TEXEL }));
        const parts = right.findIndex(({ after, reason }, step) =>
          after.join() !== wrong[step].after.join() || reason !== wrong[step].reason
        );
        assertEquals(parts, index, kind);
        found++;
      }
    }
    assert(found >= 5, `${found} faults`);
  });
});

Deno.test("pixelHistory() refuses what there is not, by name", {
  ...needs("Mesa lavapipe", lavapipePath()),
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await withFolderAsync(async (folder) => {
    const driver = lavapipePath()!, path = `${folder}/scene.jsonl`;
    recordScene(path, driver, PLAIN);
    const [image, depth] = attachmentsIn(path);
    const recording = openRecording(path, { drivers: [{ driver }] });
    const refuses = (place: object, words: string) =>
      assertRejects(() => recording.pixelHistory({ image, x: 0, y: 0, ...place }), TypeError, words);
    await refuses({ image: "VkImage#99" }, "There is no VkImage#99");
    await refuses({ x: 16 }, "no texel with x 16: x is from 0 to 15");
    await refuses({ y: -1 }, "no texel with y -1");
    await refuses({ x: 0.5 }, "no texel with x 0.5");
    await refuses({ layer: 1 }, "layer is from 0 to 0");
    await refuses({ level: 1 }, "level is from 0 to 0");
    await refuses({ sample: 1 }, "sample is from 0 to 0");
    await refuses({ image: depth, aspect: "color" }, "its aspects are depth and stencil");
    await assertRejects(() => recording.pixelHistory({ image, x: 0, y: 0 }, 1), TypeError, "There is no driver 1");
    await recording.close();
    await recording.close();
    await refuses({}, "The recording was closed");
  });
});
