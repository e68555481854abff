/**
 * A worker that puts a loader in the place of the system's and ends without
 * taking it away. It tells the address of a word that is 1 after its end.
 */
import { NativeBlock } from "../../../../ffi/block.ts";
import { storeAtThreadEnd } from "../../../../ffi/thread_end.ts";
import { defineLayer, loadVulkan } from "../../../../loader/mod.ts";

const scope = globalThis as unknown as Worker & { close(): void };

scope.onmessage = ({ data }: MessageEvent<{ driver: string } | "close" | "throw">) => {
  if (data === "throw") throw new Error("the worker was told to fail");
  if (data === "close") return scope.close();
  const layer = defineLayer({
    name: "VK_LAYER_TEST_of_a_worker",
    anyCommand: () => (next, ...args) => next(...args),
    onForeignThread: "block",
  });
  loadVulkan({ driver: data.driver, layers: [layer] }).install();
  const gone = new NativeBlock(8).address;
  storeAtThreadEnd(gone, 1n);
  scope.postMessage(gone);
};
