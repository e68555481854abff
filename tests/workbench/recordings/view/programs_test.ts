/**
 * Histories of what real programs draw: each history of a texel is compared with replays of their own that end at each
 * action.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { loadVulkan } from "../../../../loader/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { pick, seededChoices } from "../../../../workbench/programs/choices.ts";
import { openRecording } from "../../../../workbench/recordings/view/open_recording.ts";
import { numbersOf, texelBytes } from "../../../../workbench/recordings/view/texel.ts";
import { formatOf } from "../../../../loader/texels/format.ts";
import { NEEDS_PROGRAMS } from "../../layer_server/programs.ts";
import { exec } from "../../../cli/layer_server/exec.ts";
import { count } from "../../../support/counts.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { startXServer } from "../../../support/x_server.ts";
import { freshContents } from "./fresh_contents.ts";

const driver = lavapipePath()!;
const ZINK = { GALLIUM_DRIVER: "zink", LIBGL_ALWAYS_SOFTWARE: "1", MESA_LOADER_DRIVER_OVERRIDE: "zink" };
const MPV =
  "--no-config --vo=gpu-next --gpu-api=vulkan --vulkan-device={device} --frames=4 av://lavfi:testsrc=size=64x48:rate=25";
/** Ends glxgears, which has no end of its own and takes all processors, when the frames that are kept are recorded. */
const UNTIL_RECORDED = `glxgears & gears=$!
until (( 10#0$(grep -cs '"command":"vkQueuePresentKHR"' "$HOME/part.jsonl.whole") > 3 )); do sleep 0.1; done
kill $gears; wait $gears`;
/** Programs, the frames that are kept, and variables. */
const PROGRAMS: Readonly<
  Record<string, readonly [line: readonly string[], frames: string, env: Readonly<Record<string, string>>]>
> = {
  vkcube: [["vkcube", "--c", "4"], "2..3", {}],
  "libplacebo in mpv": [["mpv", ...MPV.split(" ")], "2..2", {}],
  "glxgears on zink": [["timeout", "60", "bash", "-c", UNTIL_RECORDED], "3..3", ZINK],
};
/** The words of a line, with the name of the device, which has spaces. */
function wordsOf(line: readonly string[]): string[] {
  using vulkan = loadVulkan({ driver });
  using instance = vulkan.vkCreateInstance({});
  const { deviceName } = instance.vkEnumeratePhysicalDevices()[0].vkGetPhysicalDeviceProperties();
  return line.map((word) => word.replace("{device}", deviceName));
}

/** The most actions of which each gets a replay of its own, and the most texels of which none changes. */
const MOST = 80;

for (const [name, [line, frames, env]] of Object.entries(PROGRAMS)) {
  Deno.test(`histories of what ${name} draws are those of replays up to each action`, {
    ...NEEDS_PROGRAMS,
    sanitizeOps: false,
    sanitizeResources: false,
  }, async () => {
    await using server = await startXServer();
    await withFolderAsync(async (folder) => {
      const path = `${folder}/part.jsonl`,
        random = seededChoices(35),
        own = { ...env, DISPLAY: server.display, HOME: folder };
      const { stdout, stderr } = exec(
        folder,
        [`--record=${path}`, `--frames=${frames}`, "--", ...wordsOf(line)],
        own,
      );
      await using recording = openRecording(path, { drivers: [{ driver }] });
      const actions = recording.events.filter(({ isAction }) => isAction).slice(0, MOST);
      assert(actions.length > 1, `${stdout}${stderr}`);
      const all = [{ submission: 0, actions: 0 }, ...actions].map((event) => freshContents(driver, path, event));
      const drawn = recording.events.filter(({ kind }) => kind === "draw").flatMap(({ id }) =>
        recording.pieces(id).readable.filter(({ image }) => image && image.samples === 1)
      );
      const pieces = [...Map.groupBy(drawn, (piece) => piece.name).values()].map(([piece]) => piece);
      let changes = 0;
      const wanted = count(1, 4, 40); // the same texels each time, of which 40 were right
      // Backgrounds are cleared to what they were: more texels are looked at until one of them changes.
      for (let index = 0; index < wanted || changes === 0 && index < MOST; index++) {
        const { resource, image } = pick(random, pieces), { level, width, height, aspect, layers } = image!;
        const format = formatOf(image!.format, aspect),
          [x, y] = [width, height].map((each) => pick(random, [...Array(each).keys()]));
        const place = { image: resource, level, layer: layers[0], x, y, aspect };
        const numbers = all.map((contents) =>
          numbersOf(texelBytes([...contents.values()] as never, { ...place, z: 0, sample: 0 } as never), format)
        );
        const expected = actions.flatMap(({ id }, at) =>
          numbers[at].length === 0 || numbers[at].join() === numbers[at + 1].join()
            ? []
            : [{ id, before: numbers[at], after: numbers[at + 1] }]
        );
        const last = actions.at(-1)!.id, { steps } = await recording.pixelHistory(place);
        const found = steps.filter(({ event: { id }, before, after }) =>
          id <= last && before.length > 0 && before.join() !== after.join()
        ).map(({ event: { id }, before, after }) => ({ id, before, after }));
        assertEquals(found, expected, `${resource} level ${level} ${aspect} at ${x}, ${y}`);
        changes += expected.length;
      }
      assert(changes > 0, `no texel of ${MOST} changed`);
      console.log(
        `${name}: the histories of ${wanted} texels with ${changes} changes in ${actions.length} actions are right`,
      );
    });
  });
}
