import type { RecordedBytes, RecordedLine } from "../record/line.ts";
import { type Edit, edited, everyValue } from "./edits.ts";
import { instructionsOf } from "../compare/spirv.ts";
import { isBytes } from "./measure.ts";
import type { Search } from "./search.ts";
import { temporaryFolder } from "../../../loader/temporary_folder.ts";

const OP = {
  undef: 1,
  extInst: 12,
  call: 57,
  variable: 59,
  load: 61,
  store: 62,
  copyMemory: 63,
  accessChain: 65,
  inBoundsAccessChain: 66,
  copyObject: 83,
} as const;
const STORAGE = { output: 3, private: 6, function: 7 } as const;
const OWN: readonly number[] = Object.values(STORAGE);
/** Words of an OpVariable without an initial value. */
const PLAIN_VARIABLE = 4;

/**
 * Returns what a shader leaves undefined: each OpUndef, variables that are read and never written, and outputs that are
 * never written. Drivers may differ there, which says nothing about them. `spirv-reduce` makes such shaders.
 */
export function undefinedIn(bytes: Uint8Array): ReadonlySet<string> {
  const variables = new Map<number, number>(), bases = new Map<number, number>(), found = new Set<string>();
  const written = new Set<number>(), read = new Set<number>();
  const baseOf = (id: number) => bases.get(id) ?? id;
  for (const [op, words] of instructionsOf(bytes)) {
    if (op === OP.undef) found.add(`undefined ${words[2]}`);
    if (op === OP.variable && OWN.includes(words[3]) && words.length === PLAIN_VARIABLE) {
      variables.set(words[2], words[3]);
    }
    if (op === OP.accessChain || op === OP.inBoundsAccessChain || op === OP.copyObject) {
      bases.set(words[2], baseOf(words[3]));
    }
    if (op === OP.load) read.add(baseOf(words[3]));
    if (op === OP.store || op === OP.copyMemory) written.add(baseOf(words[1]));
    if (op === OP.copyMemory) read.add(baseOf(words[2]));
    // A function may write through any pointer that it gets.
    if (op === OP.call || op === OP.extInst) { for (const each of words.subarray(4)) written.add(baseOf(each)); }
  }
  for (const [id, storage] of variables) {
    if (!written.has(id) && (storage === STORAGE.output || read.has(id))) found.add(`unwritten ${id}`);
  }
  return found;
}

/** The places of one shader. */
interface Shader {
  readonly content: RecordedBytes;
  readonly places: readonly Pick<Edit, "line" | "path">[];
}

/** Changes of a shader that are tried at most: fewer where each that is kept ends the process of a driver. */
const MOST_STEPS = 300, FEW_STEPS = 10;
/** Milliseconds between two changes. */
const PATIENCE = 60_000;
/**
 * The program that `spirv-reduce` runs for each change: it asks on standard output, and the answer is its exit code.
 */
const ASKING = `echo "<ask $1>"; read -r answer; exit "$answer"`;
const QUESTION = /<ask ([^>]+)>/;
const YES = "0\n", NO = "1\n";

/**
 * Makes shaders smaller by `spirv-reduce`, where that program is installed. Returns whether a smaller recording was
 * found. Where a try that is kept is dear, a shader gets all changes at once first: what crashes or hangs seldom
 * depends on them.
 */
export async function reduceShaders(search: Search, signal?: AbortSignal, isDear = false): Promise<boolean> {
  const before = search.lines, steps = isDear ? FEW_STEPS : MOST_STEPS;
  for (const shader of shadersIn(before)) {
    if (isDear && await guessShader(search, shader, steps, signal)) continue;
    const isThere = await changeShader(search, shader, steps, (words) => isTrue(search, shader, words), signal);
    if (!isThere) break;
  }
  return search.lines !== before;
}

