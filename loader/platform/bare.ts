import { mergeExtensions } from "../driver/interface/extension_list.ts";
import { DriverError } from "../error.ts";
import type { LayerCatalog } from "../layers/choice/rules.ts";
import type { PlatformRules } from "./rules.ts";

const ELSEWHERE = 'import loadVulkan from "@pumice/gfx/loader" for that';

/**
 * The rules without a platform: the chain of layers ends at the named driver,
 * nothing is searched for, and no native code enters.
 */
export const bare: PlatformRules = {
  name: "linux",
  librariesStay: () => false,
  findDriver() {
    throw new DriverError(
      "not-found",
      "auto",
      `Cannot search for a driver: this entry has no search; name a library, or ${ELSEWHERE}`,
    );
  },
  join() {
    throw new TypeError(`Cannot join several drivers: name one, or ${ELSEWHERE}`);
  },
  driverLevel: ({ driver }) => driver,
  findLayer(wanted) {
    throw new DriverError(
      "not-found",
      wanted,
      `Cannot use "${wanted}" as a layer: layers are TypeScript here; ${ELSEWHERE}`,
    );
  },
  layers: () => ({ implicit: false, isKept: true, read: () => NO_LAYERS }),
  /** Always, because nothing else can take their place. */
  wantsBottom: (bottom) => bottom.length > 0,
  listExtensions: (own, brought) => mergeExtensions(own, ...brought),
  tell: () => {},
  surface() {
    throw new TypeError(`Cannot install this loader: ${ELSEWHERE}`);
  },
};

const NO_LAYERS: LayerCatalog = {
  layers: [],
  filters: { instanceLayers: [], enables: () => false, hides: () => false },
  findings: [],
  activate: ({ requested, present = [] }) => ({
    active: [],
    unknown: requested.filter((name) => !present.includes(name)),
    findings: [],
    listed: [],
  }),
  open({ layer }) {
    throw new TypeError(`Cannot open ${layer.name}: ${ELSEWHERE}`);
  },
  named: () => undefined,
  isListed: () => false,
};
