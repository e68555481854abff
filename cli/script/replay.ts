import type { ReplayedQueries, ReplayReport } from "../../workbench/recordings/replay/options.ts";
import { replayRecording } from "../../workbench/recordings/replay/replay.ts";
import { VK_QUERY_TYPE_TIMESTAMP } from "../../loader/gen/native_gen.ts";
import type { Process, Request } from "../command.ts";
import { endLayers, glesHookOf, openLayer, type ScriptLayer } from "../layers/script_layer.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { existing } from "../../workbench/process/files.ts";

/** The result of a replay, as `--json` prints it. */
interface Outcome extends ReplayReport {
  /** The program's reads of the device's results: contents of buffers, and results of queries except timestamps. */
  readonly reads: number;
  /** The number of those reads that have other bytes now. */
  readonly different: number;
  /** The number of reads that differ only where neither the program nor the device wrote. They are not `different`. */
  readonly unwritten: number;
}

/** The reads that differ, by number: the recorded bytes, and those that the first replay left. */
type Differing = ReadonlyMap<number, { readonly recorded: Uint8Array; readonly replayed: Uint8Array }>;

/**
 * The byte that new memory is filled with in a second replay. A byte that has this value then, and zero at first, was
 * not written.
 */
const FILL = 0xa5;

/** Replays a recording: the exit code. */
export async function replay(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const path = existing("replay", request.operand!), layers: ScriptLayer[] = [];
  let code: number, areWhole = true;
  try {
    code = await replayUnder(layers, path, { request, print, process });
  } finally {
    areWhole = endLayers(layers, print, process.warn);
  }
  return code === 0 && !areWhole ? 1 : code;
}

/** Opens the layers, adds them to the list, and replays under them. */
async function replayUnder(
  layers: ScriptLayer[],
  path: string,
  { request, print, process }: { request: Request; print: (text: string) => void; process: Process },
): Promise<number> {
  for (const name of request.options.layers as string[]) {
    layers.push(await openLayer(name, process.warn));
    const hook = glesHookOf(layers.at(-1)!.current());
    if (hook !== undefined) throw new WrongUse(`replay: ${name} hooks ${hook}, which is of OpenGL ES: leave it out`);
  }
  const outcome = run(request, path, layers, process);
  for (const each of outcome.held) process.warn(`${path}: ${each}; the device never got that work`);
  print(request.json ? JSON.stringify(outcome, null, 2) : textOf(outcome));
  return outcome.again !== undefined || request.values.diff === true && outcome.different > 0 ? 1 : 0;
}

function run({ options, values }: Request, path: string, layers: readonly ScriptLayer[], { warn }: Process): Outcome {
  const target = () => ({ ...options, layers: layers.map(({ current }) => current()) });
  const differing = new Map<number, { recorded: Uint8Array; replayed: Uint8Array }>();
  const unsealed = values.unsealed === true;
  let reads = 0, queries = 0, otherQueries = 0;
  const replayed = replayRecording(target(), path, {
    unsealed,
    onRead({ recorded, replayed }) {
      if (!isSame(recorded, replayed)) differing.set(reads, { recorded, replayed: replayed ?? new Uint8Array() });
      reads++;
    },
    onQueries(each) {
      if (each.queryType === VK_QUERY_TYPE_TIMESTAMP) return;
      queries++;
      if (!isSame(each.recorded, each.replayed)) otherQueries++;
    },
    onUnfinished: (line, command) =>
      warn(`${path}: line ${line}: the recorded program ended within this ${command}, which is made again now`),
  });
  const unwritten = values.diff === true && differing.size > 0
    ? countUnwritten(path, target(), unsealed, differing)
    : 0;
  const different = differing.size - unwritten + otherQueries;
  return { ...replayed, reads: reads + queries, different, unwritten };
}

/** Counts reads that differ only in bytes that a second replay leaves as new memory was. */
function countUnwritten(
  path: string,
  target: Parameters<typeof replayRecording>[0],
  unsealed: boolean,
  differing: Differing,
): number {
  let count = 0, read = 0;
  replayRecording(target, path, {
    unsealed,
    fill: FILL,
    onRead({ replayed: again }) {
      const first = differing.get(read++);
      if (!first || !again || first.replayed.length === 0) return;
      const { recorded, replayed } = first;
      const isUnwritten = (byte: number, index: number) =>
        byte === recorded[index] || byte === 0 && again[index] === FILL;
      if (replayed.every(isUnwritten)) count++;
    },
  });
  return count;
}

function isSame(one: Uint8Array, other: ReplayedQueries["replayed"] | undefined): boolean {
  return other !== undefined && one.length === other.length && one.every((byte, index) => byte === other[index]);
}

function textOf({ deviceName, calls, reads, different, unwritten, again }: Outcome): string {
  const seen = reads === 0
    ? "nothing was read"
    : `${different} of ${reads} reads ${different === 1 ? "has" : "have"} other bytes`;
  const aside = unwritten === 0 ? "" : `; ${unwritten} more differ only in memory that nothing wrote`;
  const last = again === undefined ? "" : `; ${again}, within which the recorded program ended, returned here`;
  return `${deviceName || "no device"}: ${calls} calls, ${seen}${aside}${last}`;
}
