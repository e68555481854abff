import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { readRecording, type RecordedLine, writeRecording } from "../../../workbench/layers.ts";
import {
  fuzzActions,
  type FuzzOptions,
  type FuzzProgram,
  generateProgram,
} from "../../../workbench/programs/generate.ts";
import { checkStream } from "../../../workbench/recordings/replay/check.ts";
import { withFolder } from "../../support/temporary.ts";
import { everything, little } from "./everything.ts";

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

function textOf({ recording, results, actions }: FuzzProgram): string {
  const plain = (_: string, value: unknown) => ArrayBuffer.isView(value) ? [...new Uint8Array(value.buffer)] : value;
  return JSON.stringify([recording.lines, results, actions], plain);
}

function commandsOf(lines: readonly RecordedLine[]): string[] {
  return lines.flatMap((line) => "command" in line ? [line.command] : []);
}

Deno.test("generateProgram() makes the same program of the same seed, and others of others", () => {
  const [one, again] = [0, 0].map(() =>
    SEEDS.slice(0, 12).map((seed) => textOf(generateProgram(everything(), { seed })))
  );
  assertEquals(one, again);
  assertEquals(new Set(one).size, one.length);
});

Deno.test("generateProgram() makes recordings whose every value fits, and which destroy what they create", () => {
  for (const facts of [everything(), little()]) {
    for (const seed of SEEDS) {
      const { recording } = generateProgram(facts, { seed, actions: 15 }), commands = commandsOf(recording.lines);
      checkStream(recording);
      const count = (pattern: RegExp) => commands.filter((command) => pattern.test(command)).length;
      assertEquals(count(/^vkCreate/), count(/^vkDestroy/), `seed ${seed}`);
      assertEquals(count(/^vkAllocateMemory/), count(/^vkFreeMemory/), `seed ${seed}`);
    }
  }
});

Deno.test("generateProgram() does every kind of action, both kinds of passes, and secondary command buffers", () => {
  const programs = SEEDS.map((seed) => generateProgram(everything(), { seed }));
  const kinds = new Set(programs.flatMap(({ actions }) => actions.map(({ kind }) => kind)));
  const commands = new Set(programs.flatMap(({ recording }) => commandsOf(recording.lines)));
  assertEquals(
    [...kinds].sort(),
    [
      "blit",
      "bufferToImage",
      "clearColor",
      "clearDepthStencil",
      "copyBuffer",
      "copyImage",
      "dispatch",
      "dispatchIndirect",
      "draw",
      "drawIndexed",
      "drawIndexedIndirect",
      "drawIndirect",
      "fill",
      "imageToBuffer",
      "query",
      "resolve",
      "update",
      "upload",
    ],
  );
  for (
    const command of [
      "vkCmdBeginRenderPass",
      "vkCmdBeginRendering",
      "vkCmdExecuteCommands",
      "vkCmdClearAttachments",
      "vkCmdPipelineBarrier2",
      "vkCmdCopyQueryPoolResults",
      "vkCreateSemaphore",
    ]
  ) assert(commands.has(command), command);
  const formats = new Set(programs.flatMap(({ results }) => results.map(({ format }) => format)));
  assert(formats.size > 50, `${formats.size} formats`);
});

Deno.test("generateProgram() uses nothing that the drivers lack", () => {
  for (const seed of SEEDS) {
    const { recording } = generateProgram(little(), { seed }), commands = commandsOf(recording.lines);
    assert(!commands.some((command) => /BeginRendering|PipelineBarrier2/.test(command)), `seed ${seed}`);
  }
  const poor = { ...little(), formats: { 37: 0xc000 }, samples: { 37: 1 } };
  for (const seed of SEEDS) {
    const { actions, recording } = generateProgram(poor, { seed }), kinds = actions.map(({ kind }) => kind);
    checkStream(recording);
    assert(!kinds.some((kind) => /^(draw|blit|resolve|query)/.test(kind)), kinds.join(" "));
  }
});

Deno.test("generateProgram() keeps to the actions and the number that are asked for", () => {
  for (const only of fuzzActions()) {
    const { actions } = generateProgram(everything(), { seed: 3, actions: 4, only: [only] });
    assert(actions.length <= 4);
    if (only === "blit") assertEquals(new Set(actions.map(({ kind }) => kind)), new Set(["blit"]));
  }
});

Deno.test("generateProgram() with reads after each action reads what the action wrote", () => {
  const { actions, results } = generateProgram(everything(), { seed: 5, actions: 12, reads: "each" });
  const written = new Set(results.map(({ action }) => action));
  for (const [index] of actions.entries()) assert(written.has(index), `action ${index}`);
});

Deno.test("a generated program can be written to a file and read again", () => {
  withFolder((folder) => {
    const { recording } = generateProgram(everything(), { seed: 8 }), path = `${folder}/program.jsonl`;
    writeRecording(path, recording);
    const read = readRecording(path);
    checkStream(read);
    assertEquals(commandsOf(read.lines), commandsOf(recording.lines));
  });
});

Deno.test("generateProgram() refuses wrong options in sentences", () => {
  const refusal = (options: unknown) =>
    assertThrows(() => generateProgram(everything(), options as FuzzOptions), TypeError).message;
  assertEquals(
    refusal({ seed: -1 }),
    'Cannot use -1 as option "seed" of generateProgram(): give a whole number from 0 to 4294967295',
  );
  assertNotEquals(refusal({}), "");
  assert(refusal({ seed: 1, only: ["blitz"] }).includes('"blit"'));
  assert(refusal({ seed: 1, only: [] }).includes("at least one action"));
  assert(refusal({ seed: 1, actions: 0 }).includes("from 1 to 1000"));
});
