/** The word that drivers leave in word 0 for the loader: ICD_LOADER_MAGIC and HWVULKAN_DISPATCH_MAGIC are the same. */
const LOADER_MAGIC = 0x01cdc0den;

/** Whether word 0 of a handle is still the driver's. */
export function isUnadopted(word: bigint): boolean {
  return (word & 0xffff_ffffn) === LOADER_MAGIC;
}
