import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { main } from "../../../../cli.ts";
import { Queue } from "../../../../workbench/runs/queue/connect.ts";
import { natsServerPath, opensslPath } from "../../../../tools/setup/parts.ts";
import { modulesOf } from "../../../support/module_graph.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";
import { NatsServer } from "./nats_server.ts";
import { leftOf, StandIn } from "./stand_in_worker.ts";

const FAKE = new URL("../../../fixtures/fake_deqp.sh", import.meta.url).pathname;
const NATS = needs("NATS server", natsServerPath());

async function run(...args: string[]): Promise<{ readonly code: number; readonly warned: string }> {
  const warned: string[] = [], code = await main(args, () => {}, { warn: (text) => warned.push(text) });
  return { code, warned: warned.join("\n") };
}

/** Runs a list over a queue. */
function over(url: string, ...args: string[]): Promise<{ readonly code: number; readonly warned: string }> {
  return withFolderAsync((folder) => {
    Deno.writeTextFileSync(`${folder}/list`, "a.pass1\na.pass2\n");
    return run("deqp", `${folder}/list`, `--command=${FAKE}`, `--queue=${url}`, ...args);
  });
}

/** The words of a refusal, and its exit code. */
async function refused(
  ran: Promise<{ readonly code: number; readonly warned: string }>,
  code: number,
  ...words: string[]
) {
  const { code: found, warned } = await ran;
  for (const each of words) assertStringIncludes(warned, each);
  assertEquals(found, code, warned);
}

Deno.test("no server, and what is no address of one, are refused with what to do", NATS, async () => {
  const server = await NatsServer.start(), { url } = server;
  await server[Symbol.asyncDispose]();
  await refused(over(url), 2, `No queue's server answers at ${url}`, "`nats-server -js`");
  await refused(run("worker", `--queue=${url}`), 2, "No queue's server answers");
  await refused(over("http://127.0.0.1:1"), 2, '"http://127.0.0.1:1" is no address of a queue');
  await refused(run("worker"), 2, "--queue is missing");
  await refused(over("nats://127.0.0.1:1", "--for=lvp"), 2, '--for: "lvp" asks for nothing; give such as driver=lvp');
  await refused(over("nats://127.0.0.1:1", "--credentials=/nowhere"), 2, '--credentials: "/nowhere" is not there');
});

Deno.test("wrong credentials are refused, right ones are not, and no message has the password", NATS, async () => {
  await using server = await NatsServer.start({ words: ["--user", "ann", "--pass", "secret"] });
  await refused(
    over(server.urlOf("ann:wrong")),
    2,
    "refuses the user",
    "--queue=nats://USER:PASSWORD@HOST",
    `at ${server.url}`,
  );
  await refused(over(server.url), 2, "refuses the user");
  const { code, warned } = await over(server.urlOf("ann:secret"));
  assertEquals(code, 2);
  assertStringIncludes(warned, "No worker is there for any driver: start one with `pumice worker --queue=…`");
  assert(!warned.includes("secret"));
});

Deno.test("addresses that cannot be meant are refused, and the password is not told", async () => {
  const addresses = [
    "nats//localhost:4222",
    "localhost:4222",
    "http://localhost:4222",
    "nats://localhost:99999",
    "nats://localhost:4222/path",
    "nats://localhost:4222?x=1",
    "nats://100%:secret@localhost:4222",
    "nats://ann:secret/@localhost:4222",
  ];
  for (const each of addresses) {
    const { code, warned } = await over(each);
    assertEquals(code, 2, each);
    assertMatch(warned, /^deqp: --queue: "[^"]*" is no address of a queue; give such as nats:\/\/host:4222/);
    assert(!warned.includes("secret"), warned);
  }
});

