import { createHash } from "node:crypto";

/** Returns the digest of a picture's bytes. */
export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}
