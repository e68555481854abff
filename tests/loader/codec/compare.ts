/** The object that must be decoded, given the object that was encoded. */
import { formOf } from "../../../loader/codec/layout/form.ts";
import { type Field, type Layout, layoutOf } from "../../../loader/codec/layout/layout.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";

/** The first place where a decoded object is not what was encoded; `undefined` when all of it came back. */
export function difference(
  layout: Layout,
  given: StructObject,
  decoded: StructObject,
  path = layout.name,
): string | undefined {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const field = layout.fields.find((each) => each.name === name)!;
    const problem = memberDifference(layout, field, value, decoded[name], `${path}.${name}`);
    if (problem) return problem;
  }
}

function memberDifference(
  layout: Layout,
  field: Field,
  given: unknown,
  decoded: unknown,
  path: string,
): string | undefined {
  const form = formOf(layout, field);
  if (form === "chars" || form === "string") return differs(wellFormed(given as string), decoded, path);
  if (form === "strings") return listDifference((given as string[]).map(wellFormed), decoded, path, differs);
  if (form === "chain") return chainDifference(given as StructObject[], decoded as StructObject[], path);
  const element = field.kind === "struct"
    ? (a: unknown, b: unknown, at: string) => difference(layoutOf(field.type), a as StructObject, b as StructObject, at)
    : differs;
  if (form === "list") {
    return listDifference(given, (decoded as unknown[]).slice(0, (given as unknown[]).length), path, element);
  }
  if (form === "grid") {
    return (given as unknown[][]).map((row, i) =>
      listDifference(row, (decoded as unknown[][])[i].slice(0, row.length), `${path}[${i}]`, element)
    ).find((problem) => problem !== undefined);
  }
  return ["many", "pointers", "bytes"].includes(form)
    ? listDifference(given, decoded, path, element)
    : element(given, decoded, path);
}

/** A lone surrogate has no UTF-8. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}

function chainDifference(given: StructObject[], decoded: StructObject[], path: string): string | undefined {
  return listDifference(given, decoded, path, (a, b, at) => {
    const { sType } = a as StructObject;
    if ((b as StructObject).sType !== sType) return `${at}: sType ${sType} became ${(b as StructObject).sType}`;
  });
}

function listDifference(
  given: unknown,
  decoded: unknown,
  path: string,
  element: (given: unknown, decoded: unknown, path: string) => string | undefined,
): string | undefined {
  const left = Array.from(given as ArrayLike<unknown>), right = decoded as ArrayLike<unknown> | null;
  if (right?.length !== left.length) return `${path}: ${left.length} elements became ${right?.length}`;
  return left.map((item, i) => element(item, right[i], `${path}[${i}]`)).find((problem) => problem !== undefined);
}

function differs(given: unknown, decoded: unknown, path: string): string | undefined {
  return Object.is(given, decoded) ? undefined : `${path}: ${String(given)} became ${String(decoded)}`;
}
