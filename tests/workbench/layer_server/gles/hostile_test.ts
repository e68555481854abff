import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { writeGlesLayerFiles } from "../../../../workbench/layer_server/gles/gles_kind.ts";
import { serveGlesLayers } from "../../../../workbench/gles_layers.ts";
import { defineGlesLayer } from "../../../../egl/mod.ts";
import { newKeys, placeWith } from "../../../../workbench/layer_server/keys.ts";
import { GREETING, KEY_SIZE, ORDER, WELCOME } from "../../../../workbench/layer_server/messages.ts";
import { socketAddress } from "../../../../workbench/layer_server/server/socket_address.ts";
import { serveLayers } from "../../../../workbench/layers.ts";
import { greetingWith, keyInFile, portOf, random } from "../fake_program.ts";
import { compileProgram } from "../../../support/compile.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const APP = Deno.build.arch === "x86_64" ? compileProgram("gles_elsewhere") : undefined;
const NEEDS = needs("x86-64 and a C compiler", APP);
const GONE = "pumice: the process with the layers does not answer; the program goes on without them\n";

/** Runs the tests' program with a library. */
async function outcome(library: string) {
  const command = new Deno.Command("timeout", { args: ["60", APP!, library, "arguments"], stdin: "null" });
  const { code, stdout, stderr } = await command.output();
  const [out, said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out, said };
}

Deno.test(
  "serveGlesLayers({ listen }) outlives 10,000 random messages, hears nobody without the key, and says who that was",
  NEEDS,
  () =>
    withFolderAsync(async (folder) => {
      const log: string[] = [], seen: unknown[][] = [];
      const layer = defineGlesLayer({
        name: "seeing",
        commands: {
          glBlendColor(next, ...args) {
            seen.push(args);
            next(...args);
          },
        },
      });
      const spec = { layers: [layer], listen: "tcp:127.0.0.1:0", log: (text: string) => void log.push(text) };
      await using server = await serveGlesLayers(spec);
      const key = keyInFile(server.library), { address } = server;
      for (let round = 0; round < 100; round++) {
        using connection = await Deno.connect({ hostname: "127.0.0.1", port: portOf({ address }) });
        await connection.write(greetingWith(round % 2 === 0 ? key : random(KEY_SIZE)));
        const welcomed = await connection.read(new Uint8Array(WELCOME.size)).catch(() => null);
        assertEquals(welcomed !== null, round % 2 === 0);
        await connection.write(random(100 * 1024)).catch(() => {});
        assertEquals(await connection.read(new Uint8Array(1)).catch(() => null), null);
      }
      assertMatch(log[0], /^a program at tcp:127\.0\.0\.1:\d+ shows another key/);
      assertEquals((await outcome(server.library)).code, 0);
      assertEquals(seen, [[0.25, 0.5, 0.75, 1]]);
      await assertRejects(() => serveLayers({ layers: [] }), TypeError, "Cannot serve layers twice in one isolate");
      const other = placeWith(newKeys(), { address: socketAddress(address!).bytes, isAndroid: false, patience: 10 });
      const stranger = await writeGlesLayerFiles(folder, { processor: "x86_64", place: other });
      const { code, said } = await outcome(stranger);
      assertEquals([code, said, seen.length], [0, GONE, 1]);
    }),
);

/** The conducts of a program's server, once it has been greeted. */
const CONDUCTS: Readonly<Record<string, (connection: Deno.TcpConn, key: Uint8Array) => Promise<unknown>>> = {
  "has another key": (connection) => connection.write(random(WELCOME.size)),
  "sends 10,000 random messages": async (connection, key) => {
    const welcome = new Uint8Array(WELCOME.size);
    welcome.set(key);
    welcome[WELCOME.program] = 1;
    await connection.write(welcome);
    await connection.write(random(10_000 * ORDER.end));
  },
};

for (const [conduct, talk] of Object.entries(CONDUCTS)) {
  Deno.test(
    `A GLES program goes on, and says so once, when its server ${conduct}`,
    NEEDS,
    () =>
      withFolderAsync(async (folder) => {
        const plain = await outcome(await writeGlesLayerFiles(`${folder}/plain`, { processor: "x86_64" }));
        using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
        const { bytes: address } = socketAddress(`tcp:127.0.0.1:${listener.addr.port}`), keys = newKeys();
        const place = placeWith(keys, { address, isAndroid: false, patience: 10 });
        const library = await writeGlesLayerFiles(`${folder}/layers`, { processor: "x86_64", place });
        const talking = (async () => {
          using connection = await listener.accept();
          for (let got = 0; got < GREETING.size;) got += (await connection.read(new Uint8Array(GREETING.size - got)))!;
          await talk(connection, keys.serverKey).catch(() => {});
        })();
        const done = await outcome(library);
        await talking;
        assert(plain.code === 0 && plain.said === "");
        assertEquals(done, { ...plain, said: GONE });
      }),
  );
}
