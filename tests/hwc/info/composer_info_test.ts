import { assert, assertEquals } from "@std/assert";
import { exportHwc2 } from "../../../hwc/hwc2/export.ts";
import { openHwc2 } from "../../../hwc/hwc2/open.ts";
import { composerInfo } from "../../../hwc/info/composer_info.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { ERROR } from "../../../hwc/types.ts";
import { HwcError } from "../../../hwc/hwc_error.ts";
import type { ReferenceComposer } from "../../../hwc/core/controls.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";

const vendor = compileFixture("hwc2_vendor");

/** Two panels, the second with HDR and two modes. */
function twoPanels(): ReferenceComposer {
  return createReferenceComposer({
    panels: [{}, {
      name: "Beamer",
      modes: [
        { width: 3840, height: 2160, refreshRate: 60, dpi: { x: 160, y: 160 } },
        { width: 1280, height: 720, refreshRate: 120, dpi: { x: 160, y: 160 } },
      ],
      hdr: { types: [2, 3], maxLuminance: 600, maxAverageLuminance: 300, minLuminance: 0.0625 },
    }],
  });
}

Deno.test("composerInfo() says what the reference composer and its displays can do", async () => {
  using composer = twoPanels();
  const { capabilities, displays, maxVirtualDisplays, genericMetadataKeys } = await composerInfo(composer);
  assert(capabilities.includes("SIDEBAND_STREAM"));
  assertEquals([maxVirtualDisplays, genericMetadataKeys.length], [4, 1]);
  const [inner, outer] = displays;
  assertEquals([inner.type, inner.connection, outer.name, outer.connection], [
    "PHYSICAL",
    "INTERNAL",
    "Beamer",
    "EXTERNAL",
  ]);
  assertEquals(outer.configs.map(({ width, height, dpiX }) => [width, height, dpiX]), [[3840, 2160, 160], [
    1280,
    720,
    160,
  ]]);
  assertEquals([inner.hdr.types, outer.hdr.types, outer.hdr.maxLuminance], [[], ["HDR10", "HLG"], 600]);
  assert("NATIVE" in inner.colorModes && inner.colorModes.NATIVE.includes("COLORIMETRIC"));
  assert(inner.edid!.startsWith("00ffffffffffff00"));
});

Deno.test("composerInfo() says the same of a composer behind hwcomposer2.h, but for what that has not", async () => {
  using composer = twoPanels();
  const direct = await composerInfo(composer), exported = exportHwc2(composer);
  {
    await using opened = openHwc2(exported.module);
    const through = await composerInfo(opened),
      [one, other] = [direct, through].map(({ displays }) =>
        displays.map(({ id, name, configs, colorModes, hdr, edid }) => ({ id, name, configs, colorModes, hdr, edid }))
      );
    assertEquals(one, other);
    assertEquals(through.genericMetadataKeys, direct.genericMetadataKeys);
  }
  exported.close();
});

Deno.test(
  "composerInfo() asks a vendor's composer, and leaves out what it does not support",
  needs("C compiler (cc)", vendor),
  async () => {
    await using composer = openHwc2(vendor!);
    const { displays: [display] } = await composerInfo(composer);
    assertEquals([display.name, display.configs.length], ["Vendor", 2]);
    assertEquals([display.contentTypes ?? [], display.readback], [[], undefined]);
  },
);

Deno.test("composerInfo() of displays that are named registers nothing", async () => {
  using composer = twoPanels();
  const seen: bigint[] = [];
  composer.registerCallback(1, (display) => seen.push(display));
  const { displays } = await composerInfo(composer, { displays: [seen[1]] });
  assertEquals(displays.map(({ name }) => name), ["Beamer"]);
  const error = await composerInfo(composer, { displays: [99n] }).then(() => undefined, (error) => error);
  assert(error instanceof HwcError && error.code === ERROR.BAD_DISPLAY);
});
