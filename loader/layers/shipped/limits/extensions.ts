import { findExtension } from "../../../command/registry/extension.ts";
import { mergeExtensions, readExtensionList, writeExtensionList } from "../../../driver/interface/extension_list.ts";
import type { LayerExtension } from "../../../layer.ts";
import type { Settings } from "./settings.ts";

/** A command that counts first and then fills. */
type List = (count: bigint, out: bigint) => number;

/**
 * Answers a list of extensions of a level without the hidden ones and with the
 * additional ones, respecting the caller's room and the result codes of a full
 * list.
 */
export function listExtensions(
  level: "instance" | "device",
  below: List,
  { extensions: hidden, shown }: Settings,
  count: bigint,
  out: bigint,
): number {
  const all = readExtensionList(below);
  if (typeof all === "number") return all;
  const changed = shown.filter(({ extensionName }) => levelOf(extensionName) === level);
  const list = mergeExtensions(all.map((each) => changed.find(isNamed(each)) ?? each), changed);
  return writeExtensionList(list.filter(({ extensionName }) => !hidden.has(extensionName)), count, out);
}

function isNamed({ extensionName }: LayerExtension): (other: LayerExtension) => boolean {
  return (other) => other.extensionName === extensionName;
}

/** Extensions outside the registry are taken for device extensions. */
function levelOf(name: string): "instance" | "device" {
  return findExtension(name)?.kind === "instance" ? "instance" : "device";
}
