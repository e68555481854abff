import type { NativeCall } from "../command/compile.ts";
import type { AnyHook, Layer } from "../layer.ts";

/** The hook a layer has for a command, if any. */
export function hookOf(layer: Layer, command: string): AnyHook | undefined {
  const own = layer.commands?.[command as keyof typeof layer.commands] as AnyHook | undefined;
  return own ?? layer.anyCommand?.(command);
}

/**
 * Puts the hooks of all layers before `last`, top layer first. Returns `last`
 * itself when no layer hooks the command, so that it costs nothing.
 */
export function compose(layers: readonly Layer[], command: string, arity: number, last: NativeCall): NativeCall {
  return layers.reduceRight<NativeCall>((next, layer) => {
    const hook = hookOf(layer, command);
    return hook ? link(hook, next, arity) : next;
  }, last);
}

/** One hook and its next as one function of fixed arity: rest arguments would allocate on each call. */
function link(hook: AnyHook, next: NativeCall, arity: number): NativeCall {
  switch (arity) {
    case 1:
      return (a) => hook(next, a);
    case 2:
      return (a, b) => hook(next, a, b);
    case 3:
      return (a, b, c) => hook(next, a, b, c);
    case 4:
      return (a, b, c, d) => hook(next, a, b, c, d);
    case 5:
      return (a, b, c, d, e) => hook(next, a, b, c, d, e);
    case 6:
      return (a, b, c, d, e, f) => hook(next, a, b, c, d, e, f);
    case 7:
      return (a, b, c, d, e, f, g) => hook(next, a, b, c, d, e, f, g);
    default:
      return (...args) => hook(next, ...args);
  }
}
