import { assertEquals } from "@std/assert";
import { serveLayers } from "../../../workbench/layers.ts";
import { defineLayer } from "../../../loader/mod.ts";
import { numberedCommands } from "../../../workbench/layer_server/commands.ts";
import { CHANNEL_SIZE, NOTE } from "../../../workbench/layer_server/layout.ts";
import { LAYER_NAME } from "../../../workbench/layer_server/manifest.ts";
import { GREETING, KIND, ORDER, WELCOME } from "../../../workbench/layer_server/messages.ts";
import { socketAddress } from "../../../workbench/layer_server/server/socket_address.ts";
import { writeLayerFiles } from "../../../workbench/layer_server/write_files.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { greetingWith, keyIn, portOf, random } from "./fake_program.ts";
import { APP, environment, NEEDS_PROGRAMS, runServed } from "./programs.ts";
import { until } from "../../support/until.ts";

/** The words of a program that goes on alone. */
const GONE = "pumice: the process with the layers does not answer; the program goes on without them\n";

function counting() {
  const counts = { buffers: 0 };
  const layer = defineLayer({
    name: "VK_LAYER_TEST_counting",
    commands: {
      vkCreateBuffer(next, ...args) {
        counts.buffers++;
        return next(...args);
      },
    },
  });
  return { layer, counts };
}

Deno.test(
  "serveLayers({ listen }) hears nobody without the key, and nothing that no library says",
  NEEDS_PROGRAMS,
  async () => {
    const { layer, counts } = counting();
    await using server = await serveLayers({ layers: [layer], listen: "tcp:127.0.0.1:0" });
    const port = portOf(server), greeting = greetingWith(keyIn(server));
    let welcomed = 0, dropped = 0;
    for (let round = 0; round < 100; round++) {
      const isKnown = round % 2 === 0;
      if (!isKnown) greeting.set(random(32), GREETING.key);
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await connection.write(
        isKnown ? greetingWith(keyIn(server)) : round % 4 === 3 ? random(GREETING.size) : greeting,
      );
      const answer = new Uint8Array(WELCOME.size);
      if (await connection.read(answer).catch(() => null) !== null) welcomed++;
      // 100 messages of the size of slots; the server reads on only while they make sense
      await connection.write(random(100 * 1024)).catch(() => {});
      if (await connection.read(answer).catch(() => null) === null) dropped++;
    }
    assertEquals([welcomed, dropped], [50, 100]);
    assertEquals((await runServed(server, [APP!, "results", "2"])).stdout, "1024 1024 \n");
    assertEquals([counts.buffers, server.connected], [2, 1]);
  },
);

Deno.test("serveLayers({ listen }) outlives 10,000 random notes, and takes none if it records nothing", async () => {
  const { layer } = counting(), commands: string[] = [], number = numberedCommands().indexOf("vkCreateBuffer");
  for (const policies of ["record", "block"] as const) {
    const own = { ...layer, recorded: ({ command }: { command: string }) => void commands.push(command) };
    await using server = await serveLayers({ layers: [own], listen: "tcp:127.0.0.1:0", policies });
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: portOf(server) });
    await connection.write(greetingWith(keyIn(server)));
    assertEquals(await connection.read(new Uint8Array(WELCOME.size)), WELCOME.size);
    const sending = (async () => {
      for (let sent = 0; sent < 10_000; sent++) {
        const note = random(NOTE.size), view = new DataView(note.buffer);
        view.setBigUint64(NOTE.state, 2n, true);
        if (sent % 2 === 0) {
          view.setBigUint64(NOTE.command, BigInt(number), true);
          view.setBigUint64(NOTE.isTimed, 0n, true); // others are for layers that time calls
        }
        for (let done = 0; done < note.length;) done += await connection.write(note.subarray(done));
      }
    })();
    if (policies === "record") {
      await sending;
      await until("5,000 commands are seen", () => commands.length >= 5000);
    } else {
      await sending.catch(() => {});
      assertEquals(await connection.read(new Uint8Array(1)).catch(() => null), null);
    }
  }
  assertEquals([commands.length, [...new Set(commands)]], [5000, ["vkCreateBuffer"]]);
});

