import { assert, assertEquals } from "@std/assert";
import {
  closeDescriptor,
  createEvent,
  duplicate,
  pollDescriptor,
  signalEvent,
} from "../../../ffi/file/file_descriptor.ts";
import { KIND } from "../../../wsi/fence/job_table.ts";
import { startNodeWorker, startWebWorker, ThreadLink } from "../../../wsi/fence/thread_link.ts";
import { run } from "../../support/subprocess.ts";

for (
  const [name, start] of [
    ["startWebWorker", (orders: Parameters<typeof startNodeWorker>[0]) => assert(startWebWorker(orders))],
    ["startNodeWorker", startNodeWorker],
  ] as const
) {
  Deno.test(`${name}() starts a thread that works while this one is blocked, and ends`, async () => {
    const fd = createEvent(), event = createEvent(), link = new ThreadLink(start);
    signalEvent(fd);
    link.post(0, { kind: KIND.descriptorReadable, fd: duplicate(fd), event: duplicate(event), object: -1n });
    assert(pollDescriptor(event, 20_000));
    link.end();
    assertEquals([link.isDone(0), link.hold(), link.ending(0).result], [true, false, 0]);
    for (const each of [fd, event]) closeDescriptor(each);
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
}

Deno.test("the fence worker needs --allow-ffi and nothing else, and lets the process end", () => {
  const program = new URL("../../programs/fence_worker.ts", import.meta.url).pathname;
  const deno = Deno.env.get("PUMICE_DENO") ?? Deno.execPath();
  const outcome = run(deno, ["run", "--no-prompt", "--no-config", "--allow-ffi", program], { seconds: 60 });
  assertEquals([outcome.stderr, outcome.stdout], ["", "done while blocked: true, left: true\n"]);
  assertEquals(outcome.code, 0);
});

Deno.test("fences are carried inside a Worker, by a thread that is started for each or kept", async () => {
  const program = new URL("../../programs/fences_in_worker.ts", import.meta.url);
  const worker = new Worker(program, { type: "module" }), told = Promise.withResolvers<boolean[]>();
  worker.onmessage = ({ data }) => told.resolve(data);
  worker.onerror = (event) => told.reject(new Error(event.message));
  assertEquals(await told.promise, [true, true, true, true]);
  worker.terminate();
});
