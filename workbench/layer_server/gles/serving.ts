import { checkOptions, list, type OptionRules, typed } from "../../../ffi/check_options.ts";
import { serve, SERVE_RULES } from "../serve.ts";
import { glesKind } from "./gles_kind.ts";
import { libraryVariables } from "./in_place.ts";
import { GLES_LIBRARY_FILE } from "./library_file.ts";
import type { GlesLayerServer, ServeGlesLayersOptions } from "./serve_gles_layers.ts";

const RULES: OptionRules<ServeGlesLayersOptions> = {
  layers: list("a list of layers", typed("what defineGlesLayer() returns", "object")),
  ...SERVE_RULES,
};

/** The variable of this process that says where programs find libraries. */
function searchPath(): Record<string, string> {
  const value = Deno.env.get("LD_LIBRARY_PATH");
  return value === undefined ? {} : { LD_LIBRARY_PATH: value };
}

/** Does what {@linkcode serveGlesLayers} says; apart, so that scripts that serve nothing start faster. */
export async function serving(options: ServeGlesLayersOptions): Promise<GlesLayerServer> {
  checkOptions("serveGlesLayers()", options, RULES);
  const server = await serve(glesKind(), options);
  const { folder } = server, library = `${folder}/${GLES_LIBRARY_FILE}`;
  return Object.assign(server, { library, environment: (own = searchPath()) => libraryVariables(folder, own) });
}
