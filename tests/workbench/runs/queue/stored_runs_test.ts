import { assertEquals } from "@std/assert";
import type { Queue } from "../../../../workbench/runs/queue/connect.ts";
import { encode, PROTOCOL } from "../../../../workbench/runs/queue/messages.ts";
import { RunsThere } from "../../../../workbench/runs/queue/stored_runs.ts";

/** A queue that tells of a run after it has answered which runs there are, and before that answer arrives. */
function crossing(record: Uint8Array): { readonly queue: Queue; readonly looked: Promise<void> } {
  const looked = Promise.withResolvers<void>();
  let hear: (error: null, message: unknown) => void = () => {};
  const subscribe = (_: string, { callback }: { readonly callback: typeof hear }) => {
    hear = callback;
    return { unsubscribe() {} };
  };
  const keysOf = () => {
    hear(null, { subject: "$KV.pumice_runs.a", data: record });
    setTimeout(looked.resolve);
    return Promise.resolve([]);
  };
  return { queue: { connection: { subscribe }, keysOf } as unknown as Queue, looked: looked.promise };
}

Deno.test("a run that begins while a worker looks for runs is no run that has ended", async () => {
  const { queue, looked } = crossing(encode({ protocol: PROTOCOL, version: "1", groups: [{}] }));
  const runs = new RunsThere(queue, "1"), following = runs.follow();
  await looked;
  assertEquals(runs.all.map(({ name }) => name), ["a"]);
  runs.stop();
  await following;
});
