import { walk } from "../../tools/walk.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
/** Programs that a line of the documents starts. */
const STARTS = /^(?:[A-Z_]+=\S+ )*(?:pumice|deno|npx|npm|apt-get) [a-z-]/;

/** A line that a page tells its reader to type. */
export interface ShellLine {
  /** The page, from the project's root. */
  readonly page: string;
  /** The line, without the comment at its end, as one line. */
  readonly line: string;
}

/** Each line of `sh` blocks, and each command between backticks, of README.md, docs/ and the examples' index. */
export function shellLines(): ShellLine[] {
  const pages = [...walk(`${ROOT}docs`)].filter((path) => path.endsWith(".md")).map((path) => path.slice(ROOT.length));
  return ["README.md", "examples/README.md", ...pages].flatMap((page) => {
    const text = Deno.readTextFileSync(ROOT + page);
    const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) =>
      block.replaceAll(/\\\n\s*/g, "").trim().split("\n")
    );
    const inline = [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/`([^`]+)`/g)].map(([, line]) => line)
      .filter((line) => STARTS.test(line));
    return [...blocks, ...inline].map((line) => ({ page, line: line.replace(/\s+#.*$/, "").replaceAll(/\s+/g, " ") }));
  });
}

/** The words of a line, as a shell takes the line apart: quotes are gone. */
export function words(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/['"]/g, ""));
}