Deno.test("what listens at an address and is no queue's server is told from no server", async () => {
  const say = async (first: string) => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const taken = listener.accept().then(async (connection) => {
      await connection.write(new TextEncoder().encode(first)).catch(() => {});
      connection.close();
    });
    const { port } = listener.addr as Deno.NetAddr, refusal = await over(`nats://127.0.0.1:${port}`);
    await taken;
    return refusal;
  };
  for (const first of ["", "HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-other\r\n"]) {
    const { code, warned } = await say(first);
    assertEquals(code, 2, warned);
    assertMatch(warned, /(No queue's server answers|does not answer as a queue's server)/);
    assert(!warned.includes("undefined"), warned);
  }
});

Deno.test("TLS that is set up on one side, or for another host, is refused with what to do", {
  ...NATS,
  ignore: NATS.ignore || needs("OpenSSL", opensslPath()).ignore,
}, () =>
  withFolderAsync(async (folder) => {
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    const files = ["-keyout", `${folder}/own.key`, "-out", `${folder}/own.pem`];
    const names = ["-subj", "/CN=queue.lab", "-addext", "subjectAltName=DNS:queue.lab"];
    const { success } = await new Deno.Command(opensslPath()!, { args: ["req", "-x509", ...key, ...names, ...files] })
      .output();
    assert(success);
    const own = `--authority=${folder}/own.pem`;
    await using plain = await NatsServer.start();
    const tls = plain.url.replace("nats:", "tls:");
    await refused(over(tls), 2, `The server at ${tls} has no TLS: give nats://`);
    await refused(over(plain.url, own), 2, "has no TLS: give nats:// and no --authority");
    await refused(over(plain.url, `--authority=${folder}/own.key`), 2, "own.key", "has no certificate in PEM");
    Deno.writeTextFileSync(`${folder}/empty`, "");
    await refused(
      over(plain.url, `--credentials=${folder}/empty`),
      2,
      "--credentials:",
      "has no credentials of a NATS user",
    );
    const configuration = `tls { cert_file: "${folder}/own.pem", key_file: "${folder}/own.key" }`;
    await using locked = await NatsServer.start({ configuration });
    await refused(over(locked.url), 2, "is not accepted", "give --authority=FILE");
    await refused(over(locked.url, own), 2, "is not accepted", "a host that the server's certificate names");
  }));

Deno.test("options that would be ignored, contradict each other or cannot be meant are refused", async () => {
  const url = "nats://127.0.0.1:1",
    refusals: [string[], string][] = [
      [["worker", `--queue=${url}`, "--slots=0"], '--slots: "0" is not a whole number from 1 to 256'],
      [["worker", `--queue=${url}`, "--slots=1000000000"], "is not a whole number from 1 to 256"],
      [["worker", `--queue=${url}`, "--tag=os=other"], '--tag: a worker tells "os" by itself'],
      [["worker", `--queue=${url}`, "--tag=soc=x", "--tag=soc=y"], '--tag: "soc" is given twice'],
      [["worker", `--queue=${url}`, "--tag=soc=x,y"], "a name and a value without commas"],
      [["worker", `--queue=${url}`, "--tag=soc=x\ny"], "is no tag"],
    ];
  for (const [args, said] of refusals) {
    const { code, warned } = await run(...args);
    assertEquals(code, 2);
    assertStringIncludes(warned, said);
  }
  await refused(over(url, "--retries=-1"), 2, '--retries: "-1" is not a whole number of 0 or more');
  await refused(over(url, "--patience=1000000"), 2, "is not a whole number from 1 to 86400");
  await refused(over(url, "--for=driver=lvp,driver=radv"), 2, "no worker has driver=lvp and driver=radv");
  await withFolderAsync(async (folder) => {
    Deno.writeTextFileSync(`${folder}/list`, "a.pass1\n");
    Deno.writeTextFileSync(`${folder}/list.ts`, "");
    for (const option of ["--join=x", "--leave", "--for=driver=lvp", "--patience=3", "--key=file"]) {
      const ran = run("deqp", `${folder}/list`, `--command=${FAKE}`, option);
      await refused(ran, 2, `${option.split("=")[0]} is for a run over a queue`);
      await refused(run("test", `${folder}/list.ts`, option), 2, "is for a run over a queue");
    }
  });
});

