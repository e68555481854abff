import type { Feature } from "../gl/model.ts";
import { comment, specification, usedBy } from "./comment.ts";

const SPECS = "https://registry.khronos.org/OpenGL/specs/es";

/** The specifications of the versions of OpenGL ES. All of EGL is in one. */
const VERSIONS: Readonly<Record<string, string>> = {
  GL_VERSION_ES_CM_1_0: `${SPECS}/1.1/es_full_spec_1.1.pdf`,
  GL_ES_VERSION_2_0: `${SPECS}/2.0/es_full_spec_2.0.pdf`,
  GL_ES_VERSION_3_0: `${SPECS}/3.0/es_spec_3.0.pdf`,
  GL_ES_VERSION_3_1: `${SPECS}/3.1/es_spec_3.1.pdf`,
  GL_ES_VERSION_3_2: `${SPECS}/3.2/es_spec_3.2.pdf`,
};
const EGL_SPEC = "https://registry.khronos.org/EGL/specs/eglspec.1.5.pdf";

/** Pages of OpenGL ES that are about several commands: the commands, and the page. All others have one of their own. */
const SHARED_PAGES: readonly (readonly [commands: RegExp, page: string])[] = [
  [/^gl(Program)?Uniform(?:Matrix)?\dx?\d?(?:f|i|ui)?v?$/, "gl$1Uniform"],
  [/^glGetn?Uniform(?:f|i|ui)v$/, "glGetUniform"],
  [/^glVertexAttribI?\d(?:f|i|ui)v?$/, "glVertexAttrib"],
  [/^glVertexAttribI(Format|Pointer)$/, "glVertexAttrib$1"],
  [/^gl(Get)?(Tex|Sampler|TexLevel)Parameter(?:I?(?:f|i|ui)v?)$/, "gl$1$2Parameter"],
  [/^glGetVertexAttribI?(?:f|i|ui)v$/, "glGetVertexAttrib"],
  [/^glGetBufferParameteri(?:64)?v$/, "glGetBufferParameter"],
  [/^glGetProgram(Interface|Pipeline|Resource)iv$/, "glGetProgram$1"],
  [/^glGet(?:Boolean|Float|Integer|Integer64)(?:i_)?v$/, "glGet"],
  [/^glClearBuffer(?:f|i|ui|fi)v?$/, "glClearBuffer"],
  [/^gl(?:En|Dis)ablei?$/, "glEnable"],
  [/^glDisableVertexAttribArray$/, "glEnableVertexAttribArray"],
  [/^glEnd(Query|TransformFeedback)$/, "glBegin$1"],
  [
    /^(glBlendEquation|glBlendFunc|glBlendEquationSeparate|glBlendFuncSeparate|glColorMask|glIsEnabled|glGetString)i$/,
    "$1",
  ],
  [/^glMemoryBarrierByRegion$/, "glMemoryBarrier"],
  [/^glReadnPixels$/, "glReadPixels"],
  [/^glUnmapBuffer$/, "glMapBufferRange"],
  [/^glCreateShaderProgramv$/, "glCreateShaderProgram"],
];

/** Writes what egl.xml or gl.xml tell of constants and commands as JSDoc. */
export class GlDocs {
  readonly #sources = new Map<string, Feature[]>();
  readonly #prototypes: ReadonlyMap<string, string>;
  readonly #groups: ReadonlyMap<string, readonly string[]>;

  /** `prototypes` by the names of commands; `groups`: the parameters that take each group of constants. */
  constructor(
    features: readonly Feature[],
    prototypes: ReadonlyMap<string, string>,
    groups: ReadonlyMap<string, readonly string[]>,
  ) {
    for (const feature of features) {
      for (const name of [...feature.commands, ...feature.enums]) this.#note(name, feature);
    }
    this.#prototypes = prototypes;
    this.#groups = groups;
  }

  /** The comment of a constant: its value as text, its groups, and the constant that it is another name for. */
  constant(name: string, value: string, groups: readonly string[], alias: string | undefined): string {
    const all = new Set(groups.flatMap((group) => this.#groups.get(group) ?? []));
    const places = [...all].sort((one, other) => this.#age(one) - this.#age(other));
    const what = alias
      ? `Alias of \`${alias}\` (${value}).`
      : `${name.startsWith("EGL") ? "An EGL" : "A GL"} constant, ${value}.`;
    return comment([what, usedBy(places, 3), this.#since(name), this.#specification(name)]);
  }

  /** The comment of a command with typed parameters. */
  command(name: string): string {
    return comment([`\`${this.#prototypes.get(name)}\`.`, this.#since(name), this.#page(name)]);
  }

  /** The comment of a command with its C parameters. */
  rawCommand(name: string): string {
    return comment([`\`${this.#prototypes.get(name)}\`.`]);
  }

  #note(name: string, feature: Feature): void {
    const known = this.#sources.get(name);
    if (known) known.push(feature);
    else this.#sources.set(name, [feature]);
  }

  /** The version that brings a name first, or the extension: that of the name's own vendor before others. */
  #source(name: string, isWanted = ({ version }: Feature) => version !== undefined): Feature | undefined {
    const all = this.#sources.get(name) ?? [], vendor = /_?([A-Z]+)$/.exec(name)?.[1];
    return all.find(isWanted) ?? all.find((each) => each.name.split("_")[1] === vendor) ?? all[0];
  }

  /** The version that brings the command of a place `COMMAND(PARAMETER)`, as a number: extensions are the newest. */
  #age(place: string): number {
    const { api, version = "9" } = this.#source(place.split("(")[0]) ?? {};
    return api === "gles1" ? 1 : Number(version);
  }

  #since(name: string): string | undefined {
    const source = this.#source(name);
    if (source?.version === undefined) return source && `Since \`${source.name}\`.`;
    return `Since ${source.api === "egl" ? "EGL" : "OpenGL ES"} ${source.version}.`;
  }

  /** A reference page where there is one; else the specification. */
  #page(name: string): string | undefined {
    const source = this.#source(name, isModern);
    if (source?.version === undefined || source.api === "gles1" || name === "eglCreatePlatformPixmapSurface") {
      return this.#specification(name);
    }
    if (source.api === "egl") return specification(`https://registry.khronos.org/EGL/sdk/docs/man/html/${name}.xhtml`);
    const [commands, page] = SHARED_PAGES.find(([pattern]) => pattern.test(name)) ?? [name, name];
    return specification(`https://registry.khronos.org/OpenGL-Refpages/es3/html/${name.replace(commands, page)}.xhtml`);
  }

  #specification(name: string): string | undefined {
    const source = this.#source(name, isModern);
    return source && specification(source.api === "egl" ? eglAddress(source) : glAddress(source));
  }
}

/** Whether a feature is a version other than those of OpenGL ES 1, which few know. */
function isModern({ version, api }: Feature): boolean {
  return version !== undefined && api !== "gles1";
}

function glAddress({ name, version }: Feature): string {
  if (version !== undefined) return VERSIONS[name];
  const file = name.replace(/^GL_/, "");
  return `https://registry.khronos.org/OpenGL/extensions/${file.split("_")[0]}/${file}.txt`;
}

function eglAddress({ name, version }: Feature): string {
  return version !== undefined
    ? EGL_SPEC
    : `https://registry.khronos.org/EGL/extensions/${name.split("_")[1]}/${name}.txt`;
}
