import type { EnumType, Registry } from "../registry/model.ts";
import { header } from "./header.ts";

/** Writes `results_gen.ts`: the names of the VkResult values, for error messages. */
export function emitResults(registry: Registry): string {
  const { values } = registry.types.get("VkResult") as EnumType;
  const names = values.filter((value) => !value.alias).map(({ name, value }) => `${name}=${value}`);
  return `${header(registry.version)}/** VkResult names and values: \`" NAME=VALUE NAME=VALUE "\`, aliases left out. */
export const RESULTS: string = "${["", ...names, ""].join(" ")}";
`;
}
