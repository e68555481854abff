let halves: Uint8Array<ArrayBuffer> | undefined, tens: Uint8Array<ArrayBuffer> | undefined;

/** The byte of every half-precision number: below 0 and NaN are 0, above 1 is 255. */
export function halfToByte(): Uint8Array<ArrayBuffer> {
  return halves ??= makeHalves();
}

/** The byte of every number of ten bits. */
export function tenToByte(): Uint8Array<ArrayBuffer> {
  return tens ??= Uint8Array.from({ length: 1024 }, (_, value) => Math.round(value * 255 / 1023));
}

function makeHalves(): Uint8Array<ArrayBuffer> {
  const values = new Float16Array(Uint16Array.from({ length: 65536 }, (_, bits) => bits).buffer);
  return Uint8Array.from(values, (value) => value > 0 ? Math.round(255 * Math.min(1, value)) : 0);
}
