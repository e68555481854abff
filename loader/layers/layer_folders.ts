import type { Finding } from "../driver/finding.ts";
import type { Host } from "../driver/host.ts";
import { listed, type ManifestCandidate, manifestsIn, searchFolders } from "../driver/search.ts";
import type { Variables } from "../driver/variables.ts";

/** The two kinds of layers on a machine: those that count by themselves, and those that must be named. */
export type LayerKind = "implicit" | "explicit";

/** What each kind is searched by: the variable that replaces the search, and the one that goes before it. */
const SEARCH = {
  implicit: { replace: "VK_IMPLICIT_LAYER_PATH", add: "VK_ADD_IMPLICIT_LAYER_PATH", leaf: "implicit_layer.d" },
  explicit: { replace: "VK_LAYER_PATH", add: "VK_ADD_LAYER_PATH", leaf: "explicit_layer.d" },
} as const;

/** The layer manifests of a kind, in the order in which they count, nothing twice. */
export function layerManifests(
  kind: LayerKind,
  variables: Variables,
  host: Host,
  report: Finding[],
): ManifestCandidate[] {
  const { replace, add, leaf } = SEARCH[kind], what = `the search for ${kind} layers`;
  const instead = variables.honour(replace, `replaces ${what}`);
  if (instead !== "") {
    variables.ignore(add, `ignored, because ${replace} is set`);
    return withoutRepeats(listed(instead, replace, host, report));
  }
  const before = listed(variables.honour(add, `goes before ${what}`), add, host, report);
  const folders = searchFolders(leaf, (name) => variables.read(name));
  return withoutRepeats([...before, ...folders.flatMap((folder) => manifestsIn(folder, folder, host, report))]);
}

/** The manifests in the folders that the override layer gives for explicit layers. */
export function overrideManifests(folders: readonly string[], host: Host, report: Finding[]): ManifestCandidate[] {
  return withoutRepeats(folders.flatMap((folder) => listed(folder, "override layer", host, report)));
}

function withoutRepeats(candidates: readonly ManifestCandidate[]): ManifestCandidate[] {
  const byPath = new Map(candidates.toReversed().map((candidate) => [candidate.path, candidate]));
  return candidates.filter((candidate) => byPath.get(candidate.path) === candidate);
}
