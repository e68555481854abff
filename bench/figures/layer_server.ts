import { defineLayer, type Layer } from "../../loader/mod.ts";
import { apiProfile, serveLayers, type ServeLayersOptions } from "../../workbench/layers.ts";
import { compileFixture, compileProgram } from "../../tests/support/compile.ts";
import { startXServer } from "../../tests/support/x_server.ts";
import type { Figure } from "../figure.ts";
import { median } from "../measure.ts";

/** Rounds of all kinds in turn, calls of a round, and frames of a long and a short run. */
const ROUNDS = 5, CALLS = { direct: 200_000, handed: 5000, rare: 1000, noted: 1500 }, FRAMES = { long: 620, short: 20 };
/** Nanoseconds of other work before a call that comes now and then. */
const PAUSE = 100_000;
const MEASURED = "vkGetBufferMemoryRequirements";

const passing = defineLayer({
  name: "VK_LAYER_BENCH_passing",
  recorded() {},
  commands: { [MEASURED]: (next: (...args: unknown[]) => unknown, ...args: unknown[]) => next(...args) } as never,
});
/** Hooks what the programs do not call, so that the library is there and does nothing. */
const idle = defineLayer({
  name: "VK_LAYER_BENCH_idle",
  commands: { vkCreateSamplerYcbcrConversion: (next, ...args) => next(...args) },
});

/** The cost of layers that answer the calls of a native program, beside the same program without them. */
export async function layerServerFigures(): Promise<Figure[]> {
  const program = compileProgram("elsewhere_bench");
  if (!program) return [];
  const call = async (layers: readonly Layer[] | undefined, calls: number, policies?: "record", listen?: string) =>
    nanoseconds((await output(layers, [program, `${ROUNDS}`, `${calls}`], {}, { policies, listen })).stdout);
  const inC = async (variant: "pass" | "record") => {
    const flags = variant === "record" ? ["-DRECORD"] : [];
    const library = compileFixture("elsewhere_c_layer", flags, variant);
    if (!library) return NaN;
    using folder = new LayerFolder(library);
    const { stdout } = await output(undefined, [program, `${ROUNDS}`, `${CALLS.direct}`], folder.environment);
    return nanoseconds(stdout);
  };
  const [direct, idling, passedInC, notedInC, handed, rare, noted, sent] = [
    await call(undefined, CALLS.direct),
    await call([idle], CALLS.direct),
    await inC("pass"),
    await inC("record"),
    await call([passing], CALLS.handed),
    nanoseconds((await output([passing], [program, `${ROUNDS}`, `${CALLS.rare}`, `${PAUSE}`])).stdout),
    await call([passing], CALLS.noted, "record"),
    await call([passing], CALLS.noted, "record", "tcp:127.0.0.1:0"),
  ];
  const frames = await frameTimes();
  return [
    { name: "elsewhere_direct_ns", meaning: "a call of a native program without layers", value: direct, unit: "ns" },
    { name: "elsewhere_idle_ns", meaning: "the same with layers that hook other commands", value: idling, unit: "ns" },
    { name: "elsewhere_c_pass_ns", meaning: "a call that a layer in C passes on", value: passedInC, unit: "ns" },
    {
      name: "elsewhere_c_record_ns",
      meaning: "a call that a layer in C notes, with its thread and the time",
      value: notedInC,
      unit: "ns",
    },
    {
      name: "elsewhere_block_us",
      meaning: "a call that a hook in another process passes on",
      value: handed / 1000,
      unit: "µs",
      goal: 12,
    },
    {
      name: "elsewhere_rare_us",
      meaning: "the same, 100 µs after the one before",
      value: rare / 1000,
      unit: "µs",
    },
    {
      name: "elsewhere_record_ns",
      meaning: "a call that is noted for later",
      value: noted,
      unit: "ns",
      goal: 100,
    },
    { name: "elsewhere_sent_ns", meaning: "the same, sent through TCP", value: sent, unit: "ns" },
    { name: "elsewhere_frame_ms", meaning: "a frame of vkcube without layers", value: frames.direct, unit: "ms" },
    {
      name: "elsewhere_idle_frame",
      meaning: "a frame of vkcube with layers that hook other commands, over one without",
      value: frames.idle / frames.direct,
      unit: "×",
      goal: 1.02,
    },
    {
      name: "elsewhere_profile_frame",
      meaning: "the same with apiProfile, which hooks every command",
      value: frames.profile / frames.direct,
      unit: "×",
      goal: 1.3,
    },
  ];
}

