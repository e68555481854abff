/**
 * Recordings of small programs on a real device, for tests of what may differ.
 *
 * @module
 */
import { apiRecording, readRecording, type RecordedStream } from "../../../../../workbench/layers.ts";
import { VK_API_VERSION_1_3 } from "../../../../../loader/vk.ts";
import { type Gpu, openGpu, type OpenGpuOptions } from "../../../../../wsi/gpu/open_gpu.ts";
import type { Layer } from "../../../../../loader/layer.ts";
import { withFolder } from "../../../../support/temporary.ts";
import { differences } from "./programs.ts";

/** Records what `run` does with a device, and gives the recording to `use`. */
export function withRecorded(wanted: OpenGpuOptions, run: (gpu: Gpu) => void, use: (stream: RecordedStream) => void) {
  withFolder((folder) => {
    const path = `${folder}/program.jsonl`;
    using recording = apiRecording({ path });
    {
      using gpu = openGpu({ apiVersion: VK_API_VERSION_1_3, ...wanted, layers: [recording.layer] });
      run(gpu);
    }
    recording.close();
    if (recording.error !== undefined || recording.gaps.length > 0) throw recording.error ?? recording.gaps;
    use(readRecording(path));
  });
}

/**
 * Returns how much differs of what, with each of some faults beside a driver with `one`: texels or blocks of images,
 * bytes of buffers, by name.
 */
export function amountsIn(
  driver: string,
  run: (gpu: Gpu) => void,
  faults: readonly Layer[],
  one?: Layer,
  wanted: OpenGpuOptions = {},
): Record<string, number>[] {
  const all: Record<string, number>[] = [];
  withRecorded({ driver, ...wanted }, run, (stream) => {
    for (const fault of faults) {
      const found = [...differences(driver, stream, one, fault)];
      all.push(
        Object.fromEntries(
          found.map(([name, each]) => [name, "texels" in each ? each.texels.texels : each.bytes.bytes]),
        ),
      );
    }
  });
  return all;
}
