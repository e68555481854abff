import { NativeError } from "./error.ts";

/** Newer than the types of the oldest Deno that runs this package. */
const Bytes = Uint8Array as unknown as { fromBase64?(text: string): Uint8Array<ArrayBuffer> };

/**
 * The bytes that a text in base64 stands for. Every program that calls native
 * code comes through here first, so a Deno that is too old is told so here.
 *
 * @throws {NativeError} with code `"unsupported"` when this Deno is too old.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if (Bytes.fromBase64) return Bytes.fromBase64(text);
  throw new NativeError(
    "unsupported",
    `Cannot run on Deno ${Deno.version.deno}: Pumice needs Deno 2.5 or newer; run "deno upgrade"`,
  );
}

/** Bytes in hexadecimal, two digits each. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
