import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import * as fc from "fast-check";
import { defineDriver } from "../../../../loader/drivers.ts";
import {
  readRecording,
  type RecordedLine,
  RecordingError,
  replayRecording,
  writeRecording,
} from "../../../../workbench/layers.ts";
import { VulkanError } from "../../../../loader/mod.ts";
import { crc32 } from "../../../../workbench/recordings/record/crc32.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { withFolder } from "../../../support/temporary.ts";
import { clearAndRead, recordDemo, recorded } from "./recorded.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const HEADER = '{"schema":"pumice-recording","version":1}';

/** A recording of a small program, and its text. */
function withRecording(use: (path: string, text: string) => void): void {
  withFolder((folder) => {
    const path = `${folder}/clear.jsonl`;
    recorded(
      path,
      { driver: lavapipePath()! },
      (instance) => clearAndRead(instance.vkEnumeratePhysicalDevices()[0], [1, 0, 0, 1]),
    );
    use(path, Deno.readTextFileSync(path));
  });
}

/** Replays on a driver in TypeScript; how many calls it saw, and what was thrown. */
function replayScripted(path: string, unsealed = false): { calls: number; error: unknown } {
  let calls = 0;
  const count = (next: (...args: never[]) => unknown, ...args: never[]) => (calls++, next(...args));
  const counted = ["vkCreateInstance", "vkCreateDevice", "vkAllocateMemory", "vkQueueSubmit"];
  const commands = Object.fromEntries(counted.map((name) => [name, count]));
  const vkGetPhysicalDeviceImageFormatProperties = () => 0;
  using driver = defineDriver({
    name: "for streams",
    commands: { ...commands, vkGetPhysicalDeviceImageFormatProperties } as never,
  });
  try {
    replayRecording({ driver }, path, { unsealed, timeout: 10 });
    return { calls, error: undefined };
  } catch (error) {
    return { calls, error };
  }
}

Deno.test("crc32() is what everybody else's is", () => {
  const bytes = new TextEncoder().encode("123456789").reduce((text, byte) => text + String.fromCharCode(byte), "");
  // Of the nine digits in UTF-16 with the low byte first.
  assertEquals(crc32(bytes).toString(16), crc32("6789", crc32("12345")).toString(16));
  assertEquals(crc32("\u3231\u3433\u3635\u3837").toString(16), "9ae0daaf"); // "12345678" in bytes
});

Deno.test("readRecording() and writeRecording() give the same recording again", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, copy = `${folder}/copy.jsonl`;
    recordDemo(path, lavapipePath()!);
    writeRecording(copy, readRecording(path));
    assertEquals(Deno.readTextFileSync(copy), Deno.readTextFileSync(path));
    const names = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assertEquals(names(`${copy}.data`), names(`${path}.data`));
  });
});

