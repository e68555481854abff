/**
 * Sides that send what is no parcel: cut, with other words, other numbers, for methods that do not exist. The other side
 * answers with a status or an error of its own kind, keeps nothing open, and goes on.
 *
 * @module
 */
import { assert, assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { Message } from "../../../hwc/binder/bus.ts";
import type { DisplaySettings } from "../../../hwc/binder/connected/command_queue.ts";
import type { QueueDescriptor } from "../../../hwc/binder/parcel/hidl/types.ts";
import { connectAidl } from "../../../hwc/binder/aidl/connect.ts";
import type { BinderComposer } from "../../../hwc/binder/connected/composer.ts";
import { connectHidl } from "../../../hwc/binder/hidl/connect.ts";
import { CommandSender } from "../../../hwc/binder/hidl/command_sender.ts";
import { decodeCommands } from "../../../hwc/binder/hidl/decode_commands.ts";
import { encodeCommands } from "../../../hwc/binder/hidl/encode_commands.ts";
import { decodeResults, encodeResults } from "../../../hwc/binder/hidl/results.ts";
import type { Asking } from "../../../hwc/binder/hidl/service.ts";
import { WordQueue } from "../../../hwc/binder/hidl/word_queue.ts";
import { composerService, type ComposerServiceOptions } from "../../../hwc/binder/serve.ts";
import { BinderStatusError } from "../../../hwc/binder/status.ts";
import { CALLBACK } from "../../../hwc/device_types.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { FORMAT } from "../../../hwc/types.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { closeDescriptor, createPipe, duplicate } from "../../../ffi/file/file_descriptor.ts";
import { openFiles } from "../../support/open_files.ts";
import { assertNoMoreFiles } from "../../wsi/files_left.ts";
import { refer, Side } from "./in_process_bus.ts";
import { warmRelayedFence } from "./binder_subject.ts";

/** Scripts for each language and each side. */
const RUNS = 60;
/** Room of objects in a parcel. */
const OBJECT_BYTES = 40;
/** Numbers that break those who trust them. */
const BAD_WORDS = [-1, 0, 1, 2, 4, -2147483648, 2147483647, 0x00ff_ffff, 0x7fff_fffe, -100, 65536];

/** A change of a message: its end is cut off, a word is another, the code is another, or nothing. */
const tampering = fc.record({
  kind: fc.constantFrom("cut", "word", "word", "code", "none"),
  place: fc.nat(400),
  word: fc.oneof(fc.constantFrom(...BAD_WORDS), fc.integer()),
});

type Tampering = typeof tampering extends fc.Arbitrary<infer Value> ? Value : never;

function tampered({ kind, place, word }: Tampering, code: number, message: Message): readonly [number, Message] {
  const words = message.bytes.length >> 2, bytes = message.bytes.slice(), at = words === 0 ? 0 : (place % words) * 4;
  if (kind === "code") return [word >>> 0, message];
  if (kind === "cut" && words > 0) {
    return [code, { bytes: bytes.slice(0, at), items: message.items.filter((item) => item.at + OBJECT_BYTES <= at) }];
  }
  const isObject = message.items.some((item) => at >= item.at && at < item.at + OBJECT_BYTES);
  if (kind === "word" && words > 0 && !isObject) new DataView(bytes.buffer).setInt32(at, word, true);
  return [code, { bytes, items: message.items }];
}

type Call = (composer: BinderComposer, display: bigint, buffer: GraphicBuffer) => unknown;

const CALLS: readonly Call[] = [
  (it, display) => it.getActiveConfig(display),
  (it, display) => it.getColorModes(display),
  (it, display) => it.getHdrCapabilities(display),
  (it, display) => it.getDisplayIdentificationData(display),
  (it, display) => it.getDisplayConfigurations(display),
  (it, display) => it.getDisplayName(display),
  (it) => it.dump(),
  (it, display) => it.createLayer(display),
  (it) => it.createVirtualDisplay(64, 64, FORMAT.RGBA_8888),
  (it, display, buffer) => it.setReadbackBuffer(display, buffer, NativeFence.signaled()),
  async (it, display, buffer) => {
    const layer = await it.createLayer(display), rect = { left: 0, top: 0, right: 8, bottom: 8 };
    await it.setLayerCompositionType(display, layer, 2);
    await it.setLayerBuffer(display, layer, buffer, null);
    await it.setLayerDisplayFrame(display, layer, rect);
    await it.setLayerSourceCrop(display, layer, rect);
    await it.setLayerVisibleRegion(display, layer, [rect, rect]);
    const { numTypes } = await it.validateDisplay(display);
    if (numTypes > 0) await it.acceptDisplayChanges(display);
    (await it.presentDisplay(display)).close();
    for (const { fence } of await it.getReleaseFences(display)) fence.close();
    await it.destroyLayer(display, layer);
  },
];

const script = fc.array(fc.tuple(fc.nat(CALLS.length - 1), tampering), { minLength: 1, maxLength: 12 });

/** Runs a script with one side hostile; the other fails as it must, and goes on. */
async function runScript(
  options: ComposerServiceOptions,
  who: "client" | "service",
  steps: readonly (readonly [number, Tampering])[],
): Promise<number> {
  let failures = 0;
  using composer = createReferenceComposer({ panels: [{ modes: [{ width: 64, height: 48, refreshRate: 60 }] }] });
  using buffer = allocateBuffer({ width: 8, height: 8, format: FORMAT.RGBA_8888, usage: USAGE.CPU_WRITE_OFTEN });
  const there = new Side(), here = new Side(), service = composerService(composer, options);
  const remote = refer(there, service.object, here), displays: bigint[] = [];
  const far = await (options.as === "hidl" ? connectHidl(remote) : connectAidl(remote, options.release ?? 16));
  await far.registerCallback(CALLBACK.HOTPLUG, (display) => void displays.push(display));
  for (const [call, how] of steps) {
    (who === "client" ? here : there).tamper = (code, message) => tampered(how, code, message);
    try {
      await CALLS[call](far, displays[0], buffer);
    } catch (error) {
      assertInstanceOf(error, HwcError, `${error}`);
      failures++;
    }
  }
  here.tamper = there.tamper = undefined;
  await far.flush().catch((error) => assertInstanceOf(error, HwcError));
  assertEquals(await far.getActiveConfig(displays[0]), composer.getActiveConfig(displays[0]));
  await far[Symbol.asyncDispose]();
  await service.close();
  return failures;
}

const LANGUAGES: readonly ComposerServiceOptions[] = [
  { as: "aidl", version: 3 },
  { as: "aidl", version: 1, release: 13 },
  { as: "aidl", version: 2, release: 12 },
  { as: "aidl", version: 4, release: 10 },
  { as: "hidl", version: 2.4 },
  { as: "hidl", version: 2.1 },
];

/** Answers of HIDL with more words in a command than there are: the client ended with an error of its own words. */
const FOUND: [readonly (readonly [number, Tampering])[]][] = [
  [[[10, { kind: "word", place: 0, word: 0 }], [10, { kind: "word", place: 3, word: 2 }], [0, {
    kind: "cut",
    place: 0,
    word: -1,
  }]]],
];

for (const options of LANGUAGES) {
  for (const who of ["client", "service"] as const) {
    const name = `${options.as} ${options.version}`;
    Deno.test(`a hostile ${who} of ${name} gets statuses and errors, and nothing stays open`, async () => {
      await warmRelayedFence();
      const files = openFiles();
      let failures = 0;
      const property = fc.asyncProperty(
        script,
        async (steps) => void (failures += await runScript(options, who, steps)),
      );
      await fc.assert(property, { numRuns: RUNS, examples: FOUND });
      assert(failures > RUNS, `only ${failures} calls failed: nothing was hostile`);
      await assertNoMoreFiles(files);
    });
  }
}

Deno.test("an answer of HIDL that is cut off is a status, and leaves no copy of its descriptors", () => {
  const pipe = createPipe()!, value = { display: 1n, fence: pipe.read };
  const writer = encodeResults([{ tag: "presentFence", value }, { tag: "presentFence", value }], [0], "2.4");
  const words = writer.take(), files = openFiles();
  const error = assertThrows(() => decodeResults(words.subarray(0, -1), writer.handles, new Map()), BinderStatusError);
  assertStringIncludes(error.message, "the service's answer is malformed: command ");
  assertEquals(openFiles(), files);
  for (const fd of [pipe.read, pipe.write]) closeDescriptor(fd);
});

Deno.test("calls with random bytes get a status or an answer", async () => {
  using composer = createReferenceComposer();
  const call = { oneway: false, callerPid: 1, callerUid: 0 };
  for (const options of LANGUAGES) {
    const { object } = composerService(composer, options);
    const codes = fc.oneof(fc.integer({ min: 0, max: 70 }), fc.nat()), bytes = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(codes, bytes, async (code, random) => {
        try {
          await object.transact(code, { bytes: random, items: [] }, call);
        } catch (error) {
          assertInstanceOf(error, BinderStatusError, `${error}`);
        }
      }),
      { numRuns: 500 },
    );
  }
});

