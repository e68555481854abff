import { assert, assertEquals } from "@std/assert";
import { StateTracker } from "../../../../../workbench/recordings/state_tracker/state_tracker.ts";
import { actionsOf, cutStream, isSubmission } from "../../../../../workbench/recordings/compare/driver_process/cut.ts";
import { generateProgram } from "../../../../../workbench/programs/generate.ts";
import type { RecordedCall, RecordedLine } from "../../../../../workbench/layers.ts";
import { lavapipePath, validationManifest } from "../../../../../tools/setup/parts.ts";
import { everything } from "../../../programs/everything.ts";
import { count } from "../../../../support/counts.ts";
import { needs } from "../../../../support/require.ts";
import { runProgram } from "../../../../support/subprocess.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath()),
  LAYER = needs("Khronos validation layer", validationManifest());

/**
 * The number of programs that are cut under validation: such cuts found passes that were not ended in secondary command
 * buffers, which the first tests here and all cuts of more programs without validation look for.
 */
const PROGRAMS = count(2, 4, 12);

/** The names of the commands of each command buffer, in order, of a submission that is cut behind some actions. */
function cutAfter(lines: readonly RecordedLine[], actions: number): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const line of cutStream(lines, { submission: 0, actions }).last as RecordedCall[]) {
    const { command, args: { commandBuffer } } = line;
    if (commandBuffer !== undefined) (found[commandBuffer] ??= []).push(command);
  }
  return found;
}

function call(commandBuffer: string, command: string, args: Record<string, unknown> = {}): RecordedCall {
  return { command, args: { commandBuffer, ...args } };
}

/** A submission of "one", which executes "two" behind what the first commands begin. */
function program(first: readonly RecordedCall[], second: readonly RecordedCall[]): RecordedLine[] {
  return [
    call("two", "vkBeginCommandBuffer"),
    ...second,
    call("two", "vkEndCommandBuffer"),
    call("one", "vkBeginCommandBuffer"),
    ...first,
    call("one", "vkCmdExecuteCommands", { pCommandBuffers: ["two"] }),
    call("one", "vkEndCommandBuffer"),
    { command: "vkQueueSubmit", args: { queue: "queue", pSubmits: [{ pCommandBuffers: ["one"] }] } },
  ];
}

const DRAW = { vertexCount: 3, instanceCount: 1, firstVertex: 0, firstInstance: 0 },
  QUERY = { queryPool: "pool", query: 0 };
const RENDERING = { pRenderingInfo: { pColorAttachments: [] } };

Deno.test("a cut ends a pass in the secondary command buffer that began it", () => {
  const second = [
    call("two", "vkCmdBeginRendering", RENDERING),
    call("two", "vkCmdDraw", DRAW),
    call("two", "vkCmdEndRendering"),
  ];
  assertEquals(cutAfter(program([], second), 2), {
    one: ["vkBeginCommandBuffer", "vkCmdExecuteCommands", "vkEndCommandBuffer"],
    two: ["vkBeginCommandBuffer", "vkCmdBeginRendering", "vkCmdDraw", "vkCmdEndRendering", "vkEndCommandBuffer"],
  });
});

Deno.test("a cut ends what the executing command buffer began there, the latest first", () => {
  const first = [
    call("one", "vkCmdBeginConditionalRenderingEXT"),
    call("one", "vkCmdBeginQuery", QUERY),
    call("one", "vkCmdBeginRendering", RENDERING),
    call("one", "vkCmdBeginQueryIndexedEXT", { ...QUERY, query: 1, index: 2 }),
  ];
  const { one, two } = cutAfter(program(first, [call("two", "vkCmdDraw", DRAW)]), 2);
  assertEquals(two, ["vkBeginCommandBuffer", "vkCmdDraw", "vkEndCommandBuffer"]);
  assertEquals(one.slice(one.indexOf("vkCmdExecuteCommands")), [
    "vkCmdExecuteCommands",
    "vkCmdEndQueryIndexedEXT",
    "vkCmdEndRendering",
    "vkCmdEndQuery",
    "vkCmdEndConditionalRenderingEXT",
    "vkEndCommandBuffer",
  ]);
});

Deno.test("a cut of a generated program ends in each command buffer what began there", () => {
  for (let seed = 0; seed < count(12, 40); seed++) {
    const lines = [...generateProgram(everything(), { seed, reads: "none" }).recording.lines];
    for (let actions = 1; actions <= countOf(lines); actions++) {
      for (const [name, commands] of Object.entries(cutAfter(lines, actions))) {
        const open: string[] = [];
        for (const command of commands) {
          const [, way, what] = /^vk(?:Cmd)?(Begin|End)(\w+)/.exec(command) ?? [];
          if (way === "Begin") open.push(what);
          else if (way === "End") assertEquals(open.pop(), what, `seed ${seed}, ${actions} actions, ${name}`);
        }
        assertEquals(open, [], `seed ${seed}, ${actions} actions, ${name}`);
      }
    }
  }
});

/** The number of actions of the first submission. */
function countOf(lines: readonly RecordedLine[]): number {
  const tracker = new StateTracker();
  for (const [index, line] of lines.entries()) {
    tracker.note(index, line);
    if (isSubmission(line)) return actionsOf(tracker, line).length;
  }
  return 0;
}

Deno.test(
  "validation says nothing of the cuts of generated programs",
  { ignore: LAVAPIPE.ignore || LAYER.ignore },
  () => {
    const args = [lavapipePath()!, "0", `${PROGRAMS}`, "6"];
    const { code, stdout, output } = runProgram("tests/workbench/recordings/compare/programs/cuts.ts", args, {
      seconds: 300,
    });
    assertEquals(code, 0, output);
    const { cuts, said } = JSON.parse(stdout.trim().split("\n").at(-1)!);
    assertEquals(said, {});
    assert(cuts > 4 * PROGRAMS, `${cuts} cuts of ${PROGRAMS} programs`);
  },
);