function shadersIn(lines: readonly RecordedLine[]): Shader[] {
  const places: (Shader["places"][number] & { content: RecordedBytes })[] = [];
  everyValue(lines, (value, path, line) => {
    if (path.at(-1) === "pCode" && isBytes(value)) places.push({ line, path, content: value });
  });
  const same = Map.groupBy(places, ({ content }) => JSON.stringify(content));
  return [...same.values()].map((each) => ({ content: each[0].content, places: each }));
}

/** Changes one shader by what is true of its words. Returns whether there is such a program. */
async function changeShader(
  search: Search,
  shader: Shader,
  steps: number,
  isTrue: (words: Uint8Array<ArrayBuffer>) => boolean | Promise<boolean>,
  signal?: AbortSignal,
): Promise<boolean> {
  using folder = temporaryFolder("shader");
  const late = new AbortController();
  try {
    Deno.writeFileSync(`${folder.path}/in.spv`, search.candidate.bytesOf(shader.content));
    Deno.writeTextFileSync(`${folder.path}/ask`, ASKING);
    const child = start(folder.path, steps, AbortSignal.any([late.signal, ...signal ? [signal] : []]));
    await answerAll(child, late, async (path) => await isTrue(Deno.readFileSync(path)));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return false;
    throw error;
  }
}

/** Makes all changes to a shader that are allowed, and then one try. Returns whether the shader is smaller now. */
async function guessShader(search: Search, shader: Shader, steps: number, signal?: AbortSignal): Promise<boolean> {
  let words: Uint8Array<ArrayBuffer> | undefined;
  await changeShader(search, shader, steps, (changed) => {
    const isTaken = isDefined(search, shader, changed);
    if (isTaken) words = changed;
    return isTaken;
  }, signal);
  return words !== undefined && await search.take(withWords(search, shader, words));
}

function start(folder: string, steps: number, signal: AbortSignal): Deno.ChildProcess {
  const limits = [`--step-limit=${steps}`, `--temp-file-prefix=${folder}/try-`];
  return new Deno.Command("spirv-reduce", {
    args: [...limits, `${folder}/in.spv`, "-o", `${folder}/out.spv`, "--", "/bin/sh", `${folder}/ask`],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
    signal,
    detached: true, // Ctrl-C ends the process that asks, which says what to do
  }).spawn();
}

/** Answers every question until the program ends, or until it is silent for too long. */
async function answerAll(
  child: Deno.ChildProcess,
  late: AbortController,
  isTrue: (path: string) => Promise<boolean>,
): Promise<void> {
  const writer = child.stdin.getWriter(), wait = () => setTimeout(() => late.abort(), PATIENCE);
  let text = "", timer = wait();
  try {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      const asked = QUESTION.exec(text += chunk);
      if (!asked) continue;
      clearTimeout(timer);
      text = "";
      await writer.write(new TextEncoder().encode(await isTrue(asked[1]) ? YES : NO));
      timer = wait();
    }
  } finally {
    clearTimeout(timer);
    late.abort();
    await writer.abort().catch(() => {});
    await child.status;
  }
}

/** Whether the condition is true with other words in place of a shader's. A smaller recording is taken at once. */
async function isTrue(search: Search, shader: Shader, words: Uint8Array): Promise<boolean> {
  if (sameBytes(words, search.candidate.bytesOf(shader.content))) return true;
  if (!isDefined(search, shader, words)) return false;
  const lines = withWords(search, shader, words);
  return await search.take(lines) || await search.isTrueOf(lines);
}

/** Whether words leave no more undefined than a shader's own. Drivers may differ there, which says nothing about them. */
function isDefined({ candidate }: Search, { content }: Shader, words: Uint8Array): boolean {
  return undefinedIn(words).isSubsetOf(undefinedIn(candidate.bytesOf(content)));
}

/** The lines with other words in place of a shader's. */
function withWords({ lines, candidate }: Search, { places }: Shader, words: Uint8Array): RecordedLine[] {
  const value = candidate.contentOf(words);
  return edited(lines, places.map((place) => ({ ...place, value })));
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
