import { mappedWords } from "../../../wsi/buffer/cpu_access.ts";
import { READ, syncDmaBuf } from "../../../wsi/buffer/dma_buf.ts";
import { whyUnreadable } from "../../../wsi/buffer/graphic_buffer.ts";
import { rowsOfTiles, tilingOf } from "../../../wsi/buffer/tiling.ts";
import type { TileReader } from "./tile_reader.ts";

/** The processor, which knows Intel's X and Y tiles. */
export const CPU_TILES: TileReader = {
  reads: (buffer) => whyUnreadable(buffer) ?? true,
  copy({ modifier, memory, rowPitch, height }, to) {
    const isShared = memory.kind === "dma-buf";
    if (isShared) syncDmaBuf(memory.fd, READ, false);
    // The buffer is not locked: its maker need not have allowed the CPU.
    rowsOfTiles(mappedWords(memory), mappedWords(to.memory), { tiling: tilingOf(modifier)!, rowPitch, height });
    if (isShared) syncDmaBuf(memory.fd, READ, true);
  },
};
