import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { libc } from "../../../../ffi/libc.ts";
import { readRecording, type RecordedCall, RecordingError } from "../../../../workbench/layers.ts";
import { NativeFile } from "../../../../loader/layers/shipped/native/file.ts";
import { prepareHooks } from "../../../../loader/layers/shipped/native/prepare.ts";
import { LineFile } from "../../../../workbench/recordings/record/lines.ts";
import { PageWatch } from "../../../../workbench/recordings/record/written_pages.ts";
import { runProgram } from "../../../support/subprocess.ts";
import { withFolder } from "../../../support/temporary.ts";

const HEADER = { schema: "pumice-recording", version: 1 } as const;

function call(command: string): RecordedCall {
  return { command, args: { device: "VkDevice#1" } };
}

/** The file of lines that `use` leaves: the commands, and what is beside their arguments. */
function written(use: (lines: LineFile) => void): unknown[] {
  prepareHooks();
  return withFolder((folder) => {
    const path = `${folder}/lines.jsonl`, lines = new LineFile(new NativeFile(path), HEADER);
    use(lines);
    lines.close();
    return readRecording(path).lines.map((line) => {
      const { command, args: _, ...rest } = line as RecordedCall;
      return Object.keys(rest).length === 0 ? command : [command, rest];
    });
  });
}

Deno.test("LineFile has calls of several threads in the order in which the driver was entered, and waits where they end", () => {
  const found = written((lines) => {
    const [wait, submit, begin, failed, late] = [
      "vkWaitForFences",
      "vkQueueSubmit",
      "vkBeginCommandBuffer",
      "vkCreateImage",
      "vkCreateBuffer",
    ].map(call);
    const waiting = lines.begin(wait, true), submitting = lines.begin(submit, false);
    const beginning = lines.begin(begin, false), failing = lines.begin(failed, false);
    lines.end(beginning, begin);
    lines.put({ missing: "a line that is no call" });
    lines.end(waiting, wait);
    lines.end(failing, undefined);
    lines.end(submitting, submit);
    const creating = lines.begin(late, false);
    lines.end(creating, Object.assign(late, { out: { pBuffer: "VkBuffer#1" } }));
  });
  assertEquals(found, [
    "vkQueueSubmit",
    "vkBeginCommandBuffer",
    [undefined, { missing: "a line that is no call" }],
    "vkWaitForFences",
    ["vkCreateBuffer", { out: { pBuffer: "VkBuffer#1" } }],
  ]);
});

Deno.test("LineFile says of calls that did not return that they are unfinished, and forgets waits", () => {
  const found = written((lines) => {
    lines.begin(call("vkWaitSemaphores"), true);
    lines.begin(call("vkQueueSubmit"), false);
    const inside = call("vkCmdDraw");
    lines.end(lines.begin(inside, false), inside);
  });
  assertEquals(found, [["vkQueueSubmit", { unfinished: true }], "vkCmdDraw"]);
});

Deno.test("apiRecording() leaves the call in which the program ended, as the last line of an unsealed file", () => {
  withFolder((folder) => {
    const path = `${folder}/killed.jsonl`;
    const { code } = runProgram("tests/loader/layers/shipped/programs/killed_in_call.ts", [path]);
    assert(code !== 0);
    assertThrows(() => readRecording(path), RecordingError, "it was cut");
    const { lines } = readRecording(path, { unsealed: true });
    assertEquals(lines.at(-1), {
      command: "vkCmdDispatch",
      args: { commandBuffer: "VkCommandBuffer#1", groupCountX: 3, groupCountY: 2, groupCountZ: 1 },
      unfinished: true,
    });
    assertEquals((lines.at(-2) as RecordedCall).command, "vkBeginCommandBuffer");
    assertEquals((lines.at(-2) as RecordedCall).unfinished, undefined);
  });
});

function watched<T>(use: (watch: PageWatch | undefined) => T): T {
  prepareHooks();
  using watch = PageWatch.open();
  return use(watch);
}

Deno.test("PageWatch tells the pages that were written since it was asked, and those at the ends", {
  ignore: watched((watch) => watch === undefined),
}, () => {
  const page = 4096, pages = 64, size = page * pages;
  watched((watch) => {
    // int mmap: a private mapping of its own, which can be read and written
    const address = libc().mmap(0n, BigInt(size), 3, 0x22, -1, 0n);
    const bytes = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(Deno.UnsafePointer.create(address)!, size));
    bytes.fill(1);
    const whole = watch!.watch(address, size)!,
      at = (index: number) => ({ start: index * page, end: (index + 1) * page });
    assertEquals(whole.written(), [{ start: 0, end: size }]);
    assertEquals(whole.written(), []);
    bytes[5 * page] = 2;
    bytes[9 * page + 77] = 1; // the same value again
    assertEquals(whole.written(), [at(5), at(9)]);
    whole.close();
    const inner = watch!.watch(address + 100n, size - 200)!;
    inner.written();
    bytes[2 * page] = 3;
    const start = page - 100;
    assertEquals(inner.written(), [{ start: 0, end: start }, { start: start + page, end: start + 2 * page }, {
      start: size - 100 - page,
      end: size - 200,
    }]);
    inner.close();
    assertEquals(watch!.watch(address, 100), undefined);
    libc().munmap(address, BigInt(size));
  });
});

Deno.test("a recording that cannot be written on has no part of a line at its end", () => {
  prepareHooks();
  withFolder((folder) => {
    const path = `${folder}/lines.jsonl`, file = new NativeFile(path), lines = new LineFile(file, HEADER);
    lines.put({ missing: "one" });
    const broken = call("vkCmdDraw"), write = file.writeText.bind(file);
    file.writeText = (text) => {
      write(text.slice(0, 5));
      throw new Error("full");
    };
    assertThrows(() => lines.begin(broken, false), Error, "full");
    lines.abandon();
    const text = Deno.readTextFileSync(path);
    assertMatch(text, /"one"\}\n$/);
  });
});
