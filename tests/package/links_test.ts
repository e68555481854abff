import { assert, assertEquals } from "@std/assert";
import { dirname, join } from "node:path";
import { isKept } from "../../tools/build/package.ts";
import { walk } from "../../tools/walk.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const { publish } = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.json`));

/** Whether the package has a path from the project's root, a file or a folder; pages in it have words for pictures. */
function isPublished(path: string): boolean {
  if (path.endsWith(".png")) return true;
  const isFolder = ["docs", "examples"].includes(path);
  return isFolder || publish.include.includes(path.split("/")[0]) && isKept(path);
}

/** The relative links and pictures of a page, as paths from the project's root. */
function targetsOf(page: string): string[] {
  const text = Deno.readTextFileSync(ROOT + page).replaceAll(/^```.*?^```$/gms, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target.split("#")[0])
    .filter((target) => target !== "" && !/^[a-z]+:/.test(target)).map((target) => join(dirname(page), target));
}

const pages = publish.include.filter((path: string) => path.endsWith(".md")).concat(
  [...walk(`${ROOT}docs`)].filter((path) => path.endsWith(".md")).map((path) => path.slice(ROOT.length)),
);

Deno.test("each relative link and picture of README.md and docs/ leads to a file that the package has", () => {
  assert(pages.includes("README.md") && pages.length > 15, pages.join());
  const broken = pages.flatMap((page: string) =>
    targetsOf(page).filter((target) => !isPublished(target) || !exists(target)).map((target) => `${page}: ${target}`)
  );
  assertEquals(broken, []);
});

/** The anchors that a page gives its headings: lower case, spaces as hyphens, without other signs. */
function anchorsOf(page: string): Set<string> {
  const text = Deno.readTextFileSync(ROOT + page).replaceAll(/^```.*?^```$/gms, ""), anchors = new Set<string>();
  for (const [, title] of text.matchAll(/^#+ (.*)$/gm)) {
    const plain = title.replaceAll(/\]\([^)]*\)/g, "").toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, "");
    anchors.add(plain.replaceAll(" ", "-"));
  }
  return anchors;
}

Deno.test("each link to a section leads to a heading of its page", () => {
  const broken = pages.flatMap((page: string) => {
    const text = Deno.readTextFileSync(ROOT + page).replaceAll(/^```.*?^```$/gms, "");
    return [...text.matchAll(/\]\(([\w./-]*)#([^)\s]+)\)/g)].filter(([, target, anchor]) =>
      !anchorsOf(target === "" ? page : join(dirname(page), target)).has(anchor)
    ).map(([, target, anchor]) => `${page}: ${target}#${anchor}`);
  });
  assertEquals(broken, []);
});

function exists(path: string): boolean {
  try {
    return Deno.statSync(ROOT + path) !== undefined;
  } catch {
    return false;
  }
}
