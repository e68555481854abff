import type { RecordedCall } from "./line.ts";

// deno-lint-ignore no-explicit-any -- structs of a call
type Fields = Record<string, any>;

/** Returns the names of the command buffers in a submission. */
export function commandBuffersIn({ args }: RecordedCall): string[] {
  return (args.pSubmits ?? []).flatMap(({ pCommandBuffers, pCommandBufferInfos }: Fields) =>
    pCommandBuffers ?? (pCommandBufferInfos ?? []).map(({ commandBuffer }: Fields) => commandBuffer)
  );
}
