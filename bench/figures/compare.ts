import { Pair } from "../../workbench/recordings/compare/pair.ts";
import { type Rest, runStream } from "../../workbench/recordings/compare/driver_process/run.ts";
import type { Vulkan } from "../../loader/api/vulkan.ts";
import { replayRecording } from "../../workbench/layers.ts";
import { loadVulkan } from "../../loader/mod.ts";
import { RecordingFile } from "../../workbench/recordings/replay/recording_file.ts";
import { recordDemo } from "../../tests/workbench/recordings/replay/recorded.ts";
import { swiftshaderPath } from "../../tools/setup/parts.ts";
import type { Figure } from "../figure.ts";
import { median } from "../measure.ts";
import type { Parts } from "../parts.ts";

/** Rounds; each has one of everything, one after the other. */
const ROUNDS = 5, TIMEOUT = 60_000;

/** Milliseconds of one round. */
interface Round {
  /** A replay, on the slower driver. */
  readonly replay: number;
  /** A comparison of both drivers, whose processes run. */
  readonly compared: number;
  /** The time of reading back in that, on the slower driver. */
  readonly read: number;
}

/** The cost of a comparison of two drivers on the demo's recording, beside replays of it. */
export async function compareFigures({ lavapipe }: Parts): Promise<Figure[]> {
  const folder = Deno.makeTempDirSync(), recording = `${folder}/demo.jsonl`;
  const drivers = [lavapipe, swiftshaderPath() ?? lavapipe] as const;
  const both = [{ driver: drivers[0] }, { driver: drivers[1] }] as const;
  const pair = new Pair(both, { recording, unsealed: false, timeout: TIMEOUT, steps: {}, share: 1 });
  try {
    recordDemo(recording, lavapipe);
    await pair.run({}); // both processes start
    const rounds: Round[] = [];
    while (rounds.length < ROUNDS) rounds.push(await measured(recording, drivers, pair));
    return figuresOf(rounds);
  } finally {
    await pair.close();
    Deno.removeSync(folder, { recursive: true });
  }
}

async function measured(recording: string, drivers: readonly string[], pair: Pair): Promise<Round> {
  const alone = drivers.map((driver) => {
    using vulkan = loadVulkan({ driver });
    return { replay: milliseconds(() => replayRecording(vulkan, recording)), read: reading(vulkan, recording) };
  });
  const start = performance.now();
  await pair.run({});
  const compared = performance.now() - start;
  return { compared, ...slowest(alone) };
}

function slowest(alone: readonly { readonly replay: number; readonly read: number }[]) {
  return {
    replay: Math.max(...alone.map(({ replay }) => replay)),
    read: Math.max(...alone.map(({ read }) => read)),
  };
}

/** Milliseconds that a replay reads back after its submissions. */
function reading(vulkan: Pick<Vulkan, never>, recording: string): number {
  let read = 0;
  const onRest = (rest: Rest) => {
    read += milliseconds(() => rest.read());
    return true;
  };
  runStream(vulkan as Vulkan, new RecordingFile(recording, false), { timeout: TIMEOUT, onRest });
  return read;
}

function milliseconds(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function figuresOf(rounds: readonly Round[]): Figure[] {
  const middle = (value: (round: Round) => number) => median(rounds.map(value));
  return [
    {
      name: "compare_replay_ms",
      meaning: "a replay of the demo's recording, on the slower of two drivers",
      value: middle(({ replay }) => replay),
      unit: "ms",
    },
    {
      name: "compare_ms",
      meaning: "a comparison of both drivers on the recording, in processes that run",
      value: middle(({ compared }) => compared),
      unit: "ms",
    },
    {
      name: "compare_read_ms",
      meaning: "what reading back takes in that",
      value: middle(({ read }) => read),
      unit: "ms",
    },
    {
      name: "compare_vs_replay",
      meaning: "the comparison without reading back, over the replay",
      value: middle(({ compared, read, replay }) => (compared - read) / replay),
      unit: "×",
      goal: 2,
    },
  ];
}
