import type { Layer, LayerControls } from "../layer.ts";
import { withControls } from "../layers/hooks/places.ts";
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
export interface InstanceActions extends LayerControls<Layer> {
  /** Destroys the instance and everything that is left of it. */
  close(): void;
}

/** Makes the base of an instance's object. */
export function instanceBase(actions: InstanceActions): object {
  return Object.assign(withControls(handleBase("VkInstance"), actions), {
    close: () => actions.close(),
    [Symbol.dispose]: () => actions.close(),
  });
}

/** Makes the base of a device's object. */
export function deviceBase(close: () => void, supports: (command: string) => boolean): object {
  return Object.assign(handleBase("VkDevice"), { close, supports, [Symbol.dispose]: close });
}

/** Makes the base of objects that only have a handle and commands. */
export function handleBase(type: string): object {
  return Object.create(HandleBase.prototype, { type: { value: type } });
}
