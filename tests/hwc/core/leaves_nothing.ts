import { assertEquals } from "@std/assert";
import { openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { leavesNothing } from "../../wsi/leaves_nothing.ts";
import { Bench } from "./frame.ts";

let isWarm = false;

/** A test on a bench: afterwards no file, no buffer and no mapping is left. The first composition opens libraries for good. */
export function onBench(run: (bench: Bench) => void, options?: ConstructorParameters<typeof Bench>[0]): () => void {
  return () => {
    if (!isWarm) {
      using bench = new Bench();
      bench.layer();
      bench.present().close();
      bench.vsyncs();
      bench.pixel(0, 0);
      isWarm = true;
    }
    const buffers = openBuffers();
    leavesNothing(() => {
      using bench = new Bench(options);
      run(bench);
    });
    assertEquals(openBuffers(), buffers);
  };
}
