import config from "../../deno.json" with { type: "json" };

/** What `deno doc --json` says of a type, as far as it is looked at. */
interface DocType {
  readonly kind: string;
  /** Of a union its types, else what the type is. */
  readonly value?: readonly DocType[] | { readonly typeName?: string; readonly typeParams?: readonly DocType[] };
}

interface DocParameter {
  readonly kind: string;
  readonly left?: DocParameter;
  readonly tsType?: DocType;
}

interface DocDeclaration {
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

interface Docs {
  readonly nodes: Readonly<
    Record<string, {
      readonly symbols: readonly { readonly name: string; readonly declarations: readonly DocDeclaration[] }[];
    }>
  >;
}

/** How types are named that options have. */
const OPTIONS = /(Options|Search|Spec|Definition|GlesLayer|LayerState)$/;
/** Entry points that are constants and generated types alone. */
const GENERATED = ["./gl", "./vk"];

/** Every public function, constructor and method that takes options: such as `loadVulkan`, `new NativeWindow`, `GpuTestContext.draw`. */
export async function takersOfOptions(): Promise<string[]> {
  const entries = Object.entries(config.exports).filter(([name]) => !GENERATED.includes(name)).map(([, path]) => path);
  const root = new URL("../../", import.meta.url), args = ["doc", "--json", "--quiet", ...entries];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: root }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout)) as Docs, found = new Set<string>();
  for (const { name, declarations } of Object.values(nodes).flatMap(({ symbols }) => symbols)) {
    for (const [taker, params] of declarations.flatMap((each) => callables(name, each))) {
      if (params.some(takesOptions)) found.add(taker);
    }
  }
  return [...found].sort();
}

function callables(name: string, { kind, def }: DocDeclaration): [string, readonly DocParameter[]][] {
  const own: [string, readonly DocParameter[]][] = kind === "function" ? [[name, def?.params ?? []]] : [];
  const made = (def?.constructors ?? []).map((
    { params },
  ): [string, readonly DocParameter[]] => [`new ${name}`, params]);
  const methods = (def?.methods ?? []).map((each): [string, readonly DocParameter[]] => {
    return [`${name}.${each.name}`, each.functionDef?.params ?? each.params ?? []];
  });
  return [...own, ...made, ...methods];
}

/** Those with a default have their type on the left of it. */
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
