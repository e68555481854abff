import { assert, assertEquals } from "@std/assert";
import type { Search } from "../../../../workbench/recordings/reduce/search.ts";
import { reduceShaders } from "../../../../workbench/recordings/reduce/shaders.ts";
import { squaresComp } from "../../../../examples/driver/shaders_gen.ts";
import type { RecordedBytes, RecordedLine } from "../../../../workbench/layers.ts";
import { onPath } from "../../../../tools/setup/files.ts";
import { needs } from "../../../support/require.ts";

const HEADER = 5, OP_UNDEF = 1, OP_STORE = 62, OP_IMUL = 132;
const TOOL = needs("shader tools", onPath("spirv-reduce"));

function opcodesIn(bytes: Uint8Array): number[] {
  const words = new Uint32Array(bytes.slice().buffer), found: number[] = [];
  for (let at = HEADER; at < words.length; at += words[at] >>> 16) found.push(words[at] & 0xffff);
  return found;
}

const wordsOf = (lines: readonly RecordedLine[]): Uint8Array[] =>
  lines.map((line) => (line as unknown as { args: { pCreateInfo: { pCode: Uint8Array } } }).args.pCreateInfo.pCode);

/** A recording of two modules of one shader, of which a condition on the opcodes must stay true. */
class Modules implements Search {
  lines: readonly RecordedLine[];
  /** The number of tries. */
  tries = 0;
  readonly candidate = {
    bytesOf: (content: RecordedBytes) => content as Uint8Array,
    contentOf: (bytes: Uint8Array) => bytes,
  } as unknown as Search["candidate"];
  readonly #holds: (opcodes: readonly number[]) => boolean;

  constructor(holds: (opcodes: readonly number[]) => boolean) {
    const pCode = new Uint8Array(squaresComp().buffer);
    this.lines = [1, 2].map(() => ({ command: "vkCreateShaderModule", args: { pCreateInfo: { pCode } } }));
    this.#holds = holds;
  }

  isTrueOf(lines: readonly RecordedLine[]): Promise<boolean> {
    this.tries++;
    return Promise.resolve(wordsOf(lines).every((words) => this.#holds(opcodesIn(words))));
  }

  async take(lines: readonly RecordedLine[]): Promise<boolean> {
    const isSmaller = wordsOf(lines)[0].length < wordsOf(this.lines)[0].length;
    if (!isSmaller || !await this.isTrueOf(lines)) return false;
    this.lines = lines;
    return true;
  }
}

Deno.test("reduceShaders() makes every module of a shader smaller while the condition holds", TOOL, async () => {
  const search = new Modules((opcodes) => opcodes.includes(OP_STORE)), [before] = wordsOf(search.lines);
  assertEquals(await reduceShaders(search), true);
  const [one, other] = wordsOf(search.lines), opcodes = opcodesIn(one);
  assertEquals(other, one);
  assertEquals([opcodes.includes(OP_STORE), opcodes.includes(OP_IMUL), opcodes.includes(OP_UNDEF)], [
    true,
    false,
    false,
  ]);
  assert(one.length < before.length / 1.5, `${one.length} of ${before.length} bytes`);
});

Deno.test(
  "reduceShaders() tries a shader once with all changes where each try is dear, and otherwise one by one",
  TOOL,
  async () => {
    const any = new Modules(() => true), before = wordsOf(any.lines)[0].length;
    assertEquals([await reduceShaders(any, undefined, true), any.tries], [true, 1]);
    assert(wordsOf(any.lines)[0].length < before, `${before} bytes are left`);
    const picky = new Modules((opcodes) => opcodes.includes(OP_IMUL));
    assertEquals([await reduceShaders(picky, undefined, true), picky.tries > 1], [true, true]);
    assertEquals(opcodesIn(wordsOf(picky.lines)[0]).includes(OP_IMUL), true);
  },
);

Deno.test("reduceShaders() leaves a shader whose every change breaks the condition", TOOL, async () => {
  const search = new Modules(() => false), { lines } = search;
  assertEquals([await reduceShaders(search), search.lines], [false, lines]);
});

Deno.test("reduceShaders() throws the reason of an abort, and leaves no process", TOOL, async () => {
  const stop = new AbortController(), search = new Modules(() => true);
  search.take = () => {
    stop.abort(new Error("stopped here"));
    return Promise.reject(stop.signal.reason);
  };
  const error = await reduceShaders(search, stop.signal).catch((reason) => reason);
  assertEquals(error.message, "stopped here");
});

Deno.test("reduceShaders() does nothing where there is no spirv-reduce", async () => {
  const path = Deno.env.get("PATH")!, search = new Modules(() => true), { lines } = search;
  Deno.env.set("PATH", "/nowhere");
  try {
    assertEquals([await reduceShaders(search), search.lines], [false, lines]);
  } finally {
    Deno.env.set("PATH", path);
  }
});