Deno.test("random words are commands, or end the reading", () => {
  const heads = fc.tuple(
    fc.constantFrom(0, 1, 0x200, 0x201, 0x300, 0x301, 0x303, 0x304, 0x400, 0x40e, 0x999),
    fc.nat(20),
  )
    .map(([opcode, length]) => opcode << 16 | length);
  fc.assert(fc.property(fc.array(fc.oneof(heads, fc.integer()), { maxLength: 100 }), (words) => {
    const { commands, places } = decodeCommands(Uint32Array.from(words, (word) => word >>> 0), []);
    assertEquals(commands.length, places.length);
  }));
});

Deno.test("WordQueue gives what was written, around the end of its ring and across both its sides", () => {
  const queue = WordQueue.create(16), other = WordQueue.attach(queue.describe());
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 0xffff_ffff }), { maxLength: 16 }), (words) => {
    assert(queue.write(Uint32Array.from(words)));
    assertEquals([...other.read(words.length)!], words);
    assertEquals(other.read(1), undefined);
  }));
  assertEquals(queue.write(new Uint32Array(17)), false);
  queue.close();
  other.close();
});

Deno.test("CommandSender makes a queue in which a batch of any size has room, and goes on with that queue", async () => {
  let queue: WordQueue | undefined, queues = 0;
  const got: Uint32Array[] = [];
  const ask: Asking = (base, ...args) => {
    if (base === "executeCommands") {
      got.push(queue!.read(args[0] as number)!);
      return Promise.resolve([false, 0, []]);
    }
    queue?.close();
    const descriptor = args[0] as QueueDescriptor;
    queue = WordQueue.attach({
      ...descriptor,
      handle: { ...descriptor.handle!, fds: descriptor.handle!.fds.map(duplicate) }, // the sender closes its own
    });
    queues++;
    return Promise.resolve([]);
  };
  const sender = new CommandSender({} as ConstructorParameters<typeof CommandSender>[0], ask, "2.4");
  const batch = (layers: number): DisplaySettings[] =>
    [{
      display: 1n,
      layers: Array.from({ length: layers }, (_, index) => ({ layer: BigInt(index), z: { z: index } })),
    }] as unknown as DisplaySettings[];
  const batches = [10, 5000, 4000, 10].map(batch); // 5000 layers are 25,000 words, and a new queue has 16,384 at first
  for (const each of batches) assertEquals(await sender.send(each), []);
  assertEquals(got, batches.map((each) => encodeCommands(each, "2.4").writer.take()));
  assertEquals(queues, 2);
  sender.close();
  queue!.close();
});
