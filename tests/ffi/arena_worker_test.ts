import { assertEquals } from "@std/assert";
import { isMapped } from "../../ffi/mapped.ts";
import { until } from "../support/until.ts";

for (const how of ["terminate", "close", "throw"] as const) {
  Deno.test(`a worker's arena is given back when the worker ends by ${how}`, async () => {
    const worker = new Worker(new URL("arena_worker.ts", import.meta.url), { type: "module" });
    const failed = new Promise<void>((resolve) => {
      worker.onerror = (event) => {
        event.preventDefault();
        resolve();
      };
    });
    const { base, size } = await new Promise<{ base: bigint; size: number }>((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.postMessage("where");
    });
    const middle = base + BigInt(size / 2);
    assertEquals([isMapped(base), isMapped(middle)], [true, true]);
    if (how === "terminate") worker.terminate();
    else worker.postMessage(how);
    if (how === "throw") await failed; // an error that arrives after the last test fails the process
    await until("the memory is unmapped", () => !isMapped(middle));
  });
}
