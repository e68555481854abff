import { explainText } from "../../loader/driver/explain_text.ts";
import type { Command } from "../command.ts";
import { type Explanation, failureText, withVulkan } from "../with_vulkan.ts";

/** `explain`: what the search for a driver looked at. */
export const command: Command = {
  operand: "",
  summary: "everything looked at to find a driver, and why it was taken or not",
  options: {},
  run: (request, print) =>
    withVulkan(request, print, (vulkan) => {
      const data: Explanation = { driver: vulkan.driver, findings: vulkan.explain() };
      return { data, text: explainText(data.findings) };
    }, failureText),
};