Deno.test("readRecording() says what is wrong with a file", LAVAPIPE, () => {
  withRecording((path, text) => {
    const cases: [string, RegExp][] = [
      ["", /does not say that it is a recording/],
      ["\x89PNG\r\n", /does not say that it is a recording/],
      ['{"schema":"pumice-api-trace","version":1}\n', /does not say that it is a recording/],
      [text.replace('"version":1', '"version":2'), /it is of version 2, and version 1 is known here/],
      [text.slice(0, -30), /it was cut/],
      [text.replace("float32", "int32"), /it was changed since it was written; .* `unsealed: true`/],
      [text.split("\n").toSpliced(5, 1).join("\n"), /it was changed/],
    ];
    for (const [changed, message] of cases) {
      Deno.writeTextFileSync(path, changed);
      assertMatch(assertThrows(() => readRecording(path), RecordingError).message, message);
    }
    const lines: [string, RegExp][] = [
      ["{", /line 2 .* found \{; a line has/],
      ["[]", /line 2/],
      ['{"command":"vkQueueWaitIdle"}', /line 2/],
      ['{"write":"VkDeviceMemory#1","offset":-1,"content":{"bytes":""}}', /line 2/],
      ['{"write":"VkDeviceMemory#1","offset":0.5,"content":{"bytes":""}}', /line 2/],
    ];
    for (const [line, message] of lines) {
      Deno.writeTextFileSync(path, `${HEADER}\n${line}\n`);
      assertMatch(assertThrows(() => readRecording(path, { unsealed: true }), RecordingError).message, message);
    }
    assertThrows(() => readRecording("/nowhere.jsonl"), Deno.errors.NotFound);
  });
});

Deno.test("replayRecording() misses bytes that are gone or were changed", LAVAPIPE, () => {
  withFolder((folder) => {
    const path = `${folder}/demo.jsonl`, driver = lavapipePath()!;
    recordDemo(path, driver);
    const [{ name }] = Deno.readDirSync(`${path}.data`), file = `${path}.data/${name}`;
    Deno.writeFileSync(file, new Uint8Array([1]), { append: true });
    assertMatch(replayScripted(path).error!.toString(), /line \d+.*changed since it was recorded/);
    Deno.removeSync(file);
    const { calls, error } = replayScripted(path);
    assertMatch((error as Error).message, /line \d+.*Cannot find the bytes/);
    assertEquals(calls, 0);
  });
});

Deno.test("replayRecording() calls nothing of a file that was cut or changed anywhere", LAVAPIPE, () => {
  withRecording((path, text) => {
    const whole = new TextEncoder().encode(text), place = fc.nat(whole.length - 1);
    assertEquals(replayScripted(path).error, undefined);
    const changed = fc.oneof(
      place.map((at) => whole.slice(0, at)),
      fc.tuple(place, fc.integer({ min: 1, max: 255 })).map(([at, bits]) => whole.with(at, whole[at] ^ bits)),
      fc.tuple(place, fc.nat(200)).map(([at, count]) =>
        Uint8Array.from([...whole.slice(0, at), ...whole.slice(at + count + 1)])
      ),
    );
    fc.assert(
      fc.property(changed, (bytes) => {
        Deno.writeFileSync(path, bytes as Uint8Array);
        const { calls, error } = replayScripted(path);
        assert(error instanceof RecordingError, String(error));
        assertEquals(calls, 0);
      }),
      { numRuns: 200 },
    );
  });
});

Deno.test(
  "replayRecording() of a changed file that is to do says what does not fit, or does it, and throws nothing else",
  LAVAPIPE,
  () => {
    withRecording((path, text) => {
      const lines = text.trimEnd().split("\n");
      const digit = fc.tuple(fc.nat(text.length - 1), fc.constantFrom(...'0123456789{}[]",:aVk#-.e')).map((
        [at, letter],
      ) => text.slice(0, at) + letter + text.slice(at + 1));
      const moved = fc.tuple(
        fc.integer({ min: 1, max: lines.length - 1 }),
        fc.integer({ min: 1, max: lines.length - 1 }),
      ).map(
        ([from, to]) => [...lines.toSpliced(from, 1).toSpliced(to, 0, lines[from]), ""].join("\n"),
      );
      const dropped = fc.integer({ min: 1, max: lines.length - 1 }).map((at) =>
        [...lines.toSpliced(at, 1), ""].join("\n")
      );
      const cut = fc.nat(text.length - 1).map((at) => text.slice(0, at));
      let refused = 0, done = 0;
      fc.assert(
        fc.property(fc.oneof(digit, moved, dropped, cut), (changed) => {
          Deno.writeTextFileSync(path, changed);
          const { error } = replayScripted(path, true);
          if (error === undefined) return void done++;
          refused++;
          const cause = error instanceof RecordingError ? error.cause : error;
          assert(error instanceof RecordingError || error instanceof VulkanError, `${error} ${(error as Error).stack}`);
          assert(cause === undefined || /^(Type|Vulkan|Recording|Range)Error$/.test((cause as Error).name), `${cause}`);
        }),
        { numRuns: 250 },
      );
      assert(refused > 20 && done > 20, `${refused} refused, ${done} done`);
    });
  },
);

Deno.test("writeRecording() writes what was put into a recording, large and small", () => {
  withFolder((folder) => {
    const path = `${folder}/made.jsonl`, large = new Uint8Array(100).map((_, index) => index);
    const lines: RecordedLine[] = [
      { write: "VkDeviceMemory#1", offset: 0, content: large },
      { write: "VkDeviceMemory#1", offset: 0, content: new Float32Array([1]) },
      { command: "vkQueueWaitIdle", args: { size: 5n } },
    ];
    writeRecording(path, { lines, data: () => new Uint8Array() });
    const stream = readRecording(path),
      [first, second, third] = stream.lines as never as Record<string, Record<string, string>>[];
    assertEquals(stream.data(first.content.data), large);
    assertEquals([second.content.bytes, third.args.size], ["0000803f", "5"]);
    assertThrows(() => stream.data("../made.jsonl"), RecordingError, "Cannot find the bytes");
  });
});
