/**
 * Checks a Vulkan driver in a process of its own. The parent's options come by
 * the environment, and a line of JSON goes out for each trial.
 * @module
 */
import type { CheckProgress } from "../../../loader/requirements/requirement.ts";
import type { VulkanCheckOptions } from "../../../loader/requirements/run_check.ts";
import { checkVulkan } from "../../../wsi/check_vulkan.ts";
import { isTwin } from "../../process/twin_words.ts";
import { CHECK_VARIABLE, type ChildLine, notRun } from "./line.ts";

// Loaded when it is needed: Deno would read all files of a plain import("PATH") at the start.
type TwinOptionModule = typeof import("../../process/twin_option.ts");

function tell(line: ChildLine): void {
  console.log(JSON.stringify(line));
}

async function optionsOf(text: string): Promise<VulkanCheckOptions> {
  const options: VulkanCheckOptions = JSON.parse(text);
  if (!options.layers?.some(isTwin)) return options;
  const { withTwins } = await import("../../process/twin_option.ts" as string) as TwinOptionModule;
  return withTwins(options);
}

if (import.meta.main) {
  const progress: CheckProgress = {
    begin: (begin) => tell({ begin }),
    end: (end) => tell({ end }),
    call: (call) => tell({ call }),
    returned: (returned) => tell({ returned }),
  };
  try {
    tell({ report: checkVulkan({ ...await optionsOf(Deno.env.get(CHECK_VARIABLE)!), progress }) });
  } catch (error) {
    tell(notRun(error));
  }
}
