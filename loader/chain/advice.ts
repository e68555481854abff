/** Advice for the results of creation commands, by VkResult. */
const ADVICE: Readonly<Record<number, string>> = {
  [-3]: "look for the reason in the driver's own log",
  [-6]: "name only layers that are installed, in the layers option",
  [-7]: "ask only for extensions that its vkEnumerate...ExtensionProperties lists",
  [-8]: "ask only for features that its vkGetPhysicalDeviceFeatures reports",
  [-9]: "ask for a lower apiVersion or take another driver",
};

/** Returns a sentence with the driver in which a creation command failed, and what to do. */
export function creationAdvice(driver: string, result: number): string {
  const advice = ADVICE[result];
  return `driver "${driver}" refused${advice ? `: ${advice}` : ""}`;
}

/** Returns advice about requested layers or extensions that do not exist; `undefined` if the array was NULL. */
export function missingAdvice(what: "layers" | "extensions", names: readonly string[] | undefined): string {
  if (!names) return `the array of ${what} is NULL though it has a count`;
  return `there are no such ${what}: ${names.join(", ")}; take them out or install what has them`;
}
