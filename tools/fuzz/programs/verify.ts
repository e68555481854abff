/**
 * The process that replays a recording: `verify.ts RECORDING DRIVER`. Prints a line of JSON: a {@linkcode Replayed}.
 *
 * @module
 */
import { replayRecording } from "../../../workbench/layers.ts";
import { VK_QUERY_TYPE_TIMESTAMP } from "../../../loader/vk.ts";
import { digestOf } from "./digest.ts";

/** The outcome of a replay. */
export interface Replayed {
  /** How many reads were compared: of buffers, and of queries other than timestamps. */
  readonly reads: number;
  /** A sentence for each read that differs. */
  readonly differences: readonly string[];
  /** The digest of each picture that the program presented. */
  readonly pictures: readonly string[];
}

function replayed(path: string, driver: string): Replayed {
  const differences: string[] = [], pictures: string[] = [];
  let reads = 0;
  const compare = (what: string, recorded: Uint8Array, replayed: Uint8Array = new Uint8Array()) => {
    reads++;
    if (digestOf(recorded) !== digestOf(replayed)) differences.push(`read ${reads}, of ${what}, differs`);
  };
  replayRecording({ driver }, path, {
    onRead: ({ buffer, recorded, replayed }) => compare(buffer, recorded, replayed),
    onQueries: ({ queryPool, queryType, recorded, replayed }) =>
      queryType === VK_QUERY_TYPE_TIMESTAMP || compare(queryPool, recorded, replayed),
    onPresent: ({ read }) => pictures.push(digestOf(read())),
  });
  return { reads, differences, pictures };
}

if (import.meta.main) console.log(JSON.stringify(replayed(Deno.args[0], Deno.args[1])));
