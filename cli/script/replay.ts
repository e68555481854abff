import { RecordingError, replayRecording, type ReplayReport } from "../../loader/layers.ts";
import { DriverError, VulkanError } from "../../loader/mod.ts";
import type { Process, Request } from "../command.ts";
import { exitCodeOf } from "../exit_code.ts";
import { endLayers, openLayer, type ScriptLayer } from "../layers/script_layer.ts";
import { existing } from "../files.ts";

/** The result of a replay, as `--json` prints it. */
interface Outcome extends ReplayReport {
  /** How often the script read the device's results. */
  readonly reads: number;
  /** How many of these reads have other bytes now. */
  readonly different: number;
}

/** Replays a recording: the exit code. */
export async function replay(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const path = existing("replay", request.operand!), layers: ScriptLayer[] = [];
  try {
    for (const name of request.options.layers as string[]) layers.push(await openLayer(name, process.warn));
    const outcome = run(request, path, layers);
    print(request.json ? JSON.stringify(outcome, null, 2) : textOf(outcome));
    return request.values.diff === true && outcome.different > 0 ? 1 : 0;
  } catch (error) {
    if (![RecordingError, DriverError, VulkanError].some((kind) => error instanceof kind)) throw error;
    process.warn(`${path}: ${(error as Error).message}`);
    return exitCodeOf(error);
  } finally {
    endLayers(layers, print);
  }
}

function run({ options, values }: Request, path: string, layers: readonly ScriptLayer[]): Outcome {
  let reads = 0, different = 0;
  const target = { ...options, layers: layers.map(({ current }) => current()) };
  const replayed = replayRecording(target, path, {
    unsealed: values.unsealed === true,
    onRead({ recorded, replayed }) {
      reads++;
      if (!isSame(recorded, replayed)) different++;
    },
  });
  return { ...replayed, reads, different };
}

function isSame(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && one.length === other.length && one.every((byte, index) => byte === other[index]);
}

function textOf({ deviceName, calls, reads, different }: Outcome): string {
  const seen = reads === 0
    ? "nothing was read"
    : `${different} of ${reads} reads ${different === 1 ? "has" : "have"} other bytes`;
  return `${deviceName}: ${calls} calls, ${seen}`;
}
