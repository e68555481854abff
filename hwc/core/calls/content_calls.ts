import type { Composer } from "../../composer.ts";
import { CONTENT_SAMPLING, METADATA_KEY } from "../../device_types.ts";
import { DATASPACE, ERROR, FORMAT } from "../../types.ts";
import { checkCan, checkOneOf } from "./checks.ts";
import { SAMPLED_MASK } from "../output/content_sampler.ts";
import { genericKeysOf } from "./device_calls.ts";
import type { Device } from "../device.ts";
import type { Display } from "../display.ts";
import { refuse } from "../refusal.ts";

type ContentCalls = Pick<
  Composer,
  | "setLayerPerFrameMetadata"
  | "getPerFrameMetadataKeys"
  | "setLayerPerFrameMetadataBlobs"
  | "setLayerGenericMetadata"
  | "getDisplayedContentSamplingAttributes"
  | "setDisplayedContentSamplingEnabled"
  | "getDisplayedContentSample"
>;

/** The methods about what the pixels mean, and what of them was shown. */
export function contentCalls(device: Device): ContentCalls {
  return {
    getPerFrameMetadataKeys: (id) => keysOf(device.display(id)),
    setLayerPerFrameMetadata(id, layerId, metadata) {
      const { display, layer } = device.layer(id, layerId), keys = keysOf(display);
      for (const { key } of metadata) checkKey(key, keys);
      layer.metadata = metadata.map((one) => ({ ...one }));
    },
    setLayerPerFrameMetadataBlobs(id, layerId, blobs) {
      const { display, layer } = device.layer(id, layerId);
      keysOf(display);
      for (const { key } of blobs) checkKey(key, [METADATA_KEY.HDR10_PLUS_SEI]);
      layer.blobs = blobs.map(({ key, blob }) => ({ key, blob: blob.slice() }));
    },
    setLayerGenericMetadata(id, layerId, key, mandatory, value) {
      const { display, layer } = device.layer(id, layerId);
      const known = genericKeysOf(device).find((one) => one.key === key);
      if (!known || known.mandatory !== mandatory) {
        refuse(
          ERROR.BAD_PARAMETER,
          `there is no ${mandatory ? "mandatory " : ""}key "${key}"; ask getLayerGenericMetadataKey()`,
        );
      }
      const isNew = !layer.generic.has(key);
      if (value.length === 0) layer.generic.delete(key);
      else layer.generic.set(key, value.slice());
      if (isNew) display.modify();
    },
    getDisplayedContentSamplingAttributes(id) {
      sampled(device.display(id));
      return { format: FORMAT.HSV_888, dataspace: DATASPACE.V0_SRGB, componentMask: SAMPLED_MASK };
    },
    setDisplayedContentSamplingEnabled(id, enabled, componentMask, maxFrames) {
      const sampler = sampled(device.display(id));
      checkOneOf("sampling setting", enabled, CONTENT_SAMPLING, CONTENT_SAMPLING.ENABLE);
      if (enabled === CONTENT_SAMPLING.DISABLE) return sampler.disable();
      if ((componentMask & ~SAMPLED_MASK) !== 0) {
        refuse(ERROR.BAD_PARAMETER, `component bits ${componentMask} are unknown; the known bits are ${SAMPLED_MASK}`);
      }
      sampler.enable(componentMask || SAMPLED_MASK, maxFrames);
    },
    getDisplayedContentSample: (id, maxFrames, timestamp) => sampled(device.display(id)).read(maxFrames, timestamp),
  };
}

function sampled({ panel, physical }: Display) {
  checkCan(panel?.contentSampling ?? false, "sample what it shows");
  return physical!.sampler;
}

/** Returns the metadata keys of a display with HDR; UNSUPPORTED without HDR. */
function keysOf({ panel }: Display): number[] {
  checkCan((panel?.hdr?.types.length ?? 0) > 0, "use HDR metadata");
  return Object.values(METADATA_KEY);
}

function checkKey(key: number, known: readonly number[]): void {
  if (!known.includes(key)) refuse(ERROR.BAD_PARAMETER, `${key} is no key for this; give ${known.join(", ")}`);
}
