import { assert, assertEquals, assertRejects } from "@std/assert";
import { lavapipePath, swiftshaderPath } from "../../../../tools/setup/parts.ts";
import { RecordingError } from "../../../../workbench/layers.ts";
import { pixelHistory } from "../../../../workbench/recordings/mod.ts";
import { openRecording } from "../../../../workbench/recordings/view/open_recording.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { recordScene, TEXEL } from "./scene.ts";

const SHAPE = { samples: 1, isDynamic: true, isSecondary: false, isIndirect: false } as const;
const LAYER = new URL("faulty_layer.ts", import.meta.url).pathname;
const SWIFTSHADER = { ...needs("SwiftShader", swiftshaderPath()), sanitizeOps: false, sanitizeResources: false };

/** Records the scene, and gives it with the name of the image that is drawn. */
async function withScene(driver: string, use: (path: string, image: string) => Promise<void>): Promise<void> {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/scene.jsonl`;
    recordScene(path, driver, SHAPE);
    const { events } = openRecording(path), made = events.find(({ name }) => name === "vkCreateImage")!;
    await use(path, made.call!.out!.pImage);
  });
}

Deno.test(
  "a fault of a driver is named at its draw: by the histories of both, and as the first difference",
  SWIFTSHADER,
  async () => {
    const driver = swiftshaderPath()!;
    await withScene(driver, async (path, image) => {
      Deno.env.set("FAULT", "scissor");
      try {
        await using recording = openRecording(path, { drivers: [{ driver }, { driver, layers: [LAYER] }] });
        const place = { image, ...TEXEL };
        const [good, bad] = [await recording.pixelHistory(place, 0), await recording.pixelHistory(place, 1)];
        const values = ({ steps }: typeof good) => steps.map(({ event, after }) => `${event.id} ${after}`);
        const parts = values(good).findIndex((each, index) => each !== values(bad)[index]);
        const [one, other] = [good.steps[parts], bad.steps[parts]];
        assertEquals([one.reason, one.after, other.changed, other.after], ["scissor", [255, 0, 0, 255], true, [
          0,
          255,
          0,
          255,
        ]]);
        assertEquals((await recording.firstDifference())?.id, one.event.id);
        const [left, right] = [
          await recording.contents(one.event.id),
          await recording.contents(one.event.id, { side: 1 }),
        ];
        const differs = left.filter(({ piece, bytes }, index) => {
          assertEquals(piece.name, right[index].piece.name);
          return bytes.join() !== right[index].bytes.join();
        });
        assert(differs.some(({ piece }) => piece.resource === image));
        const identities = await recording.drivers();
        assertEquals(identities[0], identities[1]);
      } finally {
        Deno.env.delete("FAULT");
      }
    });
  },
);

Deno.test("a driver's process that dies is told, and the next request starts another", SWIFTSHADER, async () => {
  const driver = swiftshaderPath()!;
  await withScene(driver, async (path) => {
    await using recording = openRecording(path, { drivers: [{ driver, layers: [LAYER] }] });
    const { id } = recording.events.findLast(({ kind }) => kind === "draw")!;
    Deno.env.set("FAULT", "end");
    try {
      const words = /crashed, signal SIGKILL.*the next request starts another/;
      const error = await assertRejects(() => recording.contents(id), RecordingError);
      assert(words.test(error.message), error.message);
    } finally {
      Deno.env.delete("FAULT");
    }
    assert((await recording.contents(id)).length > 0);
    const refused = assertRejects(() => recording.contents(id - 1, { before: true }), TypeError, "was closed");
    await recording.close();
    await refused;
  });
});

for (const [name, driver] of [["Mesa lavapipe", lavapipePath()], ["SwiftShader", swiftshaderPath()]] as const) {
  Deno.test(`times() has a time of each action, and passes take as long as what is inside, on ${name}`, {
    ...needs(name, driver),
    sanitizeOps: false,
    sanitizeResources: false,
  }, async () => {
    await withScene(driver!, async (path, image) => {
      await using recording = openRecording(path, { drivers: [{ driver: driver! }] });
      const times = await recording.times(), { events } = recording;
      const timed = events.filter(({ isAction, name }) => isAction && !/^vkCmdEnd/.test(name));
      assertEquals([...times.keys()].sort((one, other) => one - other), timed.map(({ id }) => id));
      assert([...times.values()].every((time) => time >= 0 && time < 60_000));
      const pass = events.find(({ kind, inside }) => kind === "pass" && inside > 0)!;
      const inside = timed.filter(({ id }) => id > pass.id && id <= pass.id + pass.inside);
      const sum = inside.reduce((total, { id }) => total + times.get(id)!, 0);
      assert(sum <= times.get(pass.id)! * 1.01 + 0.01, `${sum} in ${times.get(pass.id)}`);
      const history = await pixelHistory(path, { image, x: 0, y: 0, driver: driver! });
      assert(history.steps.length > 0);
    });
  });
}
