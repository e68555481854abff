/** A program of a page. */
export interface PageProgram {
  /** Its source. */
  readonly source: string;
  /** What it prints, where a block of text follows. */
  readonly prints: string | undefined;
}

/** The TypeScript programs of a page in `docs/`, each with the block of text that follows before the next heading. */
export function programsOf(page: string): PageProgram[] {
  const text = Deno.readTextFileSync(new URL(`../../docs/${page}.md`, import.meta.url));
  const blocks = [...text.matchAll(/^```(\w+)(?: ignore)?\n(.*?)^```$/gms)];
  return blocks.flatMap(([, language, source], index) => {
    if (language !== "ts") return [];
    const following = blocks[index + 1];
    return [{ source, prints: following?.[1] === "text" ? following[2] : undefined }];
  });
}
