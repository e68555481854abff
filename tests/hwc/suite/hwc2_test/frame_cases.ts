import { assert, assertEquals } from "@std/assert";
import { COMPOSITION, DATASPACE, ERROR, FORMAT } from "../../../../hwc/types.ts";
import { type Case, type Cases, NO_DISPLAY, NO_FENCE, type Stage } from "../stage.ts";

/** The types that a device may make of a type. */
const ALLOWED: Readonly<Record<number, readonly number[]>> = {
  [COMPOSITION.CLIENT]: [],
  [COMPOSITION.DEVICE]: [COMPOSITION.CLIENT],
  [COMPOSITION.SOLID_COLOR]: [COMPOSITION.CLIENT],
  [COMPOSITION.CURSOR]: [COMPOSITION.DEVICE, COMPOSITION.CLIENT],
  [COMPOSITION.SIDEBAND]: [COMPOSITION.DEVICE, COMPOSITION.CLIENT],
};

/** More layers than any controller has planes, so that there must be changes; of each its type. */
async function crowd(stage: Stage, display = stage.display): Promise<Map<bigint, number>> {
  const types = new Map<bigint, number>();
  for (let count = 0; count < 12; count++) {
    const type = count % 3 === 2 ? COMPOSITION.SOLID_COLOR : COMPOSITION.DEVICE;
    const layer = await stage.fullLayer(display, type);
    await stage.composer.setLayerZOrder(display, layer, count);
    types.set(layer, type);
  }
  return types;
}

async function assertLegal(stage: Stage, types: Map<bigint, number>): Promise<number> {
  const changes = await stage.composer.getChangedCompositionTypes(stage.display);
  assertEquals(new Set(changes.map(({ layer }) => layer)).size, changes.length, "each layer once");
  for (const { layer, type } of changes) assert(ALLOWED[types.get(layer)!].includes(type));
  return changes.length;
}

type Call = (stage: Stage, display: bigint) => unknown;

/** In everything that comes before a validation, and after what ends one. */
function notValidated(call: Call): Case["run"] {
  return async (stage) => {
    const { composer, display } = stage;
    const refused = () => stage.fails(ERROR.NOT_VALIDATED, () => call(stage, display));
    await refused();
    const layers = [await stage.fullLayer(), await stage.fullLayer()];
    await refused();
    for (const layer of layers) await composer.setLayerCompositionType(display, layer, COMPOSITION.CLIENT);
    await refused();
    await composer.validateDisplay(display);
    await composer.setLayerCompositionType(display, layers[0], COMPOSITION.DEVICE);
    await refused();
    await composer.validateDisplay(display);
    for (const layer of layers) await composer.destroyLayer(display, layer);
    await refused();
  };
}

function badDisplay(call: Call): Case["run"] {
  return (stage) => stage.fails(ERROR.BAD_DISPLAY, () => call(stage, NO_DISPLAY));
}

const requests: Call = ({ composer }, display) => composer.getDisplayRequests(display);
const changedTypes: Call = ({ composer }, display) => composer.getChangedCompositionTypes(display);
const accept: Call = ({ composer }, display) => composer.acceptDisplayChanges(display);

