/**
 * Messages that are none: truncated, oversized, of another version, made up.
 * Whoever sends them loses the connection; nothing else happens.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { createSocketPair, DescriptorStream } from "../../../ffi/file/unix_socket.ts";
import { createEvent, createMemoryFile, duplicate, openFile, resizeFile } from "../../../ffi/file/file_descriptor.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { readOutcomes } from "../../../hwc/remote/answer.ts";
import { readBatch } from "../../../hwc/remote/batch.ts";
import { Channel, type Message } from "../../../hwc/remote/wire/channel.ts";
import { NUMBERED } from "../../../hwc/remote/commands.ts";
import { connectTo } from "../../../hwc/remote/client/connection.ts";
import { Reader } from "../../../hwc/remote/wire/reader.ts";
import { ReceivedBuffers } from "../../../hwc/remote/server/belongings.ts";
import { RemoteClient } from "../../../hwc/remote/client/remote_client.ts";
import { serveComposer } from "../../../hwc/remote/server/serve.ts";
import { BadMessage, KIND, MAGIC, MOST_BYTES, MOST_FDS, VERSION } from "../../../hwc/remote/wire/wire.ts";
import { Writer } from "../../../hwc/remote/wire/writer.ts";
import { ERROR, FORMAT } from "../../../hwc/types.ts";
import { allocateBuffer, exportInts } from "../../../wsi/buffer/gralloc.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { openFiles } from "../../support/open_files.ts";
import { withFolderAsync } from "../../support/temporary.ts";
import { leavesNothing } from "./leaves_nothing.ts";
import { assertNoMoreFiles } from "../../wsi/files_left.ts";

/** 32-bit words as bytes. */
function words(...values: number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Uint32Array.from(values).buffer);
}

/** The next message of a server in this process; `undefined` when it has ended the connection. */
async function answerTo(channel: Channel): Promise<Message | undefined> {
  while (true) {
    channel.receive();
    const message = channel.next();
    if (message || channel.isGone) return message;
    await new Promise((done) => setTimeout(done, 1));
  }
}

/** A client that has said hello to a server of a composer in this process. */
async function withHostile(run: (channel: Channel, said: string[], connect: () => Channel) => Promise<void>) {
  await leavesNothing(() =>
    withFolderAsync(async (folder) => {
      using composer = createReferenceComposer();
      const said: string[] = [], path = `${folder}/composer`, log = (line: string) => void said.push(line);
      await using _server = serveComposer(composer, path, { log });
      const channel = connectTo(path, 1000);
      channel.post(KIND.HELLO, words(VERSION));
      channel.flush();
      assertEquals((await answerTo(channel))?.kind, KIND.WELCOME);
      await run(channel, said, () => connectTo(path, 1000));
      channel.close();
    })
  );
}

/** Bytes of a batch of one command that clears no slots. */
function batch(number: number, size: number, ...more: number[]): Uint8Array {
  const writer = new Writer();
  writer.u32(1);
  writer.u8(0);
  for (const word of [0, 1, number, size]) writer.u32(word);
  writer.raw(words(...more));
  return writer.bytes;
}

const BAD: readonly [string, (channel: Channel) => void, RegExp][] = [
  ["a batch that ends too early", (to) => to.post(KIND.BATCH, words(1, 0)), /ends 1 bytes too early/],
  ["a batch without bytes", (to) => to.post(KIND.BATCH, new Uint8Array(0)), /ends 4 bytes too early/],
  ["a command that there is not", (to) => to.post(KIND.BATCH, batch(4711, 0)), /the unknown command 4711/],
  ["a command that is longer", (to) => to.post(KIND.BATCH, batch(1, 4, 5)), /4 bytes are left/],
  ["a command that is shorter", (to) => to.post(KIND.BATCH, batch(6, 4, 5)), /ends 4 bytes too early/],
  [
    "a message that is not to be sent",
    (to) => to.post(KIND.WELCOME, words(VERSION)),
    /message 2 is not allowed now/,
  ],
  ["a second hello", (to) => to.post(KIND.HELLO, words(VERSION)), /message 1 is not allowed now/],
  ["a message of no kind", (to) => to.post(99, words(1, 2, 3)), /message 99/],
  ["file descriptors that are not meant", (to) => to.post(99, words(1), [createEvent(), createEvent()]), /message 99/],
];

for (const [what, send, expected] of BAD) {
  Deno.test(`serveComposer() ends the connection at ${what}`, () =>
    withHostile(async (channel, said) => {
      send(channel);
      channel.flush();
      assertEquals(await answerTo(channel), undefined);
      assertEquals(said.length, 1);
      assertMatch(said[0], expected);
    }));
}

