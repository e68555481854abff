import { declareImage } from "../chain/table/table_layout.ts";
import type { DriverKind } from "../driver/interface/entry_points.ts";
import type { Finding } from "../driver/report/finding.ts";
import { followingHost } from "../driver/host/following_host.ts";
import type { Join } from "../driver/found_driver.ts";
import { logFindings } from "../driver/report/log.ts";
import { driverChoice } from "../driver/choice.ts";
import { selectDriver } from "../driver/select.ts";
import { DriverError } from "../error.ts";
import { type LayerOpening, openLayers } from "../layers/choice/open.ts";
import { checkVulkanOptions, processLayers, withProcessOptions } from "./options.ts";
import type { LoaderRequest, VulkanOptions } from "../options.ts";
import { type Platform, platformOf } from "../driver/search/search.ts";
import type { Host } from "../driver/host/host.ts";
import type { PlatformRules } from "../platform/rules.ts";
import { LayerStack } from "./layer_stack.ts";
import { LoaderScope } from "./loader_scope.ts";
import type { Vulkan } from "./vulkan.ts";

/** Opens a driver and puts layers on top, with what an entry finds and brings. */
export function load(given: VulkanOptions, entry: LoaderEntry): Vulkan {
  declareImage();
  checkVulkanOptions(given, entry.options);
  const notes: Finding[] = [], wanted = withProcessOptions(given);
  const note: DriverNote = (...note) => addNote(notes, driver.path, note);
  const options: VulkanOptions = entry.bring?.(wanted, note, (): DriverKind => driver.kind) ?? wanted;
  const request = { ...options, driver: driverChoice(options.driver), host: followingHost(wanted.host) },
    rules = rulesOf(entry.platforms, wanted.platform, request.host);
  const processWide = processLayers(),
    { driver, findings } = withFindings(request, [], () => openDriver(request, rules));
  try {
    const said: Finding[] = [], stays = rules.librariesStay(request.host, said);
    if (stays) rules.nativeSide!.keepLoaded(driversIn(findings));
    const named = [...processWide?.layers(given) ?? [], ...request.layers ?? []];
    const opening: LayerOpening = {
      find: (wanted) => rules.findLayer(wanted, request.host),
      open: (layer) => rules.nativeSide!.openNativeLayer({ ...layer, stays }),
    };
    const layers = withFindings(request, findings, () => openLayers(named, opening), refusedLayer);
    const [first] = findings, about = () => driver.search ? [first, ...driver.search.findings()] : findings;
    const all = () => [...about(), ...said, ...layers.findings, ...notes];
    logFindings(all(), request.log, request.host);
    const stack = new LayerStack(driver, layers, stackOptions(request, rules, stays));
    const { vulkan } = new LoaderScope({ driver, stack, findings: all, surface: () => rules.surface(request) });
    processWide?.made(vulkan);
    return vulkan;
  } catch (error) {
    driver.close();
    throw error;
  }
}

function addNote(notes: Finding[], path: string, [origin, reason]: Parameters<DriverNote>): void {
  if (!notes.some((each) => each.reason === reason)) {
    notes.push({ subject: "driver", path, origin, taken: true, reason });
  }
}

function stackOptions(request: LoaderRequest, rules: PlatformRules, libraryStays: boolean) {
  const { host, log, bottomLayers: bottom, foreignCalls } = request, finder = rules.layers(request, host);
  return { host, rules, finder, libraryStays, log, bottom, foreignCalls };
}

/** The libraries of the chosen drivers. */
function driversIn(findings: readonly Finding[]): string[] {
  const drivers = findings.filter(({ subject, taken }) => subject === "driver" && taken);
  return drivers.map(({ path }) => path).filter((path) => path.includes(".so"));
}

/** Opens the driver below the platform's driver level. Returns the driver and the findings. */
function openDriver(request: LoaderRequest, rules: PlatformRules) {
  const join: Join = (source, host) => rules.join(source, host, request);
  const selection = selectDriver(request.driver, request, rules, join);
  return { driver: rules.driverLevel(selection, request), findings: selection.findings };
}

/** Runs one step of loading. If the step fails, its error gets the earlier findings, and the log gets all of them. */
function withFindings<T>(
  { log, host }: LoaderRequest,
  before: readonly Finding[],
  step: () => T,
  last: (error: DriverError) => Finding[] = () => [],
): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    error.findings = [...before, ...error.findings, ...last(error)];
    logFindings(error.findings, log, host);
    Error.captureStackTrace(error, withFindings); // ten frames of ours would leave no room for the script's
    throw error;
  }
}

function refusedLayer({ path, message: reason }: DriverError): Finding[] {
  return [{ subject: "layer", path, origin: "layers option", taken: false, reason, level: "error" }];
}

/** Notes something about the driver in use: how it was found out, and what, as a sentence without a full stop. */
export type DriverNote = (origin: string, reason: string) => void;

/** The abilities of one public entry's `loadVulkan`. */
export interface LoaderEntry {
  /** The known platforms. */
  readonly platforms: readonly PlatformRules[];
  /** The options of the entry. Absent: all options. */
  readonly options?: readonly (keyof VulkanOptions)[];
  /**
   * Adds the entry's own parts to checked options. `note` adds a finding about the driver, once; `kind` tells the
   * interface of the driver, once the driver is open.
   */
  bring?(options: VulkanOptions, note: DriverNote, kind: () => DriverKind): VulkanOptions;
}

/** Returns the rules of the requested platform. Throws a `TypeError` for another word. */
export function rulesOf(
  platforms: readonly PlatformRules[],
  wanted: Platform | "auto" | undefined,
  host: Host,
): PlatformRules {
  const name = platformOf(wanted, host);
  return platforms.find((rules) => rules.name === name)!;
}
