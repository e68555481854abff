import { assertEquals } from "@std/assert";
import { canBundle } from "../../tools/build/bundle.ts";
import { joined } from "../../tools/build/join.ts";
import { withFolderAsync } from "../support/temporary.ts";
import { needs } from "../support/require.ts";

const BUNDLER = needs("esbuild, which deno bundle fetches", await canBundle() ? "esbuild" : undefined);

/** Files as the bundler writes them: two that share names, one that both need, and two entries. */
const FILES: Readonly<Record<string, string>> = {
  "chunk-AAAA.js": `import {
  say
} from "./chunk-CCCC.js";

// a.ts
var name = say("a");
var text = \`
import "./chunk-BBBB.js";
\`;

export {
  name,
  text as words
};
`,
  "chunk-BBBB.js": `import {
  name as name2
} from "./chunk-AAAA.js";

// b.ts
import { basename } from "node:path";
var name = basename(name2) + "b";

export {
  name
};
`,
  "chunk-CCCC.js": `// c.ts
var said = 0;
function say(text) {
  return \`\${text}\${++said}\`;
}
var later = async () => (await import("./later-DDDD.js")).late;

export {
  later,
  say
};
`,
  "later-DDDD.js": `import {
  say
} from "./chunk-CCCC.js";
var late = say("late");
export {
  late
};
`,
  "entry.js": `import {
  name,
  words
} from "./chunk-AAAA.js";
import {
  name as name2
} from "./chunk-BBBB.js";
import {
  later
} from "./chunk-CCCC.js";
export {
  later,
  name,
  name2,
  words
};
`,
  "room/other.js": `import "../chunk-AAAA.js";
import {
  name
} from "../chunk-BBBB.js";
import "../chunk-CCCC.js";
export {
  name
};
`,
};

Deno.test("files that are put together run as before: names, texts and what is imported later", BUNDLER, async () => {
  const files = await joined(new Map(Object.entries(FILES)), ["entry.js", "room/other.js"]);
  assertEquals([...files.keys()].sort(), [
    "chunk-CCCC.js",
    "entry.js",
    "later-DDDD.js",
    "room/other.js",
    "shared-0.js",
  ]);
  await withFolderAsync(async (folder) => {
    Deno.mkdirSync(`${folder}/room`);
    for (const [path, text] of files) Deno.writeTextFileSync(`${folder}/${path}`, text);
    const { name, name2, words, later } = await import(`file://${folder}/entry.js`);
    assertEquals([name, name2, words, await later()], ["a1", "a1b", '\nimport "./chunk-BBBB.js";\n', "late2"]);
    assertEquals((await import(`file://${folder}/room/other.js`)).name, "a1b");
  });
});
