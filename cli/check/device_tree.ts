import { decodeDeqpLevel } from "../../loader/requirements/deqp_level.ts";
import type { TreeClaims } from "../../loader/requirements/device_tree_claims.ts";

/** The first value that a device tree claims of a feature. */
export function claimedValue(claims: TreeClaims | undefined, feature: string): number | undefined {
  return claims?.features.find(({ name, value }) => name === feature && value !== undefined)?.value;
}

/**
 * Returns the dEQP level that a device tree claims, as a date. A malformed claim is reported when the tree is compared.
 */
export function claimedLevel(claims: TreeClaims | undefined, feature: string): string | undefined {
  const value = claimedValue(claims, feature);
  try {
    return value === undefined ? undefined : decodeDeqpLevel(value);
  } catch {
    return undefined;
  }
}
