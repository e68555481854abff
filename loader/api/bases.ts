import type { Layer, LayerPlace } from "../layer.ts";
import { METHOD_END, scopeOf } from "./scope.ts";

/** What every object of a dispatchable handle can do beside its commands. */
class HandleBase {
  /** Called by compiled methods for handles that come back. */
  wrap(type: string, handle: bigint): object {
    return scopeOf(this).wrap(type, handle);
  }

  /** Shows type and handle, not the machinery behind. */
  [Symbol.for("Deno.customInspect")](): string {
    const { handle } = this as unknown as { handle: bigint };
    return `${(this as unknown as { type: string }).type} 0x${handle.toString(16)}`;
  }
}
Object.setPrototypeOf(HandleBase.prototype, METHOD_END);

/** What an instance can do beside its commands; the chain carries it out. */
export interface InstanceActions {
  /** Puts a layer on top of the TypeScript layers, or at a place. */
  attach(layer: Layer, place?: LayerPlace): void;
  /** Takes a layer out. */
  detach(layer: Layer): void;
  /** Puts a layer in the place of another. */
  replace(old: Layer, layer: Layer): void;
  /** Destroys the instance and all that is left of it. */
  close(): void;
}

/** The base of an instance's object. */
export function instanceBase(actions: InstanceActions): object {
  return Object.assign(handleBase("VkInstance"), {
    attach: (layer: Layer, place?: LayerPlace) => actions.attach(layer, place),
    detach: (layer: Layer) => actions.detach(layer),
    replace: (old: Layer, layer: Layer) => actions.replace(old, layer),
    close: () => actions.close(),
    [Symbol.dispose]: () => actions.close(),
  });
}

/** The base of a device's object. */
export function deviceBase(close: () => void): object {
  return Object.assign(handleBase("VkDevice"), { close, [Symbol.dispose]: close });
}

/** The base of objects that are only handles and commands. */
export function handleBase(type: string): object {
  return Object.create(HandleBase.prototype, { type: { value: type } });
}
