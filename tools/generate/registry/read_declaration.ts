import type { Declaration } from "./model.ts";
import { attribute, childText, type Element, list, textOf } from "./xml.ts";

/** Reads one `<member>` or `<param>`; `constant` turns a name or number between brackets into its value. */
export function readDeclaration(element: Element, constant: (text: string) => number): Declaration {
  const name = childText(element, "name")!;
  const text = textOf(element).replace(/\s+/g, " ");
  const at = text.lastIndexOf(` ${name} `) + 1 || text.lastIndexOf(name);
  const before = text.slice(0, at), after = text.slice(at + name.length);
  const { optional, noautovalidity, values, selector, limittype, deprecated, externsync } = element.attributes;
  return {
    name,
    type: childText(element, "type")!,
    stars: before.split("*").length - 1,
    isConst: /\bconst\b/.test(before),
    dims: [...after.matchAll(/\[\s*(\w+)\s*\]/g)].map((match) => constant(match[1])),
    bits: Number(after.match(/:\s*(\d+)/)?.[1] ?? 0),
    len: lengths(element),
    optional: optional?.split(",")[0] === "true",
    optionalElements: optional?.split(",")[1] === "true",
    isExclusive: externsync === "true",
    noAutoValidity: noautovalidity === "true",
    value: values,
    selector,
    selection: list(element, "selection"),
    limit: limittype,
    text: inC(text),
    isUnused: deprecated === "unused",
  };
}

/** A declaration as people write C: stars at the type, no blanks around brackets and colons. */
export function inC(text: string): string {
  return text.replace(/\s+/g, " ").replace(/ ?(\*+) ?/g, "$1 ").replace(/ ?([[\]:]) ?/g, "$1").trim();
}

/** Count expressions; formulas are typeset in `len` and written as C in `altlen`. */
function lengths(element: Element): string[] {
  return (attribute(element, "altlen") ?? attribute(element, "len") ?? "").split(",").filter((part) => part !== "");
}
