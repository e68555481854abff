import { assert, assertEquals, assertThrows } from "@std/assert";
import { type Arena, arena } from "../../../ffi/arena.ts";
import { cstring } from "../../../ffi/cstring.ts";
import { takeFaults } from "../../../ffi/error.ts";
import { invokeAddress, threadId } from "../../../ffi/machine.ts";
import { createDebugMessenger, type DebugMessage, type DebugMessenger } from "../../../loader/mod.ts";
import { NEEDS_THREADS, threads } from "../../ffi/thunk/ring_fixture.ts";

const ERROR = 0x1000, VALIDATION = 2;

interface Content {
  idName?: string;
  message: string;
  objects?: [type: number, handle: bigint, name?: string][];
  queueLabels?: string[];
  cmdBufLabels?: string[];
}

/** A VkDebugUtilsMessengerCallbackDataEXT in the arena. */
function place(memory: Arena, content: Content): bigint {
  const { idName, message, objects = [], queueLabels = [], cmdBufLabels = [] } = content;
  const words = [1000128003n, 0n, 0n, text(memory, idName), BigInt.asUintN(32, -77n), text(memory, message)];
  for (const labels of [queueLabels, cmdBufLabels]) words.push(BigInt(labels.length), placeLabels(memory, labels));
  const infos = objects.flatMap(([type, handle, name]) => [1000128000n, 0n, BigInt(type), handle, text(memory, name)]);
  return placeWords(memory, [...words, BigInt(objects.length), placeWords(memory, infos)]);
}

function placeWords(memory: Arena, words: bigint[]): bigint {
  return words.length === 0 ? 0n : memory.place(new Uint8Array(BigUint64Array.from(words).buffer));
}

function text(memory: Arena, value: string | undefined): bigint {
  return value === undefined ? 0n : memory.place(cstring(value));
}

/** Each red a quarter, green a half, blue 1 and alpha 2. */
function placeLabels(memory: Arena, names: string[]): bigint {
  const colors = [0x3f00_0000_3e80_0000n, 0x4000_0000_3f80_0000n];
  return placeWords(memory, names.flatMap((name) => [1000128002n, 0n, text(memory, name), ...colors]));
}

/** Says something to a messenger, here or on another thread; returns what the callback answered. */
function say({ info }: DebugMessenger, content: Content, elsewhere: boolean): number {
  const memory = arena(), mark = memory.mark(), { pfnUserCallback, pUserData } = info;
  const args = [ERROR, VALIDATION, place(memory, content), pUserData!];
  const answer = elsewhere
    ? invokeAddress(threads("message_on_thread"), "w:qwwqq", [pfnUserCallback, ...args])
    : invokeAddress(pfnUserCallback, "w:wwqq", args);
  memory.bytes.fill(0xff, mark, mark + 65536); // what was only good during the call
  memory.release(mark);
  return answer as number;
}

function listening(options: { records?: number; recordSize?: number } = {}, answer?: boolean) {
  const heard: DebugMessage[] = [];
  const messenger = createDebugMessenger(undefined, (message) => {
    heard.push(message);
    return answer;
  }, { interval: 0, ...options });
  return { heard, messenger, [Symbol.dispose]: () => messenger.close() };
}

const FULL: Content = {
  idName: "VUID-grüße",
  message: "it is wrong",
  objects: [[3, 0xfedc_ba98_7654_3210n, "device"], [9, 5n], [4, 1n, ""]],
  queueLabels: ["frame", "shadow"],
  cmdBufLabels: ["draw"],
};
const COLOR = [0.25, 0.5, 1, 2];
const EXPECTED = {
  severity: ERROR,
  types: VALIDATION,
  messageIdName: "VUID-grüße",
  messageIdNumber: -77,
  message: "it is wrong",
  objects: [
    { type: 3, handle: 0xfedc_ba98_7654_3210n, name: "device" },
    { type: 9, handle: 5n, name: "" },
    { type: 4, handle: 1n, name: "" },
  ],
  queueLabels: [{ name: "frame", color: COLOR }, { name: "shadow", color: COLOR }],
  cmdBufLabels: [{ name: "draw", color: COLOR }],
  truncated: false,
};

Deno.test("a message of another thread says all that one of this thread says", NEEDS_THREADS, () => {
  using parts = listening();
  const { heard, messenger } = parts;
  assertEquals(say(messenger, FULL, false), 0);
  assertEquals(say(messenger, FULL, true), 0);
  assertEquals([heard.length, messenger.drain(), heard.length], [1, 1, 2]);
  const [{ thread: here, ...first }, { thread: there, ...second }] = heard;
  assertEquals([first, second], [EXPECTED, EXPECTED]);
  assert(here === threadId() && there !== here && there !== 0n);
});

