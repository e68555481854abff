import { type Finding, MAY_NOT_BE_READ } from "./finding.ts";

/** Returns the sentence that no driver has a device, and what to do. */
export function noDriver(findings: readonly Finding[]): string {
  const looked = findings.filter(({ subject }) => subject === "manifest" || subject === "driver")
    .filter(({ taken }) => !taken).map(({ path, reason }) => `  ${path}: ${reason}`).join("\n");
  const seen = looked ? `looked at\n${looked}\n` : "";
  const advice = hidden(findings) ??
    `${seen ? "" : "found no driver manifest; "}install one (Debian: mesa-vulkan-drivers)`;
  return `Cannot find a Vulkan driver: ${seen}${advice} or name its library with the driver option`;
}

/** Returns what permissions hide about drivers. Without those, nothing is known about the machine. */
function hidden(findings: readonly Finding[]): string | undefined {
  const places = findings.filter(({ reason }) => reason.startsWith(MAY_NOT_BE_READ));
  const folders = places.filter(({ subject }) => subject === "folder"), variables = places.length > folders.length;
  if (folders.length === 0) return undefined;
  const [{ path }] = folders, more = folders.length > 1 ? ` and ${folders.length - 1} more` : "";
  const also = variables ? " (and with --allow-env variables that name manifests)" : "";
  return `the folders of driver manifests (${path}${more}) ${MAY_NOT_BE_READ}; allow it with --allow-read${also}`;
}
