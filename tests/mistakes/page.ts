import type { Mistake } from "./mistake.ts";

/** Writes the page's section on a mistake. */
export function sectionOf({ title, code, check, thrown, instead }: Mistake): string {
  const run = "unseen" in thrown ? `nothing: ${thrown.unseen}.` : `\`${thrown.join(" … ")}\``;
  return [
    `### ${title}`,
    "```ts ignore\n" + `${code};\n` + "```",
    `- \`deno check\`: \`${check.join(" … ")}\`\n- when the program runs: ${run}\n- instead:`,
    "```ts ignore\n" + `${instead};\n` + "```",
  ].join("\n\n");
}
