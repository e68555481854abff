import type { Variables } from "../driver/variables.ts";
import type { ManifestLayer } from "./manifest.ts";

/**
 * Why an implicit layer does not count by itself; `undefined` when it does. Its
 * disable variable wins over everything, even when it is empty; without its
 * enable variable, if it has one, `enables` must name it.
 */
export function turnedOff(
  { name, disable, enable }: ManifestLayer,
  enables: (name: string) => boolean,
  variables: Variables,
): string | undefined {
  if (disable !== undefined && variables.harmless(disable) !== undefined) return `${disable} is set`;
  if (!enable || enables(name)) return undefined;
  const [variable, value] = enable;
  return variables.harmless(variable) === value ? undefined : `${variable} is not ${value}`;
}
