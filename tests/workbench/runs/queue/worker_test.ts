import { assert, assertEquals, assertMatch } from "@std/assert";
import { loadVulkan } from "../../../../loader/mod.ts";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import type { Handler } from "../../../../workbench/runs/queue/worker_options.ts";
import { delay } from "../../../../workbench/runs/queue/patience.ts";
import { runOverQueue, startRun } from "../../../../workbench/runs/queue/over_queue.ts";
import { handlersOf } from "../../../../cli/queue/worker_main.ts";
import { driverFor, unitsOf, workersThere } from "../../../../workbench/runs/queue/workers.ts";
import { lavapipePath, natsServerPath } from "../../../../tools/setup/parts.ts";
import { commandLine } from "../../../support/command_line.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { NatsServer } from "./nats_server.ts";
import { StandIn, standInCard, untilNothingIsLeft } from "./stand_in_worker.ts";
import { until } from "../../../support/until.ts";

const ROOT = new URL("../../../../", import.meta.url).pathname, FAKE = `${ROOT}tests/fixtures/fake_deqp.sh`;
const NATS = needs("NATS server", natsServerPath());

function driver(name: string, uuid: string) {
  return {
    name,
    path: `/lib/${name}.so`,
    devices: [{ name: `Device of ${name}`, uuid, driverVersion: 1, api: "1.3.0" }],
  };
}

Deno.test("a worker announces its drivers and devices, takes tasks for those alone, and drains on SIGTERM", {
  ...NATS,
  ignore: NATS.ignore || needs("Mesa lavapipe", lavapipePath()).ignore,
}, () =>
  withFolderAsync(async (folder) => {
    await using server = await NatsServer.start();
    const queue = await Queue.open({ url: server.url });
    const child = new Deno.Command(Deno.execPath(), {
        args: [
          ...[
            "run",
            "-A",
            "--quiet",
            "--no-check",
            "--import-map",
            `${ROOT}tools/offline_import_map.json`,
            `${ROOT}cli.ts`,
          ],
          ...["worker", `--queue=${server.url}`, `--driver=${lavapipePath()}`, "--tag=soc=x"],
        ],
        env: { TMPDIR: folder },
        stdout: "piped",
      }).spawn(),
      output = new Response(child.stdout).text();
    try {
      await until("the worker is there", async () => (await workersThere(queue)).length === 1);
      const [card] = await workersThere(queue), [{ name, devices: [device] }] = card.drivers;
      using vulkan = loadVulkan({ driver: lavapipePath()! });
      using instance = vulkan.vkCreateInstance({});
      const [gpu] = instance.vkEnumeratePhysicalDevices(),
        { deviceName, driverVersion } = gpu.vkGetPhysicalDeviceProperties();
      assertEquals([name, device.name, device.driverVersion, card.tags], ["lvp", deviceName, driverVersion, {
        soc: "x",
      }]);
      assertMatch(device.uuid, /^[0-9a-f]{32}$/);
      assertEquals([card.pid, card.os, card.arch], [child.pid, Deno.build.os, Deno.build.arch]);
      Deno.writeTextFileSync(`${folder}/list`, Array.from({ length: 30 }, (_, at) => `a.slow${at}\n`).join(""));
      const args = [
        `${folder}/list`,
        `--command=${FAKE}`,
        `--queue=${server.url}`,
        "--for=driver=lvp,soc=x",
        "--retries=0",
      ];
      const ran = commandLine("deqp", ...args);
      await until("the worker works", () => isAtWork(queue));
      child.kill("SIGTERM");
      assertEquals((await child.status).code, 0);
      assertEquals(await workersThere(queue), []);
      await using _other = new StandIn(queue, handlersOf(folder), { drivers: card.drivers, tags: card.tags });
      const { code, text } = await ran;
      assertEquals(
        [code, text.split("\n").slice(1)],
        [0, ["30 cases: 30 passed", "The run passed"]],
        "another worker does the rest",
      );
      assertMatch(await output, /: lvp \(.*\), soc=x\n.*: drained\n$/);
      assertEquals(
        [...Deno.readDirSync(folder)].map((each) => each.name),
        ["list"],
      );
    } finally {
      await queue.close();
    }
  }));

Deno.test(
  "a worker runs one task at a time on a device, also by two drivers of that device, and more if --slots says so",
  NATS,
  async () => {
    await using server = await NatsServer.start();
    const queue = await Queue.open({ url: server.url }),
      tasks = Array.from({ length: 12 }, (_, at) => ({ key: `${at}`, work: at }));
    const drivers = [driver("one", "00"), driver("two", "00"), driver("three", "01")];
    const most = async (slots: number) => {
      const running = new Map<string, number>();
      let found = 0;
      const handler: Handler = async ({ pieces, driver: { devices: [{ uuid }] } }, { ended }) => {
        running.set(uuid, (running.get(uuid) ?? 0) + 1);
        found = Math.max(found, ...running.values());
        await delay(30);
        running.set(uuid, running.get(uuid)! - 1);
        for (const { key, work } of pieces) ended({ name: key, status: "Pass", message: `${work}` });
      };
      await using _worker = new StandIn(queue, { count: handler }, { drivers, slots });
      await until("the worker is there", async () => (await queue.keysOf("pumice_workers")).length > 0);
      const groups = ["one", "two", "three"].map((each) => ({ driver: each }));
      const run = await startRun(queue, { kind: "count", common: null, groups, retries: 0, patience: 5000 });
      const how = { groupOf: ({ work }: { work: number }) => work % 3, size: 1, warn() {} };
      const outcome = await runOverQueue(run, tasks, how, { retries: 0 });
      assertEquals(
        outcome!.results.map(({ name, message }) => `${name} ${message}`),
        tasks.map(({ key }) => `${key} ${key}`),
      );
      return found;
    };
    try {
      assertEquals(unitsOf(drivers).map((unit) => unit.drivers.map(({ name }) => name)), [["one", "two"], ["three"]]);
      assertEquals(await most(1), 1);
      assert(await most(2) === 2);
      await untilNothingIsLeft(queue);
    } finally {
      await queue.close();
    }
  },
);

Deno.test("requirements are met by drivers, devices, UUIDs, the system and tags", () => {
  const card = standInCard({ drivers: [driver("lvp", "0a"), driver("radv", "0b")], tags: { soc: "x" } });
  const name = (wanted: Record<string, string>) => driverFor(wanted, card)?.name;
  assertEquals([name({}), name({ driver: "radv" }), name({ device: "of radv" }), name({ uuid: "0b" })], [
    "lvp",
    "radv",
    "radv",
    "radv",
  ]);
  assertEquals([name({ soc: "x", driver: "lvp" }), name({ os: Deno.build.os })], ["lvp", "lvp"]);
  assertEquals([name({ soc: "y" }), name({ board: "x" }), name({ driver: "lvp", uuid: "0b" })], [
    undefined,
    undefined,
    undefined,
  ]);
});

/** Whether a task is with a worker. */
async function isAtWork({ manager }: Queue): Promise<boolean> {
  for await (const { config: { name } } of manager.streams.list()) {
    if (!name.startsWith("PUMICE_TASKS_")) continue;
    const info = await manager.consumers.info(name, "class_0").catch(() => undefined);
    if (info && info.num_ack_pending > 0) return true;
  }
  return false;
}
