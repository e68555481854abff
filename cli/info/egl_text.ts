import type { EglConfigInfo, EglInfo, GlesInfo } from "../../egl/info/egl_info.ts";
import { extensionLines, paragraph, sentence } from "./paragraph.ts";

/** Returns an EGL driver's capabilities as text. */
export function eglText({ driver, own, shown, configs, contexts }: EglInfo): string {
  const hidden = own.extensions.filter((name) => !shown.extensions.includes(name));
  const provided = shown.extensions.filter((name) => !own.extensions.includes(name));
  return [
    driver,
    sentence("EGL", `${own.version} of ${own.vendor}; ${own.clientApis.join(", ")}`),
    sentence("Extensions", `${own.extensions.length} of the driver; applications see ${shown.extensions.length}`),
    ...extensionLines(own.extensions),
    paragraph("  added", [...provided, ...provided.length === 0 ? ["none"] : []]),
    paragraph("  not shown", [...hidden, ...hidden.length === 0 ? ["none"] : []]),
    ...configLines(configs),
    ...contexts.map((context, index) => contextText(context, contexts[index - 1])),
  ].join("\n");
}

/** Configurations that differ only in depth, stencil and samples share a line. */
function configLines(configs: readonly EglConfigInfo[]): string[] {
  const kinds = new Map<string, EglConfigInfo[]>();
  for (const config of configs) kinds.set(colors(config), [...kinds.get(colors(config)) ?? [], config]);
  const lines = [...kinds].map(([kind, own]) => {
    const depths = values(own, "EGL_DEPTH_SIZE"), stencils = values(own, "EGL_STENCIL_SIZE");
    return sentence(
      "",
      `${own.length} × ${kind}, depth ${depths}, stencil ${stencils}, samples ${values(own, "EGL_SAMPLES")}`,
    );
  });
  return [sentence("Configs", String(configs.length)), ...lines];
}

function colors(config: EglConfigInfo): string {
  const letters = [["R", "RED"], ["G", "GREEN"], ["B", "BLUE"], ["A", "ALPHA"]];
  return letters.map(([letter, name]) => [letter, config[`EGL_${name}_SIZE`]] as const).filter(([, size]) => size > 0)
    .map(([letter, size]) => `${letter}${size}`).join("");
}

function values(configs: readonly EglConfigInfo[], name: string): string {
  return [...new Set(configs.map((config) => config[name]))].sort((a, b) => a - b).join("/");
}

const LIMITS = ["GL_MAX_TEXTURE_SIZE", "GL_MAX_RENDERBUFFER_SIZE", "GL_MAX_SAMPLES", "GL_MAX_DRAW_BUFFERS"];

/** Drivers often make the same context for several versions: that is said once. */
function contextText(context: GlesInfo, before: GlesInfo | undefined): string {
  const { version, glVersion, renderer, shadingLanguage, extensions, limits } = context, name = `GLES ${version}`;
  if (before && before.glVersion === glVersion && before.extensions.length === extensions.length) {
    return sentence(name, `as ${before.version}`);
  }
  const shown = LIMITS.filter((limit) => limit in limits).map((limit) => `${limit} ${limits[limit]},`);
  return [
    sentence(name, `${glVersion} on ${renderer}${shadingLanguage && `; ${shadingLanguage}`}`),
    sentence("", `${shown.join(" ")} ${Object.keys(limits).length} limits in all`),
    sentence("", `${extensions.length} extensions`),
    ...extensionLines(extensions),
  ].join("\n");
}
