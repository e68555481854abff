import { libraryParts } from "./library.ts";
import type { Program } from "./run.ts";

const ROOT = new URL("../../", import.meta.url);
/** Examples that neither wait for anybody nor end the process. */
const EXAMPLES = ["compute", "triangle", "textured_scene", "devices", "table"];
const VULKAN_PAGES = ["vulkan", "layers", "shaders", "first-hour", "recordings"];

let turn = 0;

/** A module that runs anew each time that it is imported. */
function moduleAt(name: string, file: URL): Program {
  return { name, run: () => import(`${file.href}?turn=${++turn}`) };
}

/** All programs: the examples, those of the pages, which are written to a folder, and parts of the library. */
export function allPrograms(folder: string): Program[] {
  return [...examples(), ...pagePrograms(folder), ...libraryParts()];
}

/** The examples. */
export function examples(): Program[] {
  return EXAMPLES.map((name) => moduleAt(`examples/${name}.ts`, new URL(`examples/${name}.ts`, ROOT)));
}

/** The whole programs of the pages, which are written to a folder below the project: those that load Vulkan alone. */
export function pagePrograms(folder: string): Program[] {
  return VULKAN_PAGES.flatMap((page) => {
    const text = textOf(new URL(`docs/${page}.md`, ROOT));
    return [...text.matchAll(/^```ts(?: ignore)?\n([\s\S]*?)^```/gm)].map(([, source]) => source).filter(isWhole).map(
      (source, at) => {
        const file = new URL(`file://${folder}/${page}_${at + 1}.ts`);
        Deno.writeTextFileSync(file, source);
        return moduleAt(`docs/${page}.md, program ${at + 1}`, file);
      },
    );
  });
}

function textOf(file: URL): string {
  try {
    return Deno.readTextFileSync(file);
  } catch {
    return "";
  }
}

function isWhole(source: string): boolean {
  return /\b(?:loadVulkan|openGpu)\(/.test(source) && /^import /m.test(source) &&
    !/Deno\.(?:exit|args|test)/.test(source);
}
