/**
 * Recordings of small programs on a real device, for tests of what may differ.
 *
 * @module
 */
import { apiRecording, readRecording, type RecordedStream } from "../../../loader/layers.ts";
import { VK_API_VERSION_1_3 } from "../../../loader/vk.ts";
import { type Gpu, openGpu, type OpenGpuOptions } from "../../../wsi/gpu/open_gpu.ts";
import { withFolder } from "../../support/temporary.ts";

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
