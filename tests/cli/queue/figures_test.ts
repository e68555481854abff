import { assert, assertEquals } from "@std/assert";
import { natsServerPath } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { NatsServer } from "./nats_server.ts";

const ROOT = new URL("../../../", import.meta.url).pathname, WORKERS = 8;
/** How many cases the larger run has. */
const MANY = Number(Deno.env.get("PUMICE_QUEUE_MANY") ?? 200_000);

/** What programs/nothing.ts prints. */
interface Told {
  readonly passed: number;
  readonly perSecond: number;
  readonly before: { readonly live: number };
  readonly after: { readonly live: number; readonly most: number };
}

function program(...args: (string | number)[]): Deno.ChildProcess {
  const flags = [
    "-A",
    "--quiet",
    "--no-check",
    "--v8-flags=--expose-gc",
    "--import-map",
    `${ROOT}tools/offline_import_map.json`,
  ];
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...flags, `${ROOT}tests/cli/queue/programs/nothing.ts`, ...args.map(String)],
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
async function run(cases: number): Promise<{ readonly told: Told; readonly worker: { readonly live: number } }> {
  await using server = await NatsServer.start();
  const workers = program("worker", server.url, WORKERS, 0);
  const told: Told = await linesOf(program("run", server.url, cases, 500, WORKERS));
  workers.kill("SIGTERM");
  return { told, worker: await linesOf(workers) };
}

Deno.test(
  `memory in use is the same for 10000 and for ${MANY} queued cases, on both sides`,
  needs("NATS server", natsServerPath()),
  async () => {
    const few = await run(10_000), many = await run(MANY);
    console.log(JSON.stringify({ few, many }));
    assertEquals([few.told.passed, many.told.passed], [10_000, MANY]);
    const sides = [[few.told.after, many.told.after], [few.worker, many.worker]] as const;
    for (const [one, other] of sides) {
      assert(
        Math.abs(one.live - other.live) < 16,
        `${one.live} MiB and ${other.live} MiB`,
      );
    }
  },
);
