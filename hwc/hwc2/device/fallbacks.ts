import type { AsyncComposer, Composer } from "../../composer.ts";
import type { DisplayConfiguration } from "../../composer_records.ts";
import { ATTRIBUTE, RENDER_INTENT } from "../../device_types.ts";
import { functionDescriptor } from "../../function_names.ts";
import { HwcError } from "../../hwc_error.ts";
import { ERROR } from "../../types.ts";

/** Methods of composer3 that hwcomposer2.h has nothing for. */
export const COMPOSER3_NAMES: readonly (keyof Composer & string)[] = [
  "setBootDisplayConfig",
  "clearBootDisplayConfig",
  "getPreferredBootDisplayConfig",
  "getDisplayConfigurations",
  "getDisplayPhysicalOrientation",
  "setLayerBrightness",
  "setLayerBlockingRegion",
  "setExpectedPresentTime",
  "setIdleTimerEnabled",
  "setRefreshRateChangedCallbackDebugEnabled",
];

type Fallbacks = Partial<AsyncComposer>;

/** Returns Android's answers for functions that a device lacks, made from those it has. */
export function fallbacks(composer: AsyncComposer, has: (descriptor: number) => boolean): Fallbacks {
  const missing: Fallbacks = {
    getRenderIntents: () => [RENDER_INTENT.COLORIMETRIC],
    setColorModeWithRenderIntent(display, mode, intent) {
      if (intent === RENDER_INTENT.COLORIMETRIC) return composer.setColorMode(display, mode);
      const sentence = `the device knows no render intents; give ${RENDER_INTENT.COLORIMETRIC}`;
      throw new HwcError("setColorModeWithRenderIntent", ERROR.UNSUPPORTED, sentence);
    },
    getDisplayVsyncPeriod: async (display) =>
      await composer.getDisplayAttribute(display, await composer.getActiveConfig(display), ATTRIBUTE.VSYNC_PERIOD),
  };
  const lacks = ([name]: [string, unknown]) => !has(functionDescriptor(name as keyof Composer)!);
  return {
    ...Object.fromEntries(Object.entries(missing).filter(lacks)),
    getDisplayConfigurations: (display) => configurationsOf(composer, display),
  };
}

async function configurationsOf(composer: AsyncComposer, display: bigint): Promise<DisplayConfiguration[]> {
  const found: DisplayConfiguration[] = [];
  for (const configId of await composer.getDisplayConfigs(display)) {
    const get = (attribute: number) => composer.getDisplayAttribute(display, configId, attribute);
    const width = await get(ATTRIBUTE.WIDTH), height = await get(ATTRIBUTE.HEIGHT);
    const vsyncPeriod = await get(ATTRIBUTE.VSYNC_PERIOD), configGroup = await get(ATTRIBUTE.CONFIG_GROUP);
    const x = await get(ATTRIBUTE.DPI_X) / 1000, y = await get(ATTRIBUTE.DPI_Y) / 1000;
    const dpi = x > 0 && y > 0 ? { dpi: { x, y } } : {};
    found.push({ configId, width, height, vsyncPeriod, configGroup, ...dpi });
  }
  return found;
}
