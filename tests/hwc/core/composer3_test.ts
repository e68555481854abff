import { assertEquals, assertThrows } from "@std/assert";
import { HDCP_LEVEL, HDR } from "../../../hwc/device_types.ts";
import { HwcError, hwcErrorName } from "../../../hwc/hwc_error.ts";
import { onePlane } from "../../../hwc/planes/models.ts";
import type { PlaneModel } from "../../../hwc/planes/plane.ts";
import { whyNot } from "../../../hwc/planes/search/fit.ts";
import { createReferenceComposer } from "../../../hwc/simulated/reference_composer.ts";
import { CALLBACK } from "../../../hwc/device_types.ts";
import { BLEND, COMPOSITION, DATASPACE, ERROR, FORMAT } from "../../../hwc/types.ts";

function failsWith(error: number, call: () => unknown): void {
  assertEquals(hwcErrorName(assertThrows(call, HwcError).code), hwcErrorName(error));
}

const MODELS: readonly PlaneModel[] = [
  onePlane(),
  {
    name: "two",
    planes: [
      {
        name: "a",
        tier: 0,
        formats: [FORMAT.RGBA_8888, FORMAT.RGBA_1010102],
        dataspaces: [DATASPACE.BT2020_PQ, DATASPACE.V0_SRGB],
      },
      { name: "b", tier: 1, formats: [FORMAT.RGBA_8888, FORMAT.YV12] },
      { name: "pointer", tier: 2, formats: [FORMAT.RGBA_FP16], cursor: true },
    ],
  },
];

/** Whether some plane shows such a layer, asked of the rules that plans are made by. */
function isShown({ planes }: PlaneModel, format: number, dataspace: number): boolean {
  const rect = { left: 0, top: 0, right: 8, bottom: 8 }, buffer = { width: 8, height: 8, format, usage: 0n };
  const layer = {
    buffer,
    dataspace,
    composition: COMPOSITION.DEVICE,
    blend: BLEND.NONE,
    planeAlpha: 1,
    transform: 0,
    sourceCrop: rect,
    displayFrame: rect,
    z: 0,
  };
  return planes.some((plane) => whyNot(plane, layer, true) === undefined);
}

for (const one of MODELS) {
  for (const other of MODELS) {
    Deno.test(`getOverlaySupport() names what planes of both displays show, of ${one.name} and ${other.name}`, () => {
      const modes = [{ width: 64, height: 48, refreshRate: 60 }];
      using composer = createReferenceComposer({ panels: [{ modes, planes: one }, { modes, planes: other }] });
      const { combinations, supportMixedColorSpaces } = composer.getOverlaySupport(), named = new Set<string>();
      for (const { pixelFormats, standards, transfers, ranges } of combinations) {
        for (const standard of standards) {
          for (const transfer of transfers) {
            for (const range of ranges) {
              for (const format of pixelFormats) named.add(`${format} ${standard | transfer | range}`);
            }
          }
        }
      }
      const dataspaces = Object.values(DATASPACE).filter((dataspace) => dataspace > 0xffff);
      const shown = Object.values(FORMAT).flatMap((format) =>
        dataspaces.filter((dataspace) => [one, other].every((model) => isShown(model, format, dataspace)))
          .map((dataspace) => `${format} ${dataspace}`)
      );
      assertEquals([...named].sort(), shown.sort());
      assertEquals(supportMixedColorSpaces, one.planes.length > 1 && other.planes.length > 1);
    });
  }
}

Deno.test("the reference composer says of composer3's other features that it has none", () => {
  using composer = createReferenceComposer();
  let display = 0n;
  composer.registerCallback(CALLBACK.HOTPLUG, (each) => display ||= each);
  assertEquals(composer.getDisplayDecorationSupport(display), undefined);
  assertEquals(composer.getHdrConversionCapabilities(), []);
  failsWith(ERROR.UNSUPPORTED, () => composer.setHdrConversionStrategy({ forceHdrConversion: HDR.HLG }));
  failsWith(ERROR.UNSUPPORTED, () => composer.getMaxLayerPictureProfiles(display));
  failsWith(ERROR.UNSUPPORTED, () => composer.startHdcpNegotiation(display, HDCP_LEVEL.NONE, HDCP_LEVEL.V2_2));
  failsWith(ERROR.BAD_PARAMETER, () => composer.startHdcpNegotiation(display, 9, 9));
  composer.notifyExpectedPresent(display, 1n, 16666666);
  composer.setClientTargetSlotCount(display, 3);
  failsWith(ERROR.BAD_PARAMETER, () => composer.setClientTargetSlotCount(display, -1));
  const strategy = { passthrough: true, forceHdrConversion: 1 };
  assertThrows(() => composer.setHdrConversionStrategy(strategy), TypeError, "expected one of");
});

Deno.test("startHdcpNegotiation() agrees on no more than either side can, and tells it later", async () => {
  using composer = createReferenceComposer({ panels: [{ hdcp: HDCP_LEVEL.V2_2 }] });
  let display = 0n;
  const told: (number | bigint)[][] = [];
  composer.registerCallback(CALLBACK.HOTPLUG, (each) => display ||= each);
  composer.registerCallback(CALLBACK.HDCP_LEVELS_CHANGED, (...levels) => void told.push(levels));
  for (const most of [HDCP_LEVEL.V2, HDCP_LEVEL.V2_3, HDCP_LEVEL.UNKNOWN, HDCP_LEVEL.NO_OUTPUT]) {
    composer.startHdcpNegotiation(display, HDCP_LEVEL.NONE, most);
  }
  assertEquals(told, []);
  await undefined;
  const agreed = [HDCP_LEVEL.V2, HDCP_LEVEL.V2_2, HDCP_LEVEL.V2_2, HDCP_LEVEL.NONE];
  assertEquals(told, agreed.map((level) => [display, level, HDCP_LEVEL.V2_2]));
});

Deno.test("composer3's features are asked for displays that are there", () => {
  using composer = createReferenceComposer();
  const nowhere = 0xdeadn;
  failsWith(ERROR.BAD_DISPLAY, () => composer.getDisplayDecorationSupport(nowhere));
  failsWith(ERROR.BAD_DISPLAY, () => composer.getMaxLayerPictureProfiles(nowhere));
  failsWith(ERROR.BAD_DISPLAY, () => composer.startHdcpNegotiation(nowhere, 0, 0));
  failsWith(ERROR.BAD_DISPLAY, () => composer.notifyExpectedPresent(nowhere, 1n, 1));
  failsWith(ERROR.BAD_DISPLAY, () => composer.setClientTargetSlotCount(nowhere, 1));
});
