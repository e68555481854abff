/** `last_words.ts LIBRARY`: ends workers whose library calls them back when they end, and prints what it was answered. */
import { NativeBlock } from "../../ffi/block.ts";
import type { LastWords } from "./last_words_worker.ts";
import { until } from "../support/until.ts";

for (const atEnd of [false, true]) { // a library with something to do at the thread's end is not unloaded before
  for (const how of ["close", "terminate"]) {
    const worker = new Worker(new URL("last_words_worker.ts", import.meta.url), { type: "module" });
    const { address, view } = new NativeBlock(8), order: LastWords = { path: Deno.args[0], results: address, atEnd };
    await new Promise((resolve) => {
      worker.onmessage = resolve;
      worker.postMessage(order);
    });
    if (how === "close") worker.postMessage("close");
    else worker.terminate();
    const result = () => view.getInt32(atEnd ? 4 : 0, true);
    await until("the thread has a result", () => result() !== 0);
    console.log(how, atEnd ? "thread" : "library", result());
  }
}
