/**
 * The process that replays recordings, each on its drivers, which have commas between them: `verify.ts RECORDING
 * DRIVERS ...`. Prints a line of JSON for each: a {@linkcode Replayed}.
 *
 * @module
 */
import { type ReplayOptions, replayRecording } from "../../../workbench/layers.ts";
import { VK_QUERY_TYPE_TIMESTAMP } from "../../../loader/vk.ts";
import { digestOf } from "./digest.ts";

/** The outcome of a replay. */
export interface Replayed {
  /** The number of reads that were compared: of buffers, and of queries other than timestamps. */
  readonly reads: number;
  /** A sentence for each read that differs. */
  readonly differences: readonly string[];
  /** The digest of each picture that the program presented. */
  readonly pictures: readonly string[];
  /** The reason why the replay ended before its end; absent if it did not. */
  readonly failure?: string;
}

function replayed(path: string, driver: string[]): Replayed {
  const differences: string[] = [], pictures: string[] = [];
  let reads = 0;
  const compare = (what: string, recorded: Uint8Array, replayed: Uint8Array = new Uint8Array()) => {
    reads++;
    if (digestOf(recorded) !== digestOf(replayed)) differences.push(`read ${reads}, of ${what}, differs`);
  };
  const options: ReplayOptions = {
    onRead: ({ buffer, recorded, replayed }) => compare(buffer, recorded, replayed),
    onQueries: ({ queryPool, queryType, recorded, replayed }) =>
      queryType === VK_QUERY_TYPE_TIMESTAMP || compare(queryPool, recorded, replayed),
    onPresent: ({ read }) => pictures.push(digestOf(read())),
  };
  try {
    replayRecording({ driver }, path, options);
  } catch (error) {
    return { reads, differences, pictures, failure: `the replay failed: ${(error as Error).message}` };
  }
  return { reads, differences, pictures };
}

if (import.meta.main) {
  for (let at = 0; at < Deno.args.length; at += 2) {
    console.log(JSON.stringify(replayed(Deno.args[at], Deno.args[at + 1].split(","))));
  }
}
