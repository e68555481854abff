/** Traces calls into the file that is its argument, and dies in the middle. */
import { perfettoTrace } from "../../../../workbench/timeline/mod.ts";
import type { VkEvent } from "../../../../loader/types.ts";
import { withScripted } from "../../../loader/layers/shipped/scripted.ts";

const trace = perfettoTrace({ path: Deno.args[0] });
withScripted([trace.layer], ({ device }) => {
  device.vkGetEventStatus(5n as VkEvent);
  trace.flush();
  device.vkGetEventStatus(5n as VkEvent);
  Deno.kill(Deno.pid, "SIGKILL");
});
