/**
 * The facts that programs read and that are lower than the driver's: the reasons for which a program may give up
 * without a refused call.
 *
 * @module
 */
import type { StructObject } from "../codec/codec.ts";
import { layoutOf } from "../codec/layout/layout.ts";
import type { AnyHook } from "../layer.ts";
import { eachLink, INNER } from "../layers/define/device_changes.ts";
import { shownValue } from "../requirements/profiles/registry_names.ts";
import { combineStruct } from "./combine.ts";
import { scalarsAt } from "./counted_arrays.ts";
import type { Twin } from "./twin.ts";

type Hooks = Record<string, AnyHook>;
/** A struct and its place in memory. */
type Place = readonly [struct: string, address: bigint];

/** The structs that are the last argument of queries of the first version; those of the second have them inside. */
const ROOTS = { Features: "Features", Properties: "Properties", FormatProperties: "FormatProperties" } as const;
const FORMAT_STRUCTS: ReadonlySet<string> = new Set(["VkFormatProperties", "VkFormatProperties3"]);

/** Makes hooks of queries note in `twin.lowered` which of the told facts are lower than the driver's. */
export function notingHooks(twin: Twin, hooks: Hooks): Hooks {
  const noting = { ...hooks };
  for (const query of Object.values(ROOTS)) {
    const root = query === "FormatProperties" ? `Vk${query}` : `VkPhysicalDevice${query}`;
    for (const ending of ["", "2", "2KHR"]) {
      const name = `vkGetPhysicalDevice${query}${ending}`, hook = hooks[name];
      if (hook) noting[name] = notingHook(twin, hook, (out) => ending === "" ? [[root, out]] : chainAt(root, out));
    }
  }
  const list = "vkEnumerateDeviceExtensionProperties", hook = hooks[list];
  noting[list] = (next, gpu, ...rest) => {
    for (const name of twin.gpu(gpu).driver.extensions.keys()) if (twin.answers.isHidden(name)) twin.lowered.add(name);
    return hook(next, gpu, ...rest);
  };
  return noting;
}

/** The struct inside a root, and the structs that follow in the chain. */
function chainAt(root: string, out: bigint): Place[] {
  const places: Place[] = [[root, out + INNER]];
  eachLink(out, (name, address) => places.push([name, address]));
  return places;
}

function notingHook(twin: Twin, hook: AnyHook, placesOf: (out: bigint) => Place[]): AnyHook {
  return (next, ...args) => {
    const places = placesOf(args.at(-1) as bigint).filter(([struct]) => isCompared(struct));
    let driver: StructObject[] = [];
    const read = () => places.map((place) => scalarsAt(...place));
    const result = hook((...below) => {
      const answer = next(...below);
      driver = read();
      return answer;
    }, ...args);
    const told = read(), format = args[1] as number;
    places.forEach(([struct], index) => {
      const names = lowerIn(struct, driver[index] ?? {}, told[index]);
      const isFormat = names.length > 0 && FORMAT_STRUCTS.has(struct);
      for (const name of isFormat ? [shownValue("VkFormat", format)] : names) twin.lowered.add(name);
    });
    return result;
  };
}

function isCompared(struct: string): boolean {
  return FORMAT_STRUCTS.has(struct) || /^VkPhysicalDevice\w*(Features|Properties)\w*$/.test(struct);
}

/** Returns the members, also of structs inside, of which a program is told less than the driver can do. */
function lowerIn(struct: string, driver: StructObject, told: StructObject): string[] {
  if (FORMAT_STRUCTS.has(struct)) {
    const missing = (name: string) => BigInt(driver[name] as number) & ~BigInt(told[name] as number);
    return layoutOf(struct).fields.map(({ name }) => name).filter((name) =>
      /Features$/.test(name) && missing(name) !== 0n
    );
  }
  const common = combineStruct(struct, driver, told, "common");
  return layoutOf(struct).fields.flatMap(({ name, kind, type }) => {
    const [before, after, least] = [driver[name], told[name], common[name]];
    if (kind === "struct" && isStruct(before) && isStruct(after)) return lowerIn(type, before, after);
    return least === undefined || isEqual(least, before) ? [] : [name];
  });
}

function isStruct(value: unknown): value is StructObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || String(one) === String(other) && typeof one === "object";
}
