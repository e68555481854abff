import { assert, assertEquals } from "@std/assert";
import { natsServerPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import { KeptFindings } from "../../../../workbench/programs/campaign/kept_findings.ts";
import { NatsServer } from "./nats_server.ts";
import { conversation } from "./simulation/conversation.ts";
import { HOUR } from "./simulation/fleet.ts";
import { FalseClock, Machine } from "./simulation/false_clock.ts";
import { countsOf, differencesOf, simulate, type Simulated, type Simulation } from "./simulation/simulate.ts";
import { SimulatedQueue } from "./simulation/simulated_queue.ts";
import { SimulatedServer } from "./simulation/simulated_server.ts";

const PAIRS = [["a", "b"], ["a", "c"]] as const, RUN = { machines: 8, runs: 2, hours: 4, pairs: PAIRS };

/** Simulates a campaign, whose file has to be what its programs show: each one counted once. */
function simulated(
  more: Pick<Simulation, "seed"> & Partial<Simulation>,
  look: (done: Simulated, kept: KeptFindings) => void,
): Promise<void> {
  return withFolderAsync(async (folder) => {
    const done = await simulate({ ...RUN, folder, ...more }), { findings } = done, seed = `seed ${more.seed}`;
    for (const drivers of PAIRS) assertEquals(countsOf(findings, drivers), differencesOf(drivers, done.kept), seed);
    assertEquals(new Set(done.told).size, done.told.length, seed);
    assertEquals(done.told.length, findings.length, seed);
    look(done, new KeptFindings(folder));
  });
}

Deno.test("a campaign loses and repeats nothing while simulated machines join, die, freeze and return", () => {
  const seed = crypto.getRandomValues(new Uint32Array(1))[0];
  return simulated({ seed, good: 3 * HOUR }, ({ fleet, runs, kept }) => {
    assert(fleet.died + fleet.froze > 0, `seed ${seed}`);
    const tried = runs.reduce((sum, { programs }) => sum + programs, 0);
    const left = PAIRS.reduce((sum, drivers) => sum + kept.left(drivers), 0);
    assertEquals(PAIRS.reduce((sum, drivers) => sum + kept.next(drivers), 0), tried + left, `seed ${seed}`);
  });
});

Deno.test("a block of programs that is not done keeps no pair back, and is tried first by the next run", async () => {
  let left = 4; // each run tries twice: the first simulation's, and the first run of the second one
  const fails = (drivers: readonly string[], first: number) => drivers[1] === "b" && first === 40 && left-- > 0;
  const options = { seed: 1, good: 0, joins: false, runs: 1 };
  await simulated({ ...options, fails }, ({ runs: [{ programs, undone }], kept }) => {
    const all = kept.next(["a", "c"]);
    assertEquals(undone, ["not done: a and b: seeds 40 to 59: the driver is busy"]);
    assertEquals([kept.next(["a", "b"]), programs], [all, 2 * all - 20]);
    assertEquals([kept.left(["a", "b"]), kept.left(["a", "c"])], [20, 0]);
    assertEquals(kept.wanted(["a", "b"], 30), [{ first: 40, count: 20 }, { first: all, count: 10 }]);
  });
  await simulated({ ...options, fails, runs: 2 }, ({ runs: [{ programs }, next], kept }) => {
    assertEquals([next.programs, next.undone], [programs + 20, []]);
    assertEquals([kept.next(["a", "b"]), kept.left(["a", "b"])], [kept.next(["a", "c"]) - 20, 0]);
  });
});

Deno.test(
  "the simulated server answers workers and runs as NATS does",
  needs("NATS server", natsServerPath()),
  async () => {
    await using server = await NatsServer.start();
    const real = await Queue.open({ url: server.url }), wanted = await conversation(real).finally(() => real.close());
    using clock = new FalseClock();
    const answers: unknown[] = [], queue = new SimulatedQueue(new SimulatedServer(clock));
    clock.on(new Machine("worker"), () => void conversation(queue).then((said) => answers.push(said)));
    await clock.until(() => answers.length > 0);
    assertEquals(answers[0], wanted);
  },
);
