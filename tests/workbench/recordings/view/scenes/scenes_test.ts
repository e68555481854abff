import { assert, assertEquals } from "@std/assert";
import { lavapipePath, shaderTools, swiftshaderPath } from "../../../../../tools/setup/parts.ts";
import { pick, seededChoices } from "../../../../../workbench/programs/choices.ts";
import { readRecording, type RecordedCall } from "../../../../../workbench/layers.ts";
import { formatOf } from "../../../../../loader/texels/format.ts";
import { openRecording } from "../../../../../workbench/recordings/view/open_recording.ts";
import { numbersOf } from "../../../../../workbench/recordings/view/texel.ts";
import { count } from "../../../../support/counts.ts";
import { needs } from "../../../../support/require.ts";
import { withFolderAsync } from "../../../../support/temporary.ts";
import { SCENES } from "./scenes.ts";
import { textures } from "./textures.ts";
import { canCountIn, DEPTH, readBack, recordStage, SIDE } from "./stage.ts";

const DRIVERS = [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const;
const ALL = { ...SCENES, "textures by several samplers, blended": textures };
/** Bytes of a texel. */
const TEXEL = 4;

for (const [name, driver] of DRIVERS) {
  for (const [what, build] of Object.entries(ALL)) {
    Deno.test(`contents and histories of ${what} are what programs read that end at each action, on ${name}`, {
      ...needs(`${name} and a shader compiler`, driver && shaderTools()),
      sanitizeOps: false, // a driver may keep what it has loaded
      sanitizeResources: false,
    }, async () => {
      await withFolderAsync(async (folder) => {
        const own = { driver: driver!, canCount: canCountIn(driver!) };
        const path = `${folder}/scene.jsonl`, { roles, resolved, places } = recordStage(path, own, build);
        const steps = roles.length;
        const { lines } = readRecording(path), calls = lines.filter((line): line is RecordedCall => "command" in line);
        const made = calls.filter(({ command }) => command === "vkCreateImage").map(({ out }) => out!.pImage as string);
        const images = places.map(({ image }) => made[image]);
        const bufferOf = (size: number) =>
          calls.filter(({ command, args }) => command === "vkCreateBuffer" && Number(args.pCreateInfo.size) === size)
            .map(({ out }) => out!.pBuffer as string);
        await using recording = openRecording(path, { drivers: [{ driver: driver! }] });
        const submission = recording.events.findLast(({ isAction }) => isAction)!.submission;
        const actions = recording.events.filter((event) => event.isAction && event.submission === submission);
        assertEquals(actions.length, steps);
        const read = Array.from({ length: steps + 1 }, (_, at) => readBack(own, build, at));
        const order = actions.map((_, at) => at).sort((one, other) => (one * 7 + 3) % steps - (other * 7 + 3) % steps);
        let compared = 0;
        for (const at of order) {
          const { id } = actions[at], names = images.filter((_, image) => read[0].images[image]);
          const all = await recording.contents(id, {
            only: [...names, ...read[0].buffers.flatMap(({ length }) => bufferOf(length))],
          });
          for (const { piece, bytes } of all) {
            const image = images.findIndex((each, at) =>
              each === piece.resource && places[at].level === piece.image?.level
            );
            const buffer = read[0].buffers.findIndex(({ length }) => bufferOf(length).includes(piece.resource));
            const expected = image >= 0 ? read[at + 1].images[image] : read[at + 1].buffers[buffer];
            // An image that nothing has written yet is not defined.
            const isMade = image < 0 ||
              read.slice(0, at + 2).some((each, step) =>
                step > 0 && each.images[image]!.join() !== read[0].images[image]!.join()
              );
            if (!isMade) continue;
            assertEquals(
              bytes.slice(0, expected!.length),
              expected,
              `${what}: ${piece.name} after ${actions[at].name}, event ${id}`,
            );
            compared++;
          }
        }
        assert(compared > steps, `${compared} pieces`);
        const random = seededChoices(35);
        let changes = 0;
        // The same texels each time, of which 40 of each scene were right when the scenes were written.
        for (let texel = count(1, 4, 40); texel > 0; texel--) {
          const image = pick(random, images.keys().toArray().filter((each) => read[0].images[each]));
          const { level } = places[image], side = SIDE >> level;
          const [x, y] = [0, 1].map(() => pick(random, [...Array(side).keys()])), start = TEXEL * (y * side + x);
          const made = calls.find(({ out }) => out?.pImage === images[image])!.args.pCreateInfo.format;
          const format = formatOf(made, made === DEPTH ? "depth" : "color");
          // A program that ends amid a pass resolves there; the whole program does so at the end.
          const whole = read.map((_, at) => {
            const begin = roles.slice(0, at).lastIndexOf("begin"),
              isInside = begin > roles.slice(0, at).lastIndexOf("end");
            return isInside && resolved.includes(image) ? read[begin] : read[at];
          });
          const numbers = whole.map(({ images }) => numbersOf(images[image]!.slice(start, start + TEXEL), format));
          const { steps: found, unknown } = await recording.pixelHistory({ image: images[image], level, x, y });
          const own = found.filter(({ event }) => event.submission === submission);
          const first = own.findIndex(({ before }) => before.length > 0);
          const expected = actions.flatMap(({ id }, at) =>
            numbers[at].join() === numbers[at + 1].join() ? [] : [{ id, after: numbers[at + 1] }]
          );
          const seen = own.filter(({ before, after }, at) =>
            (at < first || first < 0 ? numbers[0] : before).join() !== after.join()
          )
            .map(({ event: { id }, after }) => ({ id, after }));
          assertEquals(seen, expected, `${what}: ${images[image]} level ${level} at ${x}, ${y}`);
          assertEquals(unknown, []);
          changes += seen.length;
        }
        assert(changes > 0);
      });
    });
  }
}
