import { publicDocs } from "./docs.ts";
import { OPTIONS } from "./options_in_docs.ts";

/** One option, as documentation shows it. */
export interface OptionMember {
  /** The type that has the option. */
  readonly owner: string;
  /** The option's type as text. */
  readonly type: string;
  /** The default as the option's comment tells it: the text after "Default", to the next stop. Of a required option absent. */
  readonly fallback?: string;
}

interface DocType {
  readonly kind: string;
  readonly repr?: string;
  readonly value?: unknown;
}

interface DocProperty {
  readonly name: string;
  readonly optional?: boolean;
  readonly tsType?: DocType;
  readonly jsDoc?: { readonly doc?: string };
}

/** The options of all public options types, by name. */
export async function optionMembers(): Promise<ReadonlyMap<string, readonly OptionMember[]>> {
  const found = new Map<string, OptionMember[]>(), seen = new Set<string>();
  for (const { name, declarations } of Object.values(await publicDocs()).flat()) {
    for (const { kind, location: { filename }, def } of declarations) {
      if (kind !== "interface" || !OPTIONS.test(name) || seen.has(`${filename} ${name}`)) continue;
      seen.add(`${filename} ${name}`);
      for (const each of (def as { properties?: readonly DocProperty[] }).properties ?? []) {
        found.set(each.name, [...found.get(each.name) ?? [], memberOf(name, each)]);
      }
    }
  }
  return found;
}

function memberOf(owner: string, { optional, tsType, jsDoc }: DocProperty): OptionMember {
  const type = tsType ? typeText(tsType) : "none";
  return optional ? { owner, type, fallback: defaultIn(jsDoc?.doc ?? "") } : { owner, type };
}

/** Returns the default that a comment names. */
export function defaultIn(comment: string): string {
  const flat = comment.replaceAll(/\s+/g, " ");
  return /\bDefault:? (.+?)(?=[,;:] |\. |\.?$)/.exec(flat)?.[1] ?? "";
}

/**
 * The value that a told default states, as code would write it: a number, a text
 * in quotes, an expression. `undefined` for a sentence.
 */
export function documentedDefault(told: string): string | undefined {
  const code = /^`([^`]+)`$/.exec(told)?.[1];
  if (code !== undefined) return code;
  if (/^-?\d[\d,]*(?:\.\d+)?$/.test(told)) return told.replaceAll(",", "");
  if (told === "2²⁰") return `${2 ** 20}`;
  return { yes: "true", no: "false", true: "true", false: "false" }[told];
}

/** A type as text; names stand for what they name. */
function typeText({ kind, value, repr }: DocType): string {
  const plain = value as Record<string, unknown>;
  switch (kind) {
    case "union":
    case "tuple":
      return (value as DocType[]).map(typeText).join(" | ");
    case "array":
      return `${typeText(value as DocType)}[]`;
    case "parenthesized":
      return `(${typeText(value as DocType)})`;
    case "typeOperator":
      return `${plain.operator} ${typeText(plain.tsType as DocType)}`;
    case "typeRef":
      return `${plain.typeName}${
        ((plain.typeParams ?? []) as DocType[]).map((each) => `<${typeText(each)}>`).join("")
      }`;
    case "fnOrConstructor": {
      const params = plain.params as { tsType?: DocType }[];
      const taken = params.map(({ tsType }) => tsType ? typeText(tsType) : "none");
      return `(${taken.join(", ")}) => ${typeText(plain.tsType as DocType)}`;
    }
    case "indexedAccess":
      return `${typeText(plain.objType as DocType)}[${typeText(plain.indexType as DocType)}]`;
    default:
      return repr ?? JSON.stringify(value, (key, each) => key === "location" ? undefined : each);
  }
}
