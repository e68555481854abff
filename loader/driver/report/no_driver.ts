import { type Finding, hiddenFolders } from "./finding.ts";

/** Returns the sentence that no driver has a device, and what to do. */
export function noDriver(findings: readonly Finding[]): string {
  const looked = findings.filter(({ subject }) => subject === "manifest" || subject === "driver")
    .filter(({ taken }) => !taken).map(({ path, reason }) => `  ${path}: ${reason}`).join("\n");
  const seen = looked ? `looked at\n${looked}\n` : "";
  const advice = hiddenFolders(findings, "driver manifests", /^(?!.*_layer\.d$)/) ??
    `${seen ? "" : "found no driver manifest; "}install one (Debian: mesa-vulkan-drivers)`;
  return `Cannot find a Vulkan driver: ${seen}${advice} or name its library with the driver option`;
}
