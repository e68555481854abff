import { FILES as SHARED } from "../../../../wsi/web/gen/page_gen.js";
import { escaped } from "../../../pages/page_parts.ts";
import { FILES } from "../gen/page_gen.js";
import { SCRIPTS } from "./page_files.ts";
import type { SealedAnswers } from "./sealed_answers.ts";

const IMPORT = /^import \{([^}]*)\} from "\.\/([\w.]+)";\n/gm;
const EXPORT = /^export (async function|function|const|class) (\w+)/gm;

/**
 * Returns the page in one file, which needs no server and reaches none: style, scripts and answers are inside, and
 * everything else is forbidden to it.
 */
export async function sealedPage({ answers, events }: SealedAnswers): Promise<string> {
  const style = `${SHARED["base.css"]}${FILES["page.css"]}`, script = joinedScripts();
  const policy = `default-src 'none'; img-src data:; connect-src data:; style-src '${await hashOf(
    style,
  )}'; script-src '${await hashOf(script)}'`;
  const data = [...answers].map(([ask, bytes]) =>
    `<script type="text/plain" data-ask="${escaped(ask)}">${bytes.toBase64()}</script>`
  );
  const [head, rest] = FILES["index.html"].split(/^ *<link rel="stylesheet"[^]*<\/script>\n/m);
  return [
    head.replace("<head>", `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`),
    `    <style>${style}</style>\n`,
    rest.replace(
      "</body>",
      () =>
        `${data.join("\n")}\n<script type="application/json" id="inside">${
          JSON.stringify(events)
        }</script>\n<script type="module">${script}</script>\n</body>`,
    ),
  ].join("");
}

/** The scripts as one: each has its own names, and those that it exports are members of an object. */
function joinedScripts(): string {
  const modules = SCRIPTS.map((name) => {
    const exported = [...FILES[name].matchAll(EXPORT)].map(([, , each]) => each);
    const imports = (_: string, names: string, from: string) =>
      `const {${names.replaceAll(" as ", ": ")}} = modules["${from}"];\n`;
    const text = FILES[name].replace(IMPORT, imports).replace(EXPORT, "$1 $2");
    return `modules["${name}"] = (() => {\n${text}\nreturn { ${exported.join(", ")} };\n})();\n`;
  });
  return `const modules = {};\n${modules.join("")}`;
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${new Uint8Array(digest).toBase64()}`;
}
