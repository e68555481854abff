import config from "../../deno.json" with { type: "json" };

/** A declaration of `deno doc --json`, as far as it is looked at. */
export interface DocDeclaration {
  readonly kind: string;
  readonly location: { readonly filename: string };
  readonly jsDoc?: { readonly doc?: string; readonly tags?: readonly unknown[] };
  readonly def?: unknown;
}

/** The exports of one module. */
export type DocSymbols = readonly { readonly name: string; readonly declarations: readonly DocDeclaration[] }[];

/** Entry points that are constants and generated types alone. */
const GENERATED = ["./gl", "./vk"];
const ROOT = new URL("../../", import.meta.url);
let documented: Promise<Record<string, DocSymbols>> | undefined;

/** Returns the exports of all public entries, by the entry's name in deno.json. A process asks for them once. */
export function allDocs(): Promise<Record<string, DocSymbols>> {
  return documented ??= readDocs();
}

/** Returns the exports of the public entries that are not generated. */
export async function publicDocs(): Promise<Record<string, DocSymbols>> {
  return Object.fromEntries(Object.entries(await allDocs()).filter(([name]) => !GENERATED.includes(name)));
}

async function readDocs(): Promise<Record<string, DocSymbols>> {
  const entries = Object.entries(config.exports), args = ["doc", "--json", "--quiet", ...Object.values(config.exports)];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout));
  return Object.fromEntries(entries.map(([name, path]) => [name, nodes[new URL(path, ROOT).href].symbols]));
}
