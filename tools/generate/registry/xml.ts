import { parse } from "txml";

/** One XML element; text between elements is kept in order as strings. */
export interface Element {
  /** The tag. */
  tagName: string;
  /** As written, entities not replaced. */
  attributes: Record<string, string>;
  /** Elements and texts in order. */
  children: (Element | string)[];
}

/** Parses a registry file and returns its root. Throws an `Error` when there is no `<registry>`. */
export function parseRegistryFile(path: string): Element {
  const nodes = parse(Deno.readTextFileSync(path)) as unknown as (Element | string)[];
  const root = nodes.find((node): node is Element => typeof node !== "string" && node.tagName === "registry");
  if (root) return root;
  throw new Error(`Cannot read "${path}": found no <registry> element; give a Khronos vk.xml or video.xml`);
}

/** The child elements with this tag, or all of them; comments and directives are left out. */
export function elements(parent: Element, tag?: string): Element[] {
  return parent.children.filter((child): child is Element =>
    typeof child !== "string" && (tag === undefined ? !child.tagName.startsWith("!") : child.tagName === tag)
  );
}

/** All text below a node, elements separated by blanks. A `<comment>` inside a declaration is no part of it. */
export function textOf(node: Element | string): string {
  if (typeof node === "string") return node;
  if (node.tagName === "comment" || node.tagName.startsWith("!")) return "";
  return node.children.map(textOf).join(" ");
}

/** The trimmed text of the first child with this tag. */
export function childText(parent: Element, tag: string): string | undefined {
  const child = elements(parent, tag)[0];
  return child && textOf(child).trim();
}

/** An attribute with its entities replaced: the parser leaves them as written. */
export function attribute(element: Element, name: string): string | undefined {
  return element.attributes[name]
    ?.replaceAll("&gt;", ">").replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

/** A comma-separated attribute as a list. */
export function list(element: Element, name: string): string[] {
  return (attribute(element, name) ?? "").split(",").filter((part) => part !== "");
}

/** Whether an element belongs to Vulkan proper and not only to Vulkan SC. */
export function isForVulkan(element: Element): boolean {
  const api = element.attributes.api;
  return api === undefined || api.split(",").includes("vulkan");
}
