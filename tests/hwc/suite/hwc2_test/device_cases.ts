import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { CALLBACK, CAPABILITY, CONNECTION, DISPLAY_TYPE } from "../../../../hwc/device_types.ts";
import { functionDescriptor, missingFunctions } from "../../../../hwc/function_names.ts";
import { ERROR } from "../../../../hwc/types.ts";
import { type Cases, NO_DISPLAY, type Stage } from "../stage.ts";

const MAX = 2n ** 64n - 1n;

/** The device itself, displays and layers as handles. */
export const deviceCases: Cases = {
  async GET_FUNCTION({ composer }) {
    const found = new Map<number, boolean>();
    for (let descriptor = 1; descriptor <= 70; descriptor++) {
      found.set(descriptor, (await composer.getFunction(descriptor)) !== undefined);
    }
    assertEquals(missingFunctions((descriptor) => found.get(descriptor)!), []);
    assertEquals(functionDescriptor("validateDisplay"), 43);
  },

  async GET_FUNCTION_invalid_function({ composer }) {
    for (const descriptor of [0, -1, 71, 1000]) assertEquals(await composer.getFunction(descriptor), undefined);
  },

  async GET_CAPABILITIES({ composer }) {
    const capabilities = await composer.getCapabilities();
    assert(!capabilities.includes(CAPABILITY.INVALID) && capabilities.length > 0);
    assertEquals(new Set(capabilities).size, capabilities.length);
  },

  async REGISTER_CALLBACK({ composer, displays, subject }) {
    const seen: [bigint, number][] = [];
    await composer.registerCallback(CALLBACK.HOTPLUG, (display: bigint, connection: number) => {
      seen.push([display, connection]);
    });
    await subject.pass(0n);
    assertEquals(seen, displays.map((display) => [display, CONNECTION.CONNECTED]));
    for (const descriptor of [CALLBACK.REFRESH, CALLBACK.VSYNC, CALLBACK.VSYNC_2_4] as const) {
      await composer.registerCallback(descriptor, () => {});
    }
  },

  async REGISTER_CALLBACK_bad_parameter(stage) {
    const { composer } = stage;
    for (const descriptor of [CALLBACK.INVALID, 7, -1] as unknown as (typeof CALLBACK.REFRESH)[]) {
      await stage.fails(ERROR.BAD_PARAMETER, () => composer.registerCallback(descriptor, () => {}));
    }
  },

  /** Nothing but the function is registered: what it belongs to is its own affair, and no function ends it. */
  async REGISTER_CALLBACK_null_data(stage) {
    const { composer } = stage;
    let called = 0;
    await composer.registerCallback(CALLBACK.HOTPLUG, () => called++);
    await stage.subject.pass(0n);
    assertEquals(called, stage.displays.length);
    await composer.registerCallback(CALLBACK.HOTPLUG, null);
    stage.subject.controls.plug({ modes: [{ width: 16, height: 16, refreshRate: 30 }] });
    await stage.subject.pass(0n);
    assertEquals(called, stage.displays.length);
  },

  async GET_DISPLAY_TYPE({ composer, displays }) {
    assert(displays.length > 0);
    for (const display of displays) assertEquals(await composer.getDisplayType(display), DISPLAY_TYPE.PHYSICAL);
  },

  GET_DISPLAY_TYPE_bad_display: (stage) =>
    stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.getDisplayType(NO_DISPLAY)),

  async CREATE_DESTROY_LAYER({ composer, displays }) {
    for (const display of displays) {
      const layer = await composer.createLayer(display);
      await composer.destroyLayer(display, layer);
    }
  },

  CREATE_LAYER_bad_display: (stage) => stage.fails(ERROR.BAD_DISPLAY, () => stage.composer.createLayer(NO_DISPLAY)),

  async CREATE_LAYER_no_resources(stage) {
    const { composer, display } = stage, made: bigint[] = [];
    let error = 0;
    for (let count = 0; count < 1000 && error === 0; count++) {
      error = await stage.errorOf(async () => made.push(await composer.createLayer(display)));
    }
    assertEquals(error, ERROR.NO_RESOURCES);
    assertEquals(new Set(made).size, made.length);
    for (const layer of made) await composer.destroyLayer(display, layer);
    await composer.destroyLayer(display, await composer.createLayer(display));
  },

  async DESTROY_LAYER_bad_display(stage) {
    const { composer, display } = stage, layer = await composer.createLayer(display);
    await stage.fails(ERROR.BAD_DISPLAY, () => composer.destroyLayer(NO_DISPLAY, layer));
    await composer.destroyLayer(display, layer);
  },

  async DESTROY_LAYER_bad_layer(stage) {
    const { composer, display } = stage;
    const destroy = (layer: bigint) => stage.fails(ERROR.BAD_LAYER, () => composer.destroyLayer(display, layer));
    for (const layer of [0n, 1n, MAX / 2n, MAX - 1n, MAX]) await destroy(layer);
    const layer = await composer.createLayer(display);
    assertNotEquals(layer, 0n);
    await destroy(layer + 1n);
    await stage.fails(ERROR.BAD_LAYER, () => composer.destroyLayer(stage.displays[1], layer));
    await composer.destroyLayer(display, layer);
    await destroy(layer);
  },

  async DUMP({ composer }: Stage) {
    assert((await composer.dump()).length > 0);
  },
};
