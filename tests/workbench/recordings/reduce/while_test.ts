import { assert, assertEquals, assertMatch } from "@std/assert";
import { type ReducedRecording, type ReduceOptions, reduceRecording } from "../../../../workbench/recordings/mod.ts";
import { fuzzFacts } from "../../../../workbench/programs/facts.ts";
import { generateProgram } from "../../../../workbench/programs/generate.ts";
import { readRecording, type RecordedLine, writeRecording } from "../../../../workbench/layers.ts";
import { loadVulkan, type Vulkan } from "../../../../loader/mod.ts";
import { VK_BUFFER_USAGE_TRANSFER_DST_BIT } from "../../../../loader/vk.ts";
import { lavapipePath, validationManifest } from "../../../../tools/setup/parts.ts";
import { commandLine as cli } from "../../../support/command_line.ts";
import { needs } from "../../../support/require.ts";
import { withFolderAsync } from "../../../support/temporary.ts";

const LAVAPIPE = needs("Mesa lavapipe", lavapipePath());
const VALIDATION = needs("the validation layer", validationManifest());
const ENDING = new URL("../compare/programs/ending_layer.ts", import.meta.url).pathname;
const NOTING = new URL("noting_layer.ts", import.meta.url).pathname;
const FLAKY = new URL("../compare/programs/flaky_layer.ts", import.meta.url).pathname;
/** Commands that may be left of a fault in a single one, with what that one needs. */
const MOST_LEFT = 12;
/** Lines of a script's test: those of a draw with a pass and a pipeline, too. */
const MOST_LINES = 60;

/** The number of a program's actions of a kind: each hang takes its time. */
const ACTIONS: Record<string, number> = { fill: 3, draw: 1, update: 1 };

/** Writes a program; returns its path. */
function writeProgram(folder: string, only: string, change = (lines: RecordedLine[]) => lines): string {
  using vulkan = loadVulkan({ driver: lavapipePath()! });
  const options = { seed: 1, actions: ACTIONS[only], only: [only] }, path = `${folder}/program.jsonl`;
  const { recording } = generateProgram(fuzzFacts(vulkan as Vulkan), options);
  writeRecording(path, { ...recording, lines: change(recording.lines) });
  return path;
}

/** Sets the command at which the layer ends a process, or stops it. */
function endAt(command: string, signal: Deno.Signal): void {
  Deno.env.set("ENDS_AT", command);
  Deno.env.set("ENDS", signal);
}

