import type { Command, Parameter } from "../../../egl/command/spec.ts";
import { GlDocs } from "../docs/gl.ts";
import { inC } from "../registry/read_declaration.ts";
import { attribute, type Element, elements, list, parseRegistryFile, textOf } from "../registry/xml.ts";
import { CODES, HANDLES, LENGTHS, READ_ONLY } from "./lists.ts";
import type { Constant, Feature, GlRegistry } from "./model.ts";

/** Reads egl.xml or gl.xml, as far as it is about the given APIs. */
export function readGlRegistry(path: string, apis: readonly string[]): GlRegistry {
  const root = parseRegistryFile(path);
  const features = [...readVersions(root, apis), ...readExtensions(root, apis)];
  const wanted = new Set(features.flatMap(({ commands }) => commands));
  const constants = new Set(features.flatMap(({ enums }) => enums));
  return {
    source: path.slice(path.lastIndexOf("/") + 1),
    features,
    commands: readCommands(root, wanted),
    constants: readConstants(root, constants, apis),
    docs: new GlDocs(features, ...readPrototypes(root, wanted)),
  };
}

function readVersions(root: Element, apis: readonly string[]): Feature[] {
  return elements(root, "feature").filter((each) => apis.includes(each.attributes.api)).map((each) => ({
    name: each.attributes.name,
    api: each.attributes.api,
    version: each.attributes.number,
    ...required(each, each.attributes.api),
  }));
}

function readExtensions(root: Element, apis: readonly string[]): Feature[] {
  return elements(root, "extensions").flatMap((list) => elements(list, "extension")).flatMap((each) => {
    const supported = each.attributes.supported.split("|");
    return apis.filter((api) => supported.includes(api)).map((api) => ({
      name: each.attributes.name,
      api,
      ...required(each, api),
    }));
  });
}

/**
 * The commands and enums that a feature's `<require>` elements add to an API.
 * Nothing of the ES APIs was ever removed.
 */
function required(feature: Element, api: string): { commands: string[]; enums: string[] } {
  const parts = elements(feature, "require").filter((each) => (each.attributes.api ?? api) === api);
  const names = (tag: string) => [
    ...new Set(parts.flatMap((part) => elements(part, tag).map(({ attributes }) => attributes.name))),
  ];
  return { commands: names("command"), enums: names("enum") };
}

function readCommands(root: Element, wanted: ReadonlySet<string>): Command[] {
  const all = elements(root, "commands").flatMap((list) => elements(list, "command")).map(readCommand);
  return all.filter(({ name }) => wanted.has(name)).sort((a, b) => a.name < b.name ? -1 : 1);
}

function readCommand(element: Element): Command {
  const proto = elements(element, "proto")[0], name = textOf(elements(proto, "name")[0]).trim();
  const { code, stars } = declaration(proto);
  const params = elements(element, "param").map((each) => readParameter(each, name));
  return { name, result: "*".repeat(stars) + code, params };
}

function readParameter(element: Element, command: string): Parameter {
  const name = textOf(elements(element, "name")[0]).trim(), place = `${command}.${name}`;
  const { code, stars, isConst } = declaration(element);
  // A pointer to something nobody can see into is a value like any other.
  if (stars === 1 && code === "v" && !isConst && element.attributes.len === undefined && !LENGTHS.has(place)) {
    return { name, code: "P", stars: 0, isConst: false, len: "" };
  }
  return { name, code, stars, isConst: isConst || READ_ONLY.has(place), len: lengthOf(element, place) };
}

function declaration(element: Element): { code: string; stars: number; isConst: boolean } {
  const text = element.children.filter((child) => typeof child === "string" || child.tagName !== "name")
    .map(textOf).join(" ");
  const type = /(?:const |struct )*\s*(\w+)/.exec(text.replace(/\bconst\b|\bstruct\b/g, " ").trim())?.[1] ?? "void";
  const code = CODES.get(type) ?? HANDLES.get(type) ?? (/^(GL|EGL)\w*(PROC|Type)/.test(type) ? "P" : "v");
  return { code, stars: text.split("*").length - 1, isConst: /\bconst\b/.test(text) };
}

function lengthOf(element: Element, place: string): string {
  const given = LENGTHS.get(place);
  if (given !== undefined) return given;
  const len = attribute(element, "len") ?? "";
  if (len === "") return /attrib_?list|attribs/.test(place) && place.startsWith("egl") ? "attribs" : "";
  const computed = /^COMPSIZE\((.*)\)$/.exec(len);
  return computed ? `@${computed[1].replaceAll(" ", "")}` : len.replaceAll(" ", "");
}

/** The C prototypes of commands by their names, and the parameters that take each group of constants. */
function readPrototypes(root: Element, wanted: ReadonlySet<string>): [Map<string, string>, Map<string, string[]>] {
  const prototypes = new Map<string, string>(), groups = new Map<string, string[]>();
  for (const element of elements(root, "commands").flatMap((list) => elements(list, "command"))) {
    const proto = elements(element, "proto")[0], name = textOf(elements(proto, "name")[0]).trim();
    if (!wanted.has(name)) continue;
    const params = elements(element, "param");
    prototypes.set(name, `${inC(textOf(proto))}(${params.map((each) => inC(textOf(each))).join(", ")})`);
    for (const param of params) {
      for (const group of list(param, "group")) {
        groups.set(group, [...groups.get(group) ?? [], `${name}(${textOf(elements(param, "name")[0]).trim()})`]);
      }
    }
  }
  return [prototypes, groups];
}

function readConstants(root: Element, wanted: ReadonlySet<string>, apis: readonly string[]): Constant[] {
  const found = new Map<string, Constant>();
  for (const each of elements(root, "enums").flatMap((list) => elements(list, "enum"))) {
    const { name, value, api, type } = each.attributes;
    if (!wanted.has(name) || found.has(name) || (api !== undefined && !apis.includes(api))) continue;
    found.set(name, { name, value: valueOf(value, type), groups: list(each, "group"), alias: each.attributes.alias });
  }
  return [...found.values()];
}

/** `EGL_CAST(type,value)` is a handle unless the type is a number's. */
function valueOf(text: string, type: string | undefined): number | bigint {
  const cast = /^EGL_CAST\((\w+),(-?\w+)\)$/.exec(text);
  if (cast) return CODES.get(cast[1]) === "i" ? Number(cast[2]) : BigInt(cast[2]);
  return type === "ull" ? BigInt(text) : Number(text);
}
