/** Cases about what hwcomposer2.h and HIDL have and AIDL's composer3 has not. */
export const NOT_IN_AIDL: Readonly<Record<string, readonly string[]>> = {
  // Layers have no metadata of a vendor's own.
  "HIDL 2.4": ["getLayerGenericMetadataKeys"],
};