/** Reduces a program on the driver alone and below a layer. */
async function reduceBelow(layer: string, only: string, options: ReduceOptions): Promise<ReducedRecording> {
  return await withFolderAsync(async (folder) => {
    const driver = lavapipePath()!, out = `${folder}/small.jsonl`, path = writeProgram(folder, only);
    const drivers = [{ driver }, { driver, layers: [layer] }] as const;
    const reduced = await reduceRecording(path, drivers, out, { validation: false, ...options });
    assertEquals(readRecording(out).lines.length, reduced.lines[1]);
    if ("path" in reduced.script) {
      const text = Deno.readTextFileSync(reduced.script.path), [body] = /^gpuTest\("[^]*?^}\);/m.exec(text)!;
      assert(body.split("\n").length <= MOST_LINES, text);
    }
    assert(reduced.commands[1] <= MOST_LEFT, `${reduced.commands}`);
    return reduced;
  });
}

Deno.test("reduceRecording() keeps a crash, by an expression of several words", LAVAPIPE, async () => {
  endAt("vkCmdDraw", "SIGKILL");
  const { finding, script, isFlaky } = await reduceBelow(ENDING, "draw", { while: 'crashes && B && "SIGKILL"' });
  assertEquals([finding?.kind, finding?.side, isFlaky], ["crashed", 1, false]);
  assertEquals("path" in script, true, JSON.stringify(script));
});

Deno.test("reduceRecording() keeps a crash amid a recording that is never submitted", LAVAPIPE, async () => {
  endAt("vkCmdFillBuffer", "SIGKILL");
  await withFolderAsync(async (folder) => {
    const driver = lavapipePath()!, drivers = [{ driver }, { driver, layers: [ENDING] }] as const;
    const upToCrash = (lines: RecordedLine[]) =>
      lines.slice(0, 1 + lines.findLastIndex((line) => "command" in line && line.command === "vkCmdFillBuffer"));
    const path = writeProgram(folder, "fill", upToCrash), how = { while: "crashes && B", validation: false } as const;
    const { lines, commands } = await reduceRecording(path, drivers, `${folder}/small.jsonl`, how);
    assertEquals(commands[1], 1);
    assert(lines[1] <= MOST_LEFT, `${lines[1]} of ${lines[0]} lines are left`);
  });
});

Deno.test(
  "reduceRecording() starts the second of two equal drivers only if the first one goes on",
  LAVAPIPE,
  async () => {
    await withFolderAsync(async (folder) => {
      const each = { driver: lavapipePath()!, layers: [NOTING] }, notes = `${folder}/notes`;
      Deno.env.set("NOTES", notes);
      const stop = new AbortController(), path = writeProgram(folder, "fill"), both = [each, each] as const;
      const how = { while: "crashes", validation: false, signal: stop.signal, onSmaller: () => stop.abort() } as const;
      const { finding, isStopped } = await reduceRecording(path, both, `${folder}/small.jsonl`, how);
      assertEquals([finding?.kind, finding?.side, isStopped], ["crashed", 0, true]);
      const words = Deno.readTextFileSync(notes).trim().split("\n"), whole = Array(3).fill(["starts", "ends"]).flat();
      assertEquals(words.slice(0, whole.length), whole);
    });
  },
);

Deno.test("reduceRecording() keeps a hang", LAVAPIPE, async () => {
  endAt("vkCmdUpdateBuffer", "SIGSTOP");
  const { finding } = await reduceBelow(ENDING, "update", { while: "hangs && B", timeout: 1000 });
  assertEquals([finding?.kind, finding?.side], ["timed out", 1]);
});

/** Writes what is left of a program that crashes, which is quickly known. Each hang takes its time. */
async function crashing(folder: string): Promise<string> {
  endAt("vkCmdUpdateBuffer", "SIGKILL");
  const driver = lavapipePath()!, drivers = [{ driver }, { driver, layers: [ENDING] }] as const;
  const path = writeProgram(folder, "update"), out = `${folder}/crashing.jsonl`;
  await reduceRecording(path, drivers, out, { while: "crashes && B", validation: false });
  return out;
}

Deno.test(
  "cli reduce waits for a hang by the time that the other driver takes, not for the whole limit",
  LAVAPIPE,
  async () => {
    await withFolderAsync(async (folder) => {
      const path = await crashing(folder), driver = `--driver=${lavapipePath()}`, limit = 15;
      endAt("vkCmdUpdateBuffer", "SIGSTOP");
      const options = [`--layer-b=${ENDING}`, "--validation=none", "--while=hangs && B", `--timeout=${limit}`];
      const { code, text } = await cli("reduce", path, driver, driver, ...options, `--out=${folder}/small.jsonl`);
      assertEquals(code, 0, text);
      const waited = /^driver B timed out at line \d+: no answer in (\d+) ms$/m.exec(text)?.[1];
      assert(Number(waited) < limit * 1000, text);
    });
  },
);

Deno.test(
  "reduceRecording() tries again what differs every other time, and says that it is flaky",
  LAVAPIPE,
  async () => {
    const { finding, script, isFlaky } = await reduceBelow(FLAKY, "fill", {});
    assertEquals([finding?.kind, isFlaky], ["differs", true]);
    assertEquals("path" in script, true, JSON.stringify(script));
  },
);

Deno.test(
  "cli reduce keeps an error of the validation layer",
  { ignore: LAVAPIPE.ignore || VALIDATION.ignore },
  async () => {
    await withFolderAsync(async (folder) => {
      const path = writeProgram(folder, "fill", withoutFills), out = `${folder}/small.jsonl`, driver = lavapipePath();
      const layer = `--validation=${validationManifest()}`, both = [`--driver=${driver}`, `--driver=${driver}`];
      const condition = '--while=validation && "VUID-vkCmdFillBuffer-dstBuffer-00029"';
      const { code, text } = await cli("reduce", path, ...both, layer, condition, `--out=${out}`);
      assertEquals(code, 0, text);
      assertMatch(text, /with 1 of \d+ commands/);
      assertMatch(text, /no script: a test shows differences, crashes and hangs alone/);
      assertMatch(text, /VUID-vkCmdFillBuffer-dstBuffer-00029/);
      const left = readRecording(out).lines.flatMap((line) => "command" in line ? [line.command] : []);
      assertEquals(left.filter((command) => command.startsWith("vkCmd")), ["vkCmdFillBuffer"]);
    });
  },
);

/** Buffers lose the usage that a fill needs. */
function withoutFills(lines: RecordedLine[]): RecordedLine[] {
  return lines.map((line) => {
    if (!("command" in line) || line.command !== "vkCreateBuffer") return line;
    const { pCreateInfo: info } = line.args, usage = info.usage & ~VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    return { ...line, args: { ...line.args, pCreateInfo: { ...info, usage } } };
  });
}

Deno.test("cli reduce says when a condition is not true, and leaves nothing behind", LAVAPIPE, async () => {
  await withFolderAsync(async (folder) => {
    const path = writeProgram(folder, "fill"), driver = lavapipePath(), before = leftIn(folder);
    const rows = [
      ["differs", 1, 'Cannot reduce while "differs": the drivers do not differ'],
      ["crashes || hangs && B", 1, 'Cannot reduce while "crashes || hangs && B": the drivers do not differ'],
      ["odd", 2, "Cannot read the condition odd: found odd; give differs, crashes, "],
    ] as const;
    for (const [condition, expected, sentence] of rows) {
      const args = ["reduce", path, `--driver=${driver}`, `--driver=${driver}`, `--out=${folder}/small.jsonl`];
      const { code, text } = await cli(...args, `--while=${condition}`);
      assertEquals([code, text.startsWith(`reduce: ${sentence}`)], [expected, true], text);
      assertEquals(leftIn(folder), before);
    }
  });
});

function leftIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}
