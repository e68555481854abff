/** Splits a stream of text into its lines, without line breaks. */
export class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(text, lines) {
        const parts = (rest + text).split("\n");
        rest = parts.pop()!;
        for (const line of parts) lines.enqueue(line);
      },
      flush(lines) {
        if (rest !== "") lines.enqueue(rest);
      },
    });
  }
}
