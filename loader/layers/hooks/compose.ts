import type { NativeCall } from "../../command/compile.ts";
import type { Command } from "../../command/table.ts";
import type { AnyHook, Layer } from "../../layer.ts";
import { forgettingLink } from "../guard/forgetting.ts";
import { guardedLink } from "../guard/link.ts";

/** The hook a layer has for a command, if any. */
export function hookOf(layer: Layer, command: string): AnyHook | undefined {
  const own = layer.commands?.[command as keyof typeof layer.commands] as AnyHook | undefined;
  return own ?? layer.anyCommand?.(command);
}

/**
 * Puts the hooks of all layers before `last`, top layer first. Returns `last`
 * itself when no layer hooks the command, so that it costs nothing.
 */
export function compose(layers: readonly Layer[], command: Command, last: NativeCall): NativeCall {
  return layers.reduceRight<NativeCall>((next, layer) => {
    const hook = hookOf(layer, command.name);
    return hook ? guardedLink(layer, hook, next, command) : forgettingLink(layer, command, next);
  }, last);
}