/** A library whose keys the test knows, in the folder `layers`, and a program that loads it. */
async function withServer(
  folder: string,
  talk: (connection: Deno.TcpConn, key: Uint8Array<ArrayBuffer>) => Promise<void>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const keys = random(64), { port } = listener.addr;
  const socket = {
    address: socketAddress(`tcp:127.0.0.1:${port}`).bytes,
    programKey: keys.slice(0, 32),
    serverKey: keys.slice(32),
    patience: 3,
    isAndroid: false,
  };
  const scratch = 0x1800_0000_0000n, place = { path: "", channel: scratch - 0x1000_0000n, channelSize: CHANNEL_SIZE };
  await writeLayerFiles(`${folder}/layers`, {
    processor: "x86_64",
    place: { ...place, scratch, scratchSize: 1 << 20, socket },
  });
  const talking = (async () => {
    using connection = await listener.accept();
    for (let got = 0; got < GREETING.size;) got += (await connection.read(new Uint8Array(GREETING.size - got)))!;
    await talk(connection, keys.slice(32)).catch(() => {});
  })();
  const command = new Deno.Command("timeout", {
    args: ["60", APP!, "results", "2"],
    env: { ...Deno.env.toObject(), ...environment(folder, LAYER_NAME) },
  });
  const { code, stdout, stderr } = await command.output();
  await talking;
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

/** The answer of a server that knows the keys. */
function welcome(key: Uint8Array): Uint8Array<ArrayBuffer> {
  const answer = new Uint8Array(WELCOME.size);
  answer.set(key);
  answer[WELCOME.program] = 1;
  return answer;
}

function order(kind: bigint, address: bigint, size: bigint): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new BigUint64Array([kind, address, size, 0n]).buffer);
}

/** Bytes that were there of the memory that a server asked for, by order. */
const found: bigint[] = [];

const CONDUCTS: Readonly<Record<string, (connection: Deno.TcpConn, key: Uint8Array) => Promise<void>>> = {
  "has another key": async (connection) => void await connection.write(random(WELCOME.size)),
  "ends at once": () => Promise.resolve(),
  "hangs before it answers": async (connection) => void await connection.read(new Uint8Array(1)),
  "hangs in a call": async (connection, key) => {
    await connection.write(welcome(key));
    while (await connection.read(new Uint8Array(1024)));
  },
  "sends 10,000 random messages": async (connection, key) => {
    await connection.write(welcome(key));
    await connection.write(random(10_000 * ORDER.end));
  },
  "orders what is not there, and too much": async (connection, key) => {
    await connection.write(welcome(key));
    for (let page = 0n; page < 16n; page++) { // below every program
      await connection.write(order(KIND.read, page * 0x1000n, 0x3000n));
      const bytes = new Uint8Array(0x3008);
      for (let filled = 0; filled < bytes.length;) filled += (await connection.read(bytes.subarray(filled)))!;
      found.push(new DataView(bytes.buffer).getBigUint64(0x3000, true));
    }
    assertEquals(found, Array(16).fill(0n));
    await connection.write(order(KIND.read, 0x1000n, 0x4001n));
  },
  "orders a call with memory elsewhere": async (connection, key) => {
    await connection.write(welcome(key));
    await connection.write(order(KIND.request, 0x1000n, 0x1000n));
  },
};

for (const [conduct, talk] of Object.entries(CONDUCTS)) {
  Deno.test(
    `A program goes on, and says so once, when its server ${conduct}`,
    NEEDS_PROGRAMS,
    () =>
      withFolderAsync(async (folder) => {
        const { code, stdout, stderr } = await withServer(folder, talk);
        assertEquals([code, stdout, stderr.split(GONE).length], [0, "1024 1024 \n", 2], stderr);
      }),
  );
}