/** Nanoseconds of a call that so many threads of a native program hand to layers of this process, in turn. */
export async function callOfThreads(threads: number): Promise<number> {
  const program = compileProgram("elsewhere_bench"), words = [`${ROUNDS}`, `${CALLS.handed}`, "0", `${threads}`];
  return program ? nanoseconds((await output([passing], [program, ...words])).stdout) : NaN;
}

/**
 * Milliseconds of a frame of vkcube: a long run less a short one. Of each, the
 * least of the rounds counts: the kinds differ by less than what other work on
 * the machine adds to some rounds.
 */
async function frameTimes(): Promise<Record<"direct" | "idle" | "profile", number>> {
  await using display = await startXServer();
  const kinds = { direct: undefined, idle: [idle], profile: [apiProfile().layer] };
  const least = new Map<string, number>();
  const round = async (kind: keyof typeof kinds, run: keyof typeof FRAMES) => {
    const line = ["vkcube", "--c", `${FRAMES[run]}`];
    const { took } = await output(kinds[kind], line, { DISPLAY: display.display });
    least.set(kind + run, Math.min(took, least.get(kind + run) ?? Infinity));
  };
  for (let done = 0; done < ROUNDS; done++) {
    for (const kind of ["direct", "idle", "profile"] as const) {
      for (const run of ["long", "short"] as const) await round(kind, run);
    }
  }
  const frame = (kind: string) =>
    (least.get(`${kind}long`)! - least.get(`${kind}short`)!) / (FRAMES.long - FRAMES.short);
  return { direct: frame("direct"), idle: frame("idle"), profile: frame("profile") };
}

/** A folder with a native layer, for as long as a `using` scope. */
class LayerFolder implements Disposable {
  readonly #folder = Deno.makeTempDirSync();
  /** The variables by which programs load the layer. */
  readonly environment: Record<string, string> = {
    VK_ADD_LAYER_PATH: this.#folder,
    VK_INSTANCE_LAYERS: "VK_LAYER_BENCH_native",
  };

  constructor(library_path: string) {
    const layer = { name: "VK_LAYER_BENCH_native", type: "GLOBAL", library_path, api_version: "1.3.0" };
    const described = { ...layer, implementation_version: "1", description: "for comparison" };
    const manifest = JSON.stringify({ file_format_version: "1.1.2", layer: described });
    Deno.writeTextFileSync(`${this.#folder}/layer.json`, manifest);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.#folder, { recursive: true });
  }
}

async function output(
  layers: readonly Layer[] | undefined,
  line: readonly string[],
  more: Record<string, string> = {},
  options: Pick<ServeLayersOptions, "policies" | "listen"> = {},
) {
  const { runServed } = await import("../../tests/workbench/layer_server/programs.ts"); // compiles a program when it is loaded
  await using server = await serveLayers({ layers: layers ?? [], ...options });
  const start = performance.now();
  const { code, stdout, stderr } = layers
    ? await runServed(server, line, more)
    : await runServed(server, line, more, more.VK_INSTANCE_LAYERS ?? "");
  if (code !== 0) throw new Error(`${line[0]} ended with ${code}: ${stderr}`);
  return { stdout, took: performance.now() - start };
}

function nanoseconds(text: string): number {
  return median(text.trim().split("\n").map(Number));
}
