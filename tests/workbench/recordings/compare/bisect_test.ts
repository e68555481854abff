import { assert, assertEquals, assertThrows } from "@std/assert";
import { bisect, type Interval } from "../../../../workbench/recordings/compare/bisect.ts";
import type { DriverDifference } from "../../../../workbench/recordings/compare/finding.ts";
import type { Pair } from "../../../../workbench/recordings/compare/pair.ts";
import { ProgressFile } from "../../../../workbench/recordings/compare/progress.ts";
import { type RecordedLine, writeRecording } from "../../../../workbench/layers.ts";
import { withFolder, withFolderAsync } from "../../../support/temporary.ts";

const commandBuffer = "VkCommandBuffer#1", dstBuffer = "VkBuffer#1";

/** Writes a recording of one submission with so many actions. */
function writeActions(path: string, actions: number): void {
  const call = (command: string, args: object = {}) => ({ command, args: { commandBuffer, ...args } });
  const fill = (data: number) => call("vkCmdFillBuffer", { dstBuffer, dstOffset: "0", size: "4", data });
  const lines = [
    call("vkBeginCommandBuffer"),
    ...Array.from({ length: actions }, (_, index) => fill(index)),
    call("vkEndCommandBuffer"),
    { command: "vkQueueSubmit", args: { queue: "VkQueue#1", pSubmits: [{ pCommandBuffers: [commandBuffer] }] } },
  ] as RecordedLine[];
  writeRecording(path, { lines, data: () => new Uint8Array() });
}

/** Two drivers that differ behind an action, and count replays. */
function pairOf(action: number, counts: { replays: number }): Pair {
  const finding: DriverDifference = { kind: "differs", differences: [], contents: new Map() };
  return {
    run: ({ cut: { actions } }: { cut: { actions: number } }) => {
      counts.replays++;
      return Promise.resolve(actions > action ? finding : undefined);
    },
    contentsAt: ({ actions }: { actions: number }) => {
      counts.replays++;
      assertEquals(actions, action);
      return Promise.resolve([]);
    },
  } as unknown as Pair;
}

Deno.test("bisect() finds each action with at most log2(n) + 2 replays, with that for what was there before", async () => {
  await withFolderAsync(async (folder) => {
    for (const length of [1, 2, 3, 10, 33, 100]) {
      const path = `${folder}/${length}.jsonl`;
      writeActions(path, length);
      for (let action = 0; action < length; action++) {
        const counts = { replays: 0 }, found = await bisect(pairOf(action, counts), path, 0, false);
        assertEquals([found?.action?.index, found?.action?.args.data], [action, action]);
        assert(counts.replays <= Math.log2(length) + 2, `${counts.replays} replays for action ${action} of ${length}`);
      }
    }
  });
});

Deno.test("bisect() goes on where an earlier one was, wherever that was cut off", async () => {
  await withFolderAsync(async (folder) => {
    const path = `${folder}/many.jsonl`, action = 70, intervals: Interval[] = [], whole = { replays: 0 };
    writeActions(path, 100);
    await bisect(pairOf(action, whole), path, 0, false, { onInterval: (each) => intervals.push(each) });
    assert(intervals.length > 5);
    for (const [index, from] of intervals.entries()) {
      const counts = { replays: 0 }, found = await bisect(pairOf(action, counts), path, 0, false, { from });
      assertEquals(found?.action?.index, action);
      // The work that was done is not done again, but for the contents behind the last action.
      assert(counts.replays <= whole.replays - index, `${counts.replays} of ${whole.replays} replays after ${index}`);
    }
  });
});

Deno.test("a file of progress is replaced as a whole, and answers the same question alone", () => {
  withFolder((folder) => {
    const path = `${folder}/progress`, counts = { submissions: 3, pieces: 4, replays: 5 };
    const file = new ProgressFile(path, { drivers: ["a", "b"] }), progress = { submission: 2, counts };
    assertEquals(file.read(), undefined);
    file.write(progress);
    file.write({ ...progress, interval: { same: 1, different: 9 } });
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["progress"]);
    assertEquals(file.read()?.interval, { same: 1, different: 9 });
    assertEquals(new ProgressFile(path, { drivers: ["a", "c"] }).read(), undefined);
    file.remove();
    file.remove();
    assertEquals(file.read(), undefined);
    for (const text of ["", "{}", "[1]", "null", '{"question":"no']) {
      Deno.writeTextFileSync(path, text);
      assertThrows(() => file.read(), TypeError, "is no progress of a comparison", text);
    }
    assertThrows(() => new ProgressFile(folder, 0).read(), TypeError, "Cannot read the progress");
    assertThrows(() => new ProgressFile(`${folder}/none/progress`, 0).write(progress), TypeError, "Cannot write");
  });
});
