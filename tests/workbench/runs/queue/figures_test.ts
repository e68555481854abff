import { assertEquals } from "@std/assert";
import { natsServerPath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { NatsServer } from "./nats_server.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname, WORKERS = 8;
/** The number of cases of the larger run. */
const MANY = Number(Deno.env.get("PUMICE_QUEUE_MANY") ?? 200_000);

/** The most difference in MiB of what is in use, and of what the system gave. */
const LIVE = 16, RESIDENT = 16;

/** The output of programs/nothing.ts. */
interface Told {
  readonly passed: number;
  readonly perSecond: number;
  readonly after: Memory;
}

/** The words of programs/nothing.ts about its memory, in MiB. */
interface Memory {
  readonly live: number;
  readonly resident: number;
}

function program(...args: (string | number)[]): Deno.ChildProcess {
  const flags = ["-A", "--quiet", "--no-check", "--import-map", `${ROOT}tools/offline_import_map.json`];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, `${ROOT}tests/workbench/runs/queue/programs/nothing.ts`, ...args.map(String)],
    stdin: "null",
    stdout: "piped",
  }).spawn();
}

async function linesOf(child: Deno.ChildProcess) {
  const { code, stdout } = await child.output();
  assertEquals(code, 0);
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Cases that cost nothing, over workers in a process of their own: what both sides say of their memory. */
async function run(cases: number): Promise<{ readonly told: Told; readonly worker: Memory }> {
  await using server = await NatsServer.start();
  const workers = program("worker", server.url, WORKERS, 0);
  const told: Told = await linesOf(program("run", server.url, cases, 500, WORKERS));
  workers.kill("SIGTERM");
  return { told, worker: await linesOf(workers) };
}

Deno.test(
  `memory is the same for 10000 and for ${MANY} queued cases, on both sides`,
  needs("NATS server", natsServerPath()),
  async () => {
    const few = await run(10_000), many = await run(MANY);
    console.log(JSON.stringify({ few, many }));
    assertEquals([few.told.passed, many.told.passed], [10_000, MANY]);
    const sides = [[few.told.after, many.told.after], [few.worker, many.worker]] as const;
    for (const [one, other] of sides) {
      const far = [Math.abs(one.live - other.live) >= LIVE, Math.abs(one.resident - other.resident) >= RESIDENT];
      assertEquals(far, [false, false], JSON.stringify({ one, other }));
    }
  },
);
