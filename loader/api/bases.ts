import type { Layer, LayerPlace } from "../layer.ts";
import { METHOD_END, scopeOf } from "./scope.ts";

/** The methods of every object with a dispatchable handle, beside its commands. */
class HandleBase {
  /** Called by compiled methods for returned handles. */
  wrap(type: string, handle: bigint): object {
    return scopeOf(this).wrap(type, handle);
  }

  /** Shows the type and the handle, and hides the machinery. */
  [Symbol.for("Deno.customInspect")](): string {
    const { handle } = this as unknown as { handle: bigint };
    return `${(this as unknown as { type: string }).type} 0x${handle.toString(16)}`;
  }
}
Object.setPrototypeOf(HandleBase.prototype, METHOD_END);

/** The methods of an instance beside its commands. The chain implements them. */
export interface InstanceActions {
  /** Inserts a layer on top of the TypeScript layers, or at a place. */
  attach(layer: Layer, place?: LayerPlace): void;
  /** Removes a layer. */
  detach(layer: Layer): void;
  /** Puts a layer in the place of another. */
  replace(old: Layer, layer: Layer): void;
  /** Destroys the instance and everything that is left of it. */
  close(): void;
}

/** Makes the base of an instance's object. */
export function instanceBase(actions: InstanceActions): object {
  return Object.assign(handleBase("VkInstance"), {
    attach: (layer: Layer, place?: LayerPlace) => actions.attach(layer, place),
    detach: (layer: Layer) => actions.detach(layer),
    replace: (old: Layer, layer: Layer) => actions.replace(old, layer),
    close: () => actions.close(),
    [Symbol.dispose]: () => actions.close(),
  });
}

/** Makes the base of a device's object. */
export function deviceBase(close: () => void): object {
  return Object.assign(handleBase("VkDevice"), { close, [Symbol.dispose]: close });
}

/** Makes the base of objects that only have a handle and commands. */
export function handleBase(type: string): object {
  return Object.create(HandleBase.prototype, { type: { value: type } });
}
