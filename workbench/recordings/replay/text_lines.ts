/** Bytes that are read at a time. */
const PART = 1 << 18;

/**
 * Reads a file of UTF-8 line by line, with the line breaks. Only a part of the
 * file and the current line are in memory. The file is open while the lines are
 * gone through.
 */
export function* textLines(path: string): Generator<string> {
  using file = Deno.openSync(path);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true }), bytes = new Uint8Array(PART);
  let begun = "";
  for (let count = file.readSync(bytes); count !== null; count = file.readSync(bytes)) {
    const text = decoder.decode(bytes.subarray(0, count), { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      yield begun + text.slice(start, end + 1);
      begun = "";
      start = end + 1;
    }
    begun += text.slice(start);
  }
  begun += decoder.decode();
  if (begun !== "") yield begun;
}
