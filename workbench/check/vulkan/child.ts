/**
 * Checks a Vulkan driver in a process of its own. The parent's options come by
 * the environment, and a line of JSON goes out for each trial.
 * @module
 */
import { type CheckProgress, checkVulkan } from "../mod.ts";
import { withTwins } from "../../process/twin_option.ts";
import { CHECK_VARIABLE, type ChildLine, notRun } from "./line.ts";

function tell(line: ChildLine): void {
  console.log(JSON.stringify(line));
}

if (import.meta.main) {
  const progress: CheckProgress = {
    begin: (begin) => tell({ begin }),
    end: (end) => tell({ end }),
    call: (call) => tell({ call }),
    returned: (returned) => tell({ returned }),
  };
  try {
    tell({ report: checkVulkan({ ...withTwins(JSON.parse(Deno.env.get(CHECK_VARIABLE)!)), progress }) });
  } catch (error) {
    tell(notRun(error));
  }
}
