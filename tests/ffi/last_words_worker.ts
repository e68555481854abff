/** A worker whose library calls a callback of the worker's when Deno has dropped what the worker had. */
import { createThunk } from "../../ffi/thunk/thunk.ts";

/** The worker's order: the library, where that leaves results, whether it calls at the thread's end, too. */
export type LastWords = { path: string; results: bigint; atEnd: boolean } | "close";

const scope = globalThis as unknown as Worker & { close(): void };

scope.onmessage = ({ data }: MessageEvent<LastWords>) => {
  if (data === "close") return scope.close();
  const { address } = createThunk("s:q", () => -1, { failure: -5 });
  const { symbols } = Deno.dlopen(data.path, { call_last: { parameters: ["u64", "u64", "u32"], result: "void" } });
  symbols.call_last(address, data.results, Number(data.atEnd));
  scope.postMessage("ready");
};