/** Validation and what comes with it. */
export const frameCases: Cases = {
  async VALIDATE_DISPLAY_basic(stage) {
    await stage.fullLayer();
    assertEquals(await stage.composer.validateDisplay(stage.display), { result: 0, numTypes: 0, numRequests: 0 });
  },

  async VALIDATE_DISPLAY_default_5(stage) {
    const types = new Map<bigint, number>();
    for (let count = 0; count < 5; count++) types.set(await stage.fullLayer(), COMPOSITION.DEVICE);
    const { result, numTypes } = await stage.composer.validateDisplay(stage.display);
    assertEquals(result, numTypes > 0 ? ERROR.HAS_CHANGES : ERROR.NONE);
    assertEquals(await assertLegal(stage, types), numTypes);
  },

  VALIDATE_DISPLAY_bad_display: badDisplay(({ composer }, display) => composer.validateDisplay(display)),

  async GET_DISPLAY_REQUESTS_basic(stage) {
    const types = await crowd(stage), { numRequests } = await stage.composer.validateDisplay(stage.display);
    const { layerRequests } = await stage.composer.getDisplayRequests(stage.display);
    assertEquals(layerRequests.length, numRequests);
    assert(layerRequests.every(({ layer, requests }) => requests !== 0 && types.has(layer)));
  },
  GET_DISPLAY_REQUESTS_bad_display: badDisplay(requests),
  GET_DISPLAY_REQUESTS_not_validated: notValidated(requests),

  async GET_CHANGED_COMPOSITION_TYPES_basic(stage) {
    const types = await crowd(stage), { result, numTypes } = await stage.composer.validateDisplay(stage.display);
    assertEquals(result, ERROR.HAS_CHANGES);
    assert(numTypes > 0, "twelve layers are more than there are planes");
    assertEquals(await assertLegal(stage, types), numTypes);
    assertEquals(await assertLegal(stage, types), numTypes, "and again");
  },
  GET_CHANGED_COMPOSITION_TYPES_bad_display: badDisplay(changedTypes),
  GET_CHANGED_COMPOSITION_TYPES_not_validated: notValidated(changedTypes),

  async ACCEPT_DISPLAY_CHANGES_basic(stage) {
    const { composer, display } = stage;
    await crowd(stage);
    await composer.validateDisplay(display);
    await composer.acceptDisplayChanges(display);
    assertEquals(await composer.getChangedCompositionTypes(display), []);
    assertEquals((await composer.validateDisplay(display)).numTypes, 0, "accepting is the same as setting the types");
    await composer.acceptDisplayChanges(display);
  },
  ACCEPT_DISPLAY_CHANGES_bad_display: badDisplay(accept),
  ACCEPT_DISPLAY_CHANGES_not_validated: notValidated(accept),

  async GET_CLIENT_TARGET_SUPPORT({ composer, displays }) {
    for (const display of displays) {
      const config = await composer.getActiveConfig(display);
      const width = await composer.getDisplayAttribute(display, config, 1);
      const height = await composer.getDisplayAttribute(display, config, 2);
      await composer.getClientTargetSupport(display, width, height, FORMAT.RGBA_8888, DATASPACE.UNKNOWN);
    }
  },

  GET_CLIENT_TARGET_SUPPORT_bad_display: badDisplay(({ composer }, display) =>
    composer.getClientTargetSupport(display, 96, 64, FORMAT.RGBA_8888, DATASPACE.UNKNOWN)
  ),

  async GET_CLIENT_TARGET_SUPPORT_unsupported(stage) {
    const { composer, display } = stage;
    for (const [width, height, format] of [[97, 64, 1], [96, 64, FORMAT.YV12], [0, 0, 1]]) {
      await stage.fails(ERROR.UNSUPPORTED, () => composer.getClientTargetSupport(display, width, height, format, 0));
    }
  },

  async SET_CLIENT_TARGET_basic(stage) {
    const { composer } = stage;
    for (const display of stage.displays) {
      const { right, bottom } = await stage.screen(display);
      await composer.setClientTarget(display, stage.allocate(right, bottom), NO_FENCE, DATASPACE.UNKNOWN, []);
      await composer.setClientTarget(display, null, NO_FENCE, DATASPACE.UNKNOWN, []);
    }
  },

  SET_CLIENT_TARGET_bad_display: badDisplay((stage, display) =>
    stage.composer.setClientTarget(display, stage.allocate(96, 64), NO_FENCE, DATASPACE.UNKNOWN, [])
  ),

  GET_RELEASE_FENCES_bad_display: badDisplay(({ composer }, display) => composer.getReleaseFences(display)),
  PRESENT_DISPLAY_bad_display: badDisplay(({ composer }, display) => composer.presentDisplay(display)),
  PRESENT_DISPLAY_not_validated: notValidated(({ composer }, display) => composer.presentDisplay(display)),
};
