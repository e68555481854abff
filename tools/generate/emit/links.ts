const PAGES = "https://docs.vulkan.org/refpages/latest/refpages/source";

/** The doc comment of a struct or command: the link to its page. Video codec structs have no page. */
export function docComment(name: string, experimental: boolean | undefined, indent = ""): string {
  const page = name.startsWith("StdVideo") ? "" : `${PAGES}/${name}.html`;
  if (experimental) return `${indent}/**\n${indent} * ${page}\n${indent} * @experimental\n${indent} */\n`;
  return page ? `${indent}/** ${page} */\n` : "";
}
