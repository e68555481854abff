import { findExtension } from "../../command/extension.ts";
import type { Command } from "../../command/table.ts";
import type { Layer } from "../../layer.ts";
import { hookOf } from "./compose.ts";

/** Whether a layer brings a command: it hooks it, and an extension that it brings has it. */
export function isBrought(layers: readonly Layer[], { name }: Command): boolean {
  return layers.some((layer) => {
    const extensions = [...layer.instanceExtensions ?? [], ...layer.deviceExtensions ?? []];
    return extensions.some(({ extensionName }) => findExtension(extensionName)?.commands.includes(name)) &&
      hookOf(layer, name) !== undefined;
  });
}