const TORN: readonly [string, Uint8Array, RegExp][] = [
  ["bytes that are no message", new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n"), /begins with 0x20544547/],
  ["a message that is too large", words(MAGIC, KIND.BATCH, MOST_BYTES + 1, 0), /announces 4194305 bytes/],
  ["too many file descriptors", words(MAGIC, KIND.BATCH, 4, MOST_FDS + 1, 1), /and 2049 file descriptors/],
  ["file descriptors that do not come", words(MAGIC, KIND.BATCH, 4, 2, 1), /lacks 2 file descriptors/],
];

for (const [what, bytes, expected] of TORN) {
  Deno.test(`serveComposer() ends the connection at ${what}`, () =>
    withHostile(async (channel, said) => {
      using stream = new DescriptorStream(duplicate(channel.fd));
      stream.send(bytes, []);
      assertEquals(await answerTo(channel), undefined);
      assertMatch(said[0], expected);
    }));
}

Deno.test("serveComposer() refuses a client of another version, and one that says nothing makes room", () =>
  withHostile(async (channel, _said, connect) => {
    channel.close();
    const silent = connect(), other = connect();
    other.post(KIND.HELLO, words(VERSION + 1));
    other.flush();
    const answer = await answerTo(other);
    assertEquals([answer?.kind, await answerTo(other)], [KIND.REFUSED, undefined]);
    assertStringIncludes(
      new TextDecoder().decode(answer!.bytes),
      `the client speaks version ${VERSION + 1}, the server ${VERSION}`,
    );
    assertEquals((await answerTo(silent))?.kind, KIND.REFUSED);
    silent.close();
    other.close();
  }));

Deno.test("a buffer whose file can become smaller is refused by its command, and so is what fits no file", () =>
  withHostile(async (channel) => {
    const usage = USAGE.CPU_READ_OFTEN;
    using buffer = allocateBuffer({ width: 8, height: 8, format: FORMAT.RGBA_8888, usage });
    const ints = exportInts(buffer), lying = ints.with(1, 4000), sentences: string[] = [];
    const unsealed = Deno.makeTempFileSync();
    Deno.writeFileSync(unsealed, new Uint8Array(4096));
    const small = createMemoryFile("small");
    resizeFile(small, 4096n);
    for (const [fd, contents] of [[openRaw(unsealed), ints], [small, lying], [createEvent(), ints]] as const) {
      channel.post(KIND.BATCH, setLayerBuffer(contents), [fd]);
      channel.flush();
      const { bytes } = (await answerTo(channel))!, reader = new Reader(bytes);
      reader.u32();
      const [{ error, sentence }] = readOutcomes(reader, () => undefined);
      assertEquals(error, ERROR.BAD_PARAMETER);
      sentences.push(sentence);
    }
    assertStringIncludes(sentences[0], "could become smaller while it is shown");
    assertStringIncludes(sentences[1], "is not the layout of such a buffer");
    Deno.removeSync(unsealed);
  }));

function openRaw(path: string): number {
  return openFile(path, 2);
}

/** A batch that sets a layer's buffer to one that is sent along. */
function setLayerBuffer(ints: readonly number[]): Uint8Array {
  const number = NUMBERED.findIndex(([name]) => name === "setLayerBuffer") + 1, writer = new Writer();
  writer.u32(1);
  writer.u8(0);
  for (const word of [0, 1, number]) writer.u32(word);
  writer.sized(() => {
    writer.u64(1n);
    writer.u64(2n);
    writer.u8(1);
    writer.u32(0);
    writer.u8(1);
    for (const int of ints) writer.i32(int);
    writer.u32(0);
    writer.u8(0);
  });
  return writer.bytes;
}

Deno.test("readBatch() makes a batch of any bytes, or says that they are none", () => {
  const files = openFiles();
  const word = fc.oneof(fc.nat(90), fc.constantFrom(0, 1, 2, 4, 8, 16, 0xffffffff), fc.nat());
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), fc.uint8Array({ maxLength: 7 }), (some, tail) => {
      const bytes = new Uint8Array([...words(...some), ...tail]), buffers = new ReceivedBuffers();
      const reader = new Reader(bytes, [createEvent()], buffers);
      try {
        for (const { taken, lent } of readBatch(reader).calls) [...taken, ...lent].forEach((fence) => fence.close());
      } catch (error) {
        assert(error instanceof BadMessage, String(error));
      } finally {
        reader.close();
        buffers.close();
      }
    }),
    { numRuns: 3000 },
  );
  assertEquals(openFiles(), files);
});

