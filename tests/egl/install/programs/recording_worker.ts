/** A worker that installs a Vulkan loader under a recording layer, for a program on another thread. */
import { type ApiRecording, apiRecording } from "../../../../workbench/recordings/record/record.ts";
import { loadVulkan, type Vulkan } from "../../../../loader/mod.ts";

/** An order to the worker: to begin, or to end and report. */
export type Order = { readonly driver: string; readonly path: string } | "end";

const scope = globalThis as unknown as Worker;
let recording: ApiRecording, vulkan: Vulkan;

scope.onmessage = ({ data }: MessageEvent<Order>) => {
  if (data === "end") return scope.postMessage(end());
  recording = apiRecording({ path: data.path, otherThreads: "block" });
  vulkan = loadVulkan({ driver: data.driver, layers: [recording.layer] });
  vulkan.install();
  scope.postMessage("installed");
};

function end() {
  vulkan.close();
  recording.close();
  const { gaps, unseen, error } = recording;
  return { gaps, unseen, error: error === undefined ? undefined : String(error) };
}
