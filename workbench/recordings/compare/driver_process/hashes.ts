import { sha256 } from "../../../../loader/layers/shipped/native/sha256.ts";

/** Bytes that are hashed in TypeScript: Deno's own function is quicker, and takes 20 ms to load. */
const FEW = 1 << 17;

/** The SHA-256 of contents, which is the same by either function. */
export class Hashes {
  #left = FEW;

  /** Returns the SHA-256 of bytes in hexadecimal. */
  of(bytes: Uint8Array): string {
    this.#left -= bytes.length;
    if (this.#left >= 0) return sha256(bytes);
    const { createHash } = globalThis.process.getBuiltinModule("node:crypto");
    return createHash("sha256").update(bytes).digest("hex");
  }
}
