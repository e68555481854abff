import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { onPath } from "../../tools/setup/files.ts";
import { lavapipePath, systemLoaderPath } from "../../tools/setup/parts.ts";
import { needs } from "../support/require.ts";
import { keptByDeno } from "../../tools/test/surroundings.ts";
import { words } from "../support/shell_lines.ts";
import { run } from "../support/subprocess.ts";
import { withFolder } from "../support/temporary.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const PAGE = Deno.readTextFileSync(`${ROOT}docs/first-hour.md`);
const PARTS = needs(
  "lavapipe, the Vulkan loader and vulkaninfo",
  Deno.build.arch === "x86_64" && lavapipePath() && systemLoaderPath() && onPath("vulkaninfo"),
);
/** The line that the page has done in the clone. */
const INSTALL = "deno install";

/** A block of the page: its language, what it has, and the text before it. */
interface Block {
  readonly language: string;
  readonly text: string;
  readonly before: string;
}

function blocks(): Block[] {
  return [...PAGE.matchAll(/((?:(?!```)[\s\S])*)^```(\w+)(?: ignore)?\n([\s\S]*?)^```$/gm)]
    .map(([, before, language, text]) => ({ before, language, text }));
}

/** Types a line of the page in the folder; programs find the `deno` of this test and the installed `pumice` first. */
function type(line: string, folder: string): string {
  const [program, ...args] = words(line);
  const inClone = line.startsWith(INSTALL), bin = `${folder}/home/.deno/bin`, cwd = inClone ? ROOT : `${folder}/empty`;
  const file = program === "pumice" ? `${bin}/pumice` : Deno.execPath();
  const env = { HOME: `${folder}/home`, ...keptByDeno(), PATH: `${folder}/deno:${Deno.env.get("PATH")}` };
  const { code, output } = run(file, args, {
    cwd,
    env: { ...env, NO_COLOR: "1" },
    seconds: 120,
    without: /^DENO_INSTALL/,
  });
  assertEquals(code, 0, `${line}\n${output}`);
  return output;
}

Deno.test("somebody with a clone and an empty folder follows the first hour word by word", PARTS, () => {
  withFolder((folder) => {
    for (const name of ["home", "empty", "deno"]) Deno.mkdirSync(`${folder}/${name}`);
    Deno.symlinkSync(Deno.execPath(), `${folder}/deno/deno`);
    let output = "", typed = 0;
    for (const { language, text, before } of blocks()) {
      if (language === "text") assertStringIncludes(output, text);
      else if (language === "sh") {
        output = "";
        for (const line of text.trim().split("\n").map((each) => each.replace(/\s+#.*$/, ""))) {
          output += type(line, folder);
          typed++;
        }
      } else {
        const [, name] = /`([\w.]+)`[^`]*(?:`[^`]*`[^`]*)?:\s*$/.exec(before) ?? [];
        assert(name?.endsWith(`.${language}`), `no name before:\n${text}`);
        Deno.writeTextFileSync(`${folder}/empty/${name}`, text.replace("/path/to/the/clone", ROOT.replace(/\/$/, "")));
      }
    }
    assert(typed > 10, `${typed}`);
  });
});