Deno.test("serveComposer() goes on whatever bytes of a message are changed", async () => {
  const display = 0x7d15_0000_0140n, files = openFiles();
  await withFolderAsync(async (folder) => {
    using composer = createReferenceComposer();
    await using server = serveComposer(composer, `${folder}/composer`);
    const writer = new Writer();
    writer.u32(1);
    writer.u8(1);
    writer.u32(0);
    const calls = NUMBERED.map(([, { args }], index) => [index + 1, args.length] as const);
    writer.u32(calls.length);
    for (const [number, count] of calls) {
      writer.u32(number);
      writer.sized(() => Array.from({ length: count }, () => writer.u64(display)));
    }
    const original = Uint8Array.from(writer.bytes);
    const change = fc.tuple(fc.nat(original.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 0, maxLength: 6 }), fc.nat(3), async (changes, cut) => {
        const bytes = original.slice(0, original.length - 5 * cut), channel = connectTo(server.path, 1000);
        for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
        channel.post(KIND.HELLO, words(VERSION));
        channel.post(KIND.BATCH, bytes, [createEvent()]);
        channel.post(KIND.BYE, new Uint8Array(0));
        channel.flush();
        assertEquals((await answerTo(channel))?.kind, KIND.WELCOME);
        const last = await answerTo(channel);
        assert(last === undefined || last.kind === KIND.ANSWER);
        channel.close();
      }),
      { numRuns: 60 },
    );
  });
  await assertNoMoreFiles(files);
});

/** A client whose server says what a test wants. */
function withServer(run: (server: Channel, client: () => RemoteClient) => void): void {
  const files = openFiles(), [near, far] = createSocketPair()!, server = new Channel(far);
  run(server, () => new RemoteClient(new Channel(near), { timeout: 1000 }));
  server.close();
  assertEquals(openFiles(), files);
}

/** The answer to the first batch: one value, of which the size is said to be another. */
function answer(sequence: number, index: number, ...more: number[]): Uint8Array {
  return words(sequence, 1, index, ...more);
}

const LIES: readonly [string, (server: Channel) => void, RegExp][] = [
  ["a batch that was not sent", (to) => to.post(KIND.ANSWER, answer(9, 0, 0, 4, 1)), /answers batch 9 instead of 1/],
  ["a command that was not sent", (to) => to.post(KIND.ANSWER, answer(1, 7, 0, 4, 1)), /answers command 7 of 1/],
  ["nothing", (to) => to.post(KIND.ANSWER, words(1, 0)), /left an answer out/],
  ["too little", (to) => to.post(KIND.ANSWER, answer(1, 0, 0, 2)), /announces|ends/],
  ["too much", (to) => to.post(KIND.ANSWER, answer(1, 0, 0, 8, 1, 2)), /4 bytes are left/],
  ["by another message", (to) => to.post(KIND.BYE, words(1)), /answers by message 7/],
  ["by a callback that there is not", (to) => to.post(KIND.EVENT, words(44)), /there is no callback 44/],
  ["by a callback that is too long", (to) => to.post(KIND.EVENT, words(2, 1, 2, 3)), /4 bytes are left/],
  ["file descriptors", (to) => to.post(KIND.ANSWER, answer(1, 0, 0, 2), [createEvent()]), /announces|ends/],
];

for (const [what, send, expected] of LIES) {
  Deno.test(`connectComposer() ends the connection when the server answers ${what}`, () =>
    withServer((server, connect) => {
      server.post(KIND.WELCOME, words(VERSION, 0, 1));
      send(server);
      server.flush();
      const { composer } = connect();
      const { code, sentence } = assertThrows(() => composer.getMaxVirtualDisplayCount(), HwcError);
      assertEquals([code, composer.isConnected], [ERROR.NO_RESOURCES, false]);
      assertMatch(sentence, expected);
      composer.close();
    }));
}

Deno.test("connectComposer() refuses a server of another version", () =>
  withServer((server, connect) => {
    server.post(KIND.WELCOME, words(VERSION + 1, 0));
    server.flush();
    const { sentence } = assertThrows(connect, HwcError);
    assertEquals(sentence, `the server speaks version ${VERSION + 1}, the client ${VERSION}; connect again`);
  }));

Deno.test("connectComposer() makes an answer of any bytes, or ends the connection", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom(KIND.ANSWER, KIND.EVENT),
      (bytes, kind) =>
        withServer((server, connect) => {
          server.post(KIND.WELCOME, words(VERSION, 0, 1));
          server.post(kind, new Uint8Array([...words(1, 1, 0), ...bytes]));
          server.post(KIND.ANSWER, words(1, 0));
          server.flush();
          const { composer } = connect();
          try {
            composer.getDisplayConfigurations(5n);
          } catch (error) {
            assert(error instanceof HwcError, String(error));
          }
          composer.close();
        }),
    ),
    { numRuns: 200 },
  );
});