Deno.test("a server without JetStream is refused with what to do", NATS, async () => {
  await using server = await NatsServer.start({ hasJetStream: false });
  await refused(over(server.url), 1, "has no JetStream: start it with `nats-server -js`");
  await refused(run("worker", `--queue=${server.url}`), 1, "has no JetStream");
});

Deno.test("a driver that nobody has, and workers of another version, are refused with who is there", NATS, async () => {
  await using server = await NatsServer.start();
  const queue = await Queue.open({ url: server.url });
  try {
    await using _old = new StandIn(queue, {}, { version: "0.0.1", tags: { soc: "x" } });
    await refused(
      over(server.url, "--for=driver=stand-in"),
      1,
      "The only workers with driver=stand-in are of Pumice 0.0.1",
    );
    await refused(
      ...[over(server.url, "--for=driver=adreno,soc=y"), 2] as const,
      ...[
        "No worker has driver=adreno soc=y: there are workers with stand-in, with the tags soc=x",
        "pumice worker --queue=…",
      ],
    );
    assertEquals((await leftOf(queue)).filter((each) => each.startsWith("PUMICE_")), []);
  } finally {
    await queue.close();
  }
});

Deno.test("a worker without a driver that works says why each was left out, in words", NATS, async () => {
  await using server = await NatsServer.start();
  const ran = run("worker", `--queue=${server.url}`, "--driver=/nowhere.so");
  await refused(ran, 2, 'the driver nowhere is left out: Cannot use "/nowhere.so"', "name one with --driver=");
});

Deno.test("a store that is full is refused with what to do, and nothing of the run is left", NATS, async () => {
  const configuration = "jetstream { max_file_store: 60KB }";
  await using server = await NatsServer.start({ configuration });
  const queue = await Queue.open({ url: server.url });
  try {
    await using _worker = new StandIn(queue, {});
    await withFolderAsync(async (folder) => {
      const names = Array.from({ length: 5000 }, (_, at) => `a.group.with.a.long.name.pass${at}`);
      Deno.writeTextFileSync(`${folder}/list`, names.join("\n"));
      const ran = run("deqp", `${folder}/list`, `--command=${FAKE}`, `--queue=${server.url}`);
      await refused(ran, 1, "The queue's server has no room", "give it a larger store (max_file_store)");
    });
    assertEquals((await leftOf(queue)).filter((each) => !each.startsWith("KV_")), []);
  } finally {
    await queue.close();
  }
});

Deno.test(
  "a program that is not on the worker's machine is each case's verdict, with the worker's name",
  NATS,
  async () => {
    await using server = await NatsServer.start();
    const queue = await Queue.open({ url: server.url }),
      { deqpHandler } = await import("../../../../workbench/runs/queue/deqp_handler.ts");
    try {
      await withFolderAsync(async (folder) => {
        await using _worker = new StandIn(queue, { deqp: deqpHandler(folder) });
        Deno.writeTextFileSync(`${folder}/list`, "a.pass1\n");
        const lines: string[] = [],
          args = [`${folder}/list`, "--command=/nowhere/deqp-vk", `--queue=${server.url}`, "--retries=0"];
        assertEquals(await main(["deqp", ...args], (text) => lines.push(text), { warn() {} }), 1);
        assertStringIncludes(lines.join("\n"), 'failed: "/nowhere/deqp-vk" of --command cannot be started here');
      });
    } finally {
      await queue.close();
    }
  },
);

Deno.test("the modules of the queue are loaded by --queue and worker alone", () => {
  const entries = ["cli.ts", "cli/deqp/command.ts", "cli/test/command.ts", "cli/commands/deqp.ts"];
  const found = entries.flatMap((each) => [...modulesOf(each)]);
  assertEquals(found.filter((each) => each.includes("workbench/runs/queue/") || each.includes("@nats-io")), []);
  assert(
    [...modulesOf("cli/queue/deqp_over_queue.ts")].some((each) => each.includes("workbench/runs/queue/connect.ts")),
  );
});
