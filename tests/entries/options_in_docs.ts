import { publicDocs } from "./docs.ts";

/** The part of a type in the output of `deno doc --json` that is looked at. */
interface DocType {
  readonly kind: string;
  /** The types of a union, or else the name of the type. */
  readonly value?: readonly DocType[] | { readonly typeName?: string; readonly typeParams?: readonly DocType[] };
}

interface DocParameter {
  readonly kind: string;
  readonly left?: DocParameter;
  readonly tsType?: DocType;
}

interface DocFunction {
  readonly kind: string;
  readonly def?: {
    readonly params?: readonly DocParameter[];
    readonly constructors?: readonly { readonly params: readonly DocParameter[] }[];
    readonly methods?: readonly {
      readonly name: string;
      readonly params?: readonly DocParameter[];
      readonly functionDef?: { readonly params: readonly DocParameter[] };
    }[];
  };
}

/** The names of types that have options. */
export const OPTIONS = /(Options|Search|Spec|Definition|GlesLayer|LayerState|Conditions)$/;
/** Every public function, constructor and method that takes options: such as `loadVulkan`, `new NativeWindow`, `GpuTestContext.draw`. */
export async function takersOfOptions(): Promise<string[]> {
  const docs = await publicDocs(), found = new Set<string>();
  for (const { name, declarations } of Object.values(docs).flat()) {
    for (const [taker, params] of declarations.flatMap((each) => callables(name, each as DocFunction))) {
      if (params.some(takesOptions)) found.add(taker);
    }
  }
  return [...found].sort();
}

function callables(name: string, { kind, def }: DocFunction): [string, readonly DocParameter[]][] {
  const own: [string, readonly DocParameter[]][] = kind === "function" ? [[name, def?.params ?? []]] : [];
  const made = (def?.constructors ?? []).map((
    { params },
  ): [string, readonly DocParameter[]] => [`new ${name}`, params]);
  const methods = (def?.methods ?? []).map((each): [string, readonly DocParameter[]] => {
    return [`${name}.${each.name}`, each.functionDef?.params ?? each.params ?? []];
  });
  return [...own, ...made, ...methods];
}

/** Whether a parameter takes options. A parameter with a default has its type on the left of the default. */
function takesOptions({ left, tsType }: DocParameter): boolean {
  const type = left?.tsType ?? tsType;
  return type !== undefined && isOptions(type);
}

function isOptions({ value }: DocType): boolean {
  if (value === undefined || typeof value !== "object") return false;
  if ("length" in value) return value.some(isOptions);
  const { typeName = "", typeParams = [] } = value;
  return OPTIONS.test(typeName) || typeName === "Partial" && typeParams.some(isOptions);
}
