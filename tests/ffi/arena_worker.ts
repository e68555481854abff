/** A worker that tells where its arena is, and ends as it is told. */
import { arena } from "../../ffi/arena.ts";

const scope = globalThis as unknown as Worker & { close(): void };

scope.onmessage = ({ data }: MessageEvent<string>) => {
  if (data === "throw") throw new Error("the worker was told to fail");
  if (data === "close") return scope.close();
  const memory = arena(), at = memory.alloc(16);
  memory.view.setUint32(at, 5, true);
  scope.postMessage({ base: memory.base, size: memory.size });
};
