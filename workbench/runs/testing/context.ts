import { checkOptions, type OptionRules, text } from "../../../ffi/check_options.ts";
import type { Bench } from "../../../wsi/gpu/bench.ts";
import { type GpuTools, makeTools } from "../../../wsi/gpu/gpu.ts";
import type { GpuImage } from "../../../wsi/gpu/image.ts";
import { compareWithGolden, type GoldenPlace } from "./golden.ts";
import { TOLERANCE, type Tolerance } from "./options.ts";
import type { TestPicture } from "./compare.ts";
import { slug } from "./places.ts";

/** Settings of a golden picture. */
export interface GoldenOptions extends Tolerance {
  /**
   * The file's name without `.png`. Default: made from the test's name. A test with several pictures gives each a name.
   */
  readonly name?: string;
}

const GOLDEN: OptionRules<GoldenOptions> = {
  ...TOLERANCE,
  name: text("a name"),
};

/**
 * The argument of a test: a device with the functions of `openGpu()`, which lives as long as the test, and golden
 * pictures.
 */
export interface GpuTestContext extends GpuTools {
  /** The driver's name. */
  readonly driver: string;
  /**
   * Compares an image or a picture with its golden file. With PUMICE_UPDATE_GOLDENS=1 the file is written instead.
   *
   * A golden file belongs to the test that wrote the file, and a test has one for each name.
   *
   * @throws when the picture does not match; the message names the picture and the picture of the difference.
   * @throws when the golden file belongs to another test, or the test has compared a picture of that name before.
   */
  golden(picture: GpuImage | TestPicture, options?: GoldenOptions): void;
}

/** Makes the argument of a test around a device. */
export function makeContext(bench: Bench, place: GoldenPlace, test: string, tolerance?: Tolerance): GpuTestContext {
  const tools = makeTools(bench), compared = new Set<string>();
  return {
    ...tools,
    driver: place.driver,
    golden(picture, options = {}) {
      checkOptions("golden()", options, GOLDEN);
      const { name = slug(test), ...own } = options;
      if (compared.has(name)) {
        throw new TypeError(
          `The test "${test}" has two golden pictures of the name "${name}"; give each a name of its own by the option "name"`,
        );
      }
      compared.add(name);
      compareWithGolden(place, name, "data" in picture ? picture : tools.pixels(picture), { ...tolerance, ...own });
    },
  };
}
