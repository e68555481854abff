import { chainLinking } from "../chain/link/native_chain.ts";
import { keepLoaded } from "../driver/environment/variables.ts";
import { Entrances } from "../install/entrances.ts";
import { Installation, restock, restockLater } from "../install/installation.ts";
import { openNativeLayer } from "../layers/choice/library.ts";
import { callPreInstance } from "../layers/choice/pre_instance.ts";
import { Interposer } from "../interposers/interposer.ts";
import { InterposerElement } from "../interposers/interposer_element.ts";

/**
 * The part of the loader for native code above the driver: native layers,
 * TypeScript layers below them, joined drivers, and programs that call an
 * installed loader.
 */
export const nativeSide: NativeSide = {
  Installation,
  Entrances,
  restock,
  restockLater,
  Interposer,
  InterposerElement,
  chainLinking,
  openNativeLayer,
  callPreInstance,
  keepLoaded,
};

/** See {@linkcode nativeSide}. */
export interface NativeSide {
  readonly Installation: typeof Installation;
  readonly Entrances: typeof Entrances;
  readonly restock: typeof restock;
  readonly restockLater: typeof restockLater;
  readonly Interposer: typeof Interposer;
  readonly InterposerElement: typeof InterposerElement;
  readonly chainLinking: typeof chainLinking;
  readonly openNativeLayer: typeof openNativeLayer;
  readonly callPreInstance: typeof callPreInstance;
  readonly keepLoaded: typeof keepLoaded;
}
