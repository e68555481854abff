import { assert, assertEquals, assertRejects } from "@std/assert";
import { compareDrivers } from "../../../../workbench/recordings/mod.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { recordDemo } from "../replay/recorded.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const LAYER = new URL("programs/planted_layer.ts", import.meta.url).pathname;

Deno.test(
  "compareDrivers() goes on where it was cut off, and comes to the same",
  needs("Mesa lavapipe", lavapipePath()),
  async () => {
    await withFolderAsync(async (folder) => {
      const driver = lavapipePath()!, recording = `${folder}/demo.jsonl`, resume = `${folder}/progress`;
      const drivers = [{ driver }, { driver, layers: [LAYER] }] as const;
      recordDemo(recording, driver);
      Deno.env.set("PLANT", JSON.stringify({ command: "vkCmdDraw", nth: 0, change: "drop" }));
      let submissions = 0;
      const cuts: number[] = [], onSubmission = () => void submissions++;
      const onCut = ({ actions }: { actions: number }) => {
        cuts.push(actions);
        if (cuts.length === 3) throw new Error("cut off");
      };
      await assertRejects(() => compareDrivers(recording, drivers, { resume, onCut, onSubmission }), Error, "cut off");
      const [seen, ...earlier] = [submissions, ...cuts.slice(0, 2)];
      const resumed = await compareDrivers(recording, drivers, { resume, onCut, onSubmission });
      assertEquals([submissions, cuts.slice(3).filter((each) => earlier.includes(each))], [seen, []]);
      assert(cuts.length > 3);
      assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["demo.jsonl", "demo.jsonl.data"]);

      const whole = await compareDrivers(recording, drivers);
      assertEquals(resumed.finding?.action, whole.finding?.action);
      assertEquals([resumed.submissions, resumed.replays], [whole.submissions, whole.replays]);
    });
  },
);