Deno.test("a message without names, objects and labels is whole, too", NEEDS_THREADS, () => {
  using parts = listening();
  for (const elsewhere of [false, true]) say(parts.messenger, { message: "" }, elsewhere);
  parts.messenger.drain();
  for (const { messageIdName, message, objects, queueLabels, cmdBufLabels, truncated } of parts.heard) {
    assertEquals([messageIdName, message, objects, queueLabels, cmdBufLabels, truncated], ["", "", [], [], [], false]);
  }
  assertEquals(parts.heard.length, 2);
});

Deno.test("a message too long for its record is cut, wherever that is, and says so", NEEDS_THREADS, () => {
  const LONG = { ...FULL, message: "long ".repeat(60), queueLabels: Array(5).fill("label") };
  using whole = listening();
  say(whole.messenger, LONG, false);
  const [{ thread: _, ...expected }] = whole.heard;
  let cut = 0;
  for (let recordSize = 512; recordSize < 1280; recordSize += 8) {
    using parts = listening({ records: 2, recordSize });
    say(parts.messenger, LONG, true);
    parts.messenger.drain();
    const [{ thread: _, ...got }] = parts.heard;
    if (!got.truncated) assertEquals(got, expected);
    else assertIsBeginning(got, expected);
    cut += Number(got.truncated);
  }
  assert(cut > 30 && cut < 96, `${cut}`);
});

type Said = Omit<DebugMessage, "thread">;

/** The text is the beginning of the text; what comes after it is left out from the end. */
function assertIsBeginning(got: Said, whole: Said): void {
  assert(whole.message.startsWith(got.message), got.message);
  const lists = ({ objects, queueLabels, cmdBufLabels }: Said) => [...objects, ...queueLabels, ...cmdBufLabels];
  const kept = lists(got), all = lists(whole);
  assert(kept.length <= all.length);
  if (kept.length > 0) assertEquals(got.message, whole.message);
  const last = kept.pop();
  assertEquals(kept, all.slice(0, kept.length));
  if (last) assert(all[kept.length].name.startsWith(last.name));
}

Deno.test("messages of other threads come before the next one of this thread, in their order", NEEDS_THREADS, () => {
  using parts = listening();
  for (const message of ["1", "2", "3"]) say(parts.messenger, { message }, true);
  assertEquals(parts.heard, []);
  say(parts.messenger, { message: "4" }, false);
  assertEquals(parts.heard.map(({ message }) => message), ["1", "2", "3", "4"]);
});

Deno.test("messages for which there is no room are counted", NEEDS_THREADS, () => {
  using parts = listening({ records: 4 });
  for (let index = 0; index < 7; index++) say(parts.messenger, { message: `${index}` }, true);
  assertEquals([parts.messenger.drain(), parts.messenger.lost], [4, 3]);
  assertEquals(parts.heard.map(({ message }) => message), ["0", "1", "2", "3"]);
});

Deno.test("a handler gives up calls of this thread only: by true, or by what it throws", NEEDS_THREADS, () => {
  using parts = listening({}, true);
  assertEquals([say(parts.messenger, FULL, true), say(parts.messenger, FULL, false)], [0, 1]);
  using throwing = createDebugMessenger(undefined, ({ message }) => {
    throw new RangeError(message);
  }, { interval: 0 });
  say(throwing, { message: "early" }, true);
  assertEquals(say(throwing, { message: "now" }, false), 1);
  assertEquals(takeFaults().map((fault) => (fault as RangeError).message), ["early", "now"]);
  say(throwing, { message: "later" }, true);
  assertThrows(() => throwing.drain(), RangeError, "later");
});

Deno.test("what a handler throws about an earlier message does not give up the present call", NEEDS_THREADS, () => {
  using messenger = createDebugMessenger(undefined, ({ message }) => {
    if (message === "early") throw new RangeError(message);
  }, { interval: 0 });
  say(messenger, { message: "early" }, true);
  assertEquals([say(messenger, { message: "now" }, false), takeFaults().length], [0, 1]);
});

Deno.test(
  "close() hands over what waits; the address answers no more, nor for the messenger after it",
  NEEDS_THREADS,
  () => {
    const first = listening();
    say(first.messenger, { message: "last" }, true);
    first.messenger.close();
    first.messenger.close();
    assertEquals([first.heard.length, first.messenger.lost, first.messenger.drain()], [1, 0, 0]);
    using second = listening({}, true);
    assertEquals(second.messenger.info.pfnUserCallback, first.messenger.info.pfnUserCallback);
    for (const elsewhere of [true, false]) assertEquals(say(first.messenger, FULL, elsewhere), 0);
    second.messenger.drain();
    assertEquals([first.heard.length, second.heard.length], [1, 0]);
    assertEquals(say(second.messenger, FULL, false), 1);
  },
);
