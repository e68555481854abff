/** A program of a page. */
export interface PageProgram {
  /** The source of the program. */
  readonly source: string;
  /** The output of the program, where a block of text follows. */
  readonly prints: string | undefined;
}

/** The text of a page in `docs/`, or of a section alone: what stands below a heading of the second level. */
export function textOf(page: string, section?: string): string {
  const text = Deno.readTextFileSync(new URL(`../../docs/${page}.md`, import.meta.url));
  if (section === undefined) return text;
  const [, below] = text.split(`\n## ${section}\n`);
  if (below === undefined) throw new Error(`docs/${page}.md has no section "${section}"`);
  return below.split("\n## ")[0];
}

/** The TypeScript programs of a page in `docs/`, each with the block of text that follows before the next heading. */
export function programsOf(page: string, section?: string): PageProgram[] {
  const text = textOf(page, section);
  const blocks = [...text.matchAll(/^```(\w+)(?: ignore)?\n(.*?)^```$/gms)];
  return blocks.flatMap(([, language, source], index) => {
    if (language !== "ts") return [];
    const following = blocks[index + 1];
    return [{ source, prints: following?.[1] === "text" ? following[2] : undefined }];
  });
}

/** A program that starts programs beside it in turn, and says what each printed, or what each threw: {@linkcode saidInTurn}. */
export function inTurn(files: readonly string[]): string {
  return `
const print = console.log, said: string[] = [];
async function start(program: () => Promise<unknown>): Promise<void> {
  let text = "";
  console.log = (...values: unknown[]) =>
    void (text += values.map((value) => typeof value === "string" ? value : Deno.inspect(value)).join(" ") + "\\n");
  await program().catch((error) => text += error.stack);
  said.push(text);
}
${files.map((file) => `await start(() => import("./${file}"));\n`).join("")}
print("said " + JSON.stringify(said));
`;
}

/** Returns the output of each program, from the output of such a program. */
export function saidInTurn(output: string): string[] {
  return JSON.parse(/^said (.*)$/m.exec(output)![1]);
}
