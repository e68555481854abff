import { differences } from "../../loader/vkjson/differences.ts";
import { type Command, type Request, WrongUse } from "../command.ts";
import { composerText } from "../info/composer_text.ts";
import { differenceText } from "../info/difference_text.ts";
import { eglText } from "../info/egl_text.ts";
import { makeReport, readReport, type Report } from "../info/report.ts";
import { vulkanText } from "../info/vulkan_text.ts";
import { explanationOf } from "../with_vulkan.ts";

/** `info`: the capabilities of drivers, of EGL, of a composer. */
export const command: Command = {
  operand: "[FILE]",
  summary: "what a driver can do, or what a file says one could: --json prints vkjson",
  options: {
    diff: {
      type: "string",
      value: "FILE",
      help: "only what is different in a file of info --json; exit code 1 if anything is",
    },
    egl: { type: "boolean", help: "of EGL and OpenGL ES" },
    composer: {
      type: "boolean",
      help: "of a hardware composer: the one of --driver, or the one with simulated panels",
    },
    release: { type: "string", value: "NUMBER", help: "write vkjson as this release of Android does, 14 to 17" },
    quirks: { type: "string", value: "aosp", help: "with the slips of Android's vkjson" },
  },
  async run(request, print) {
    try {
      const report = await makeReport(request), { diff } = request.values;
      if (typeof diff === "string") return compare(request, report, diff, print);
      print(request.json ? JSON.stringify(report.data, null, 2) : textOf(report));
      return 0;
    } catch (error) {
      if (!(error instanceof Error) || error instanceof WrongUse || error instanceof TypeError) throw error;
      print(request.json ? JSON.stringify(explanationOf(error), null, 2) : error.message);
      return 1;
    }
  },
};

function textOf(report: Report): string {
  if (report.of === "vulkan") return vulkanText(report.data, report.own);
  return report.of === "egl" ? eglText(report.data) : composerText(report.data);
}

function compare({ json, operand }: Request, report: Report, path: string, print: (text: string) => void): number {
  const other = readReport(path);
  if (other.of !== report.of) throw new WrongUse(`info: "${path}" tells of ${other.of}, not of ${report.of}`);
  const found = differences(report.data, other.data);
  print(json ? JSON.stringify(found, null, 2) : differenceText(found, operand ?? "this driver", path));
  return found.length === 0 ? 0 : 1;
}
