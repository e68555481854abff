import { assert, assertEquals, assertRejects } from "@std/assert";
import { loadVulkan } from "../../../../loader/mod.ts";
import { formatOf, type ImageAspect } from "../../../../loader/texels/format.ts";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { fuzzFacts } from "../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../workbench/programs/generate.ts";
import { pick, seededChoices } from "../../../../workbench/programs/choices.ts";
import { readRecording, type RecordedCall, type RecordedLine, writeRecording } from "../../../../workbench/layers.ts";
import { openRecording } from "../../../../workbench/recordings/view/open_recording.ts";
import { numbersOf } from "../../../../workbench/recordings/view/texel.ts";
import type { OpenRecording, PixelHistory } from "../../../../workbench/recordings/view/types.ts";
import { count } from "../../../support/counts.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { resultsByAction } from "./brute_force.ts";
import { DRAWS, recordScene, type SceneDraw, type SceneShape, TEXEL } from "./scene.ts";

const DRIVERS = [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const;
const PLAIN: SceneShape = { samples: 1, isDynamic: false, isSecondary: false, isIndirect: false };
const SHAPES: Readonly<Record<string, SceneShape>> = {
  plainly: PLAIN,
  "with dynamic state": { ...PLAIN, isDynamic: true },
  "in a secondary command buffer, indirectly": { ...PLAIN, isSecondary: true, isIndirect: true },
  "with four samples that are resolved": { ...PLAIN, samples: 4, isDynamic: true },
};

/** Texels of each image and level of a random program. */
const TEXELS = 4;

/** The texels or blocks across a level of an image. */
function widthOf(lines: readonly RecordedLine[], image: string, level: number): number {
  const made = lines.find((line) =>
    "command" in line && line.command === "vkCreateImage" && line.out?.pImage === image
  );
  const { extent, format } = (made as RecordedCall).args.pCreateInfo;
  return Math.ceil(Math.max(1, extent.width >> level) / formatOf(format).blockExtent[0]);
}
/**
 * The number of shapes in which each draw has a fault. A single one takes turns from draw to draw; two have found no
 * fault that one did not find.
 */
const SHAPES_OF_FAULTS = count(1, 1, 2);

/** The image of a recording into which the scene is drawn, by the framebuffer. */
function attachmentsIn(path: string): string[] {
  const { lines } = readRecording(path);
  const call = (command: string, output: string, name?: string) =>
    lines.find((line) =>
      "command" in line && line.command === command && (name === undefined || line.out?.[output] === name)
    ) as RecordedCall;
  const { pAttachments } = call("vkCreateFramebuffer", "pFramebuffer").args.pCreateInfo;
  return pAttachments.map((view: string) => call("vkCreateImageView", "pView", view).args.pCreateInfo.image);
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
      const wanted = count(2, 8, 60); // of 500 on lavapipe, none was wrong
      const random = seededChoices(35);
      let compared = 0, changes = 0;
      for (let seed = 1; compared < wanted; seed++) {
        using vulkan = loadVulkan({ driver: driver! });
        const program = generateProgram(fuzzFacts(vulkan), { seed, actions: 6 }), path = `${folder}/${seed}.jsonl`;
        writeRecording(path, program.recording);
        await using recording = open(path);
        const actions = recording.events.filter(({ isAction }) => isAction);
        const all = resultsByAction(vulkan, program, actions);
        const images = program.results.filter(({ of }) => of.startsWith("VkImage"));
        const texels = images.flatMap((result) => Array.from({ length: TEXELS }, () => result));
        for (const { of, format: part, size } of texels.slice(0, wanted - compared)) {
          const [, image, level, layer, stencil] = /^(VkImage#\d+) mip (\d+) layer (\d+)( stencil)?$/.exec(of)!;
          const isDepth = formatOf(part).components.some(({ name }) => name === "D");
          const aspect: ImageAspect | undefined = stencil ? "stencil" : isDepth ? "depth" : undefined;
          const format = formatOf(part, aspect);
          const width = widthOf(program.recording.lines, image, Number(level));
          const at = pick(random, [...Array(size / format.blockSize).keys()]),
            [x, y] = [at % width, Math.floor(at / width)];
          const start = at * format.blockSize, end = start + format.blockSize;
          const numbers = all.map((each) => numbersOf(each.get(of)!.slice(start, end), format));
          const expected = actions.flatMap(({ id }, index) => {
            const [before, after] = [numbers[index], numbers[index + 1]];
            return before.join() === after.join() ? [] : [{ id, before, after }];
          });
          const place = { image, level: Number(level), layer: Number(layer), x, y, ...aspect && { aspect } };
          const { steps } = await recording.pixelHistory(place), nothing = numbers[0];
          const found = steps.map(({ event: { id }, before, after }) => ({
            id,
            before: before.length > 0 ? before : nothing, // fresh memory is zero
            after,
          })).filter(({ before, after }) => before.join() !== after.join());
          assertEquals(found, expected, `seed ${seed}: ${of} at ${x}, ${y}`);
          compared++;
          changes += expected.length;
        }
      }
      assert(changes >= wanted / 2, `${compared} texels with ${changes} changes`);
      console.log(`${name}: the histories of ${compared} random texels with ${changes} changes are right`);
    });
  });
}

/** A draw with a fault: what kept it from the texel is gone, or it writes another colour. */
function faulty(draw: SceneDraw): SceneDraw {
  switch (draw.reason) {
    case "scissor":
      return { ...draw, scissor: undefined };
    case "culled":
      return { ...draw, cullMode: undefined };
    case "depth":
      return { ...draw, depth: 0.01 };
    case "stencil":
      return { ...draw, stencil: false };
    case "discarded":
      return { ...draw, discards: false };
    case "masked":
      return { ...draw, writeMask: 15 };
    case "not covered":
      return { ...draw, rect: undefined };
    default:
      return { ...draw, color: [0.25, 0.5, 0.75, 1] };
  }
}

Deno.test(
  "the histories of a program and of the same with a planted fault in any of its draws part at the draw with the fault",
  {
    ...needs("SwiftShader", swiftshaderPath()),
    sanitizeOps: false,
    sanitizeResources: false,
  },
  async () => {
    await withFolderAsync(async (folder) => {
      const driver = swiftshaderPath()!, path = `${folder}/scene.jsonl`;
      const stepsOf = async (shape: SceneShape, planted: readonly SceneDraw[]) => {
        recordScene(path, driver, shape, planted);
        const [image] = attachmentsIn(path);
        await using recording = openRecording(path, { drivers: [{ driver }] });
        const found = draws(await recording.pixelHistory({ image, ...TEXEL }));
        Deno.removeSync(path);
        return found.map(({ after, changed }) => `${after} ${changed}`);
      };
      const shapes = [{ ...PLAIN, isDynamic: true }, { ...PLAIN, isSecondary: true, isIndirect: true }];
      for (const [which, shape] of shapes.entries()) {
        const right = await stepsOf(shape, DRAWS);
        for (const [index, draw] of DRAWS.entries()) {
          if (SHAPES_OF_FAULTS === 1 && index % shapes.length !== which) continue;
          const wrong = await stepsOf(shape, DRAWS.with(index, faulty(draw)));
          assertEquals(right.findIndex((each, at) => each !== wrong[at]), index, `fault at draw ${index}`);
        }
      }
    });
  },
);

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
