import { NativeBlock } from "./block.ts";
import { cstring } from "./cstring.ts";

/** Copies texts to native memory that is never freed, and returns their addresses. */
export function textAddresses(texts: readonly string[]): bigint[] {
  const bytes = cstring(texts.join("\0")), block = new NativeBlock(bytes.length);
  block.bytes.set(bytes);
  let at = 0;
  return texts.map(() => {
    const address = block.address + BigInt(at);
    at = bytes.indexOf(0, at) + 1;
    return address;
  });
}
