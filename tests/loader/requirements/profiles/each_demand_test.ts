import { assert, assertEquals } from "@std/assert";
import { loadVulkan } from "../../../../loader/mod.ts";
import { DriverSession } from "../../../../loader/requirements/driver_session.ts";
import type { DeviceFacts, FormatFacts } from "../../../../loader/requirements/facts.ts";
import { numberOf, structName } from "../../../../loader/requirements/profiles/registry_names.ts";
import { evaluateProfile } from "../../../../loader/requirements/profiles/evaluate.ts";
import { limitTypeOf } from "../../../../loader/requirements/profiles/struct_demands.ts";
import type { Capability, Profile } from "../../../../loader/requirements/profiles/profile.ts";
import { knownProfiles, openProfiles } from "../../../../loader/requirements/profiles/profile_set.ts";
import { lavapipePath } from "../../../../tools/setup/parts.ts";
import { needs } from "../../../support/require.ts";
import { perfectDevice } from "../perfect_device.ts";

type Struct = Record<string, unknown>;
const NOTHING: FormatFacts = { linearTilingFeatures: 0n, optimalTilingFeatures: 0n, bufferFeatures: 0n };

/** A device that lacks one thing, and the name by which a profile misses it. */
interface Lack {
  readonly device: DeviceFacts;
  readonly name: string;
}

/** The device, asked once for each thing. */
function remembered(device: DeviceFacts): DeviceFacts {
  const formats = new Map<number, FormatFacts>();
  return over(device, {
    format: (format) => formats.get(format) ?? formats.set(format, device.format(format)).get(format)!,
  });
}

/** A device that says something else. */
function over(device: DeviceFacts, changes: Partial<DeviceFacts>): DeviceFacts {
  const { name, type, apiVersion, driverVersion, vendorId, deviceId, extensions, deviceExtensions } = device;
  return {
    ...{ name, type, apiVersion, driverVersion, vendorId, deviceId, extensions, deviceExtensions },
    isProvided: (each) => device.isProvided(each),
    struct: (each) => device.struct(each),
    format: (each) => device.format(each),
    queueFamilies: [],
    semaphoreFeatures: (each) => device.semaphoreFeatures(each),
    fenceFeatures: (each) => device.fenceFeatures(each),
    unresolved: (each) => device.unresolved(each),
    ...changes,
  };
}

/** For everything that a capability asks for, a device without it. */
function* lacks(capability: Capability, device: DeviceFacts): Generator<Lack> {
  for (const name of Object.keys(capability.extensions)) {
    const extensions = new Map([...device.extensions].filter(([each]) => each !== name));
    yield { device: over(device, { extensions }), name };
  }
  for (const [given, members] of Object.entries(capability.features)) {
    for (const name of Object.keys(members)) {
      yield { device: withMember(device, structName(given)!, [name], () => false), name: `${given}.${name}` };
    }
  }
  for (const [given, members] of Object.entries(capability.properties)) {
    yield* lacksOfProperties(device, given, structName(given)!, [], members);
  }
  for (const [names, structs] of Object.entries(capability.formats)) {
    for (const name of names.split(" ")) {
      const format = Number(numberOf("VkFormat", name));
      const wanted = Object.values(structs)[0] as unknown as Record<keyof FormatFacts, number>;
      for (const member of Object.keys(NOTHING) as (keyof FormatFacts)[]) {
        if (!wanted[member]) continue;
        const without = (each: number) =>
          each === format ? { ...device.format(each), [member]: 0n } : device.format(each);
        yield { device: over(device, { format: without }), name: `${name}.${member}` };
      }
    }
  }
}

function* lacksOfProperties(
  device: DeviceFacts,
  given: string,
  struct: string,
  path: readonly string[],
  members: Struct,
): Generator<Lack> {
  for (const [name, wanted] of Object.entries(members)) {
    const place = [...path, name];
    if (typeof wanted === "object" && !Array.isArray(wanted)) {
      yield* lacksOfProperties(device, given, struct, place, wanted as Struct);
      continue;
    }
    const how = limitTypeOf(path[0] === "limits" ? "VkPhysicalDeviceLimits" : struct, name);
    const worse = () => worsened(wanted, how);
    yield { device: withMember(device, struct, place, worse), name: `${given}.${place.join(".")}` };
  }
}

/** A value that is just not good enough. */
function worsened(wanted: unknown, how: readonly string[]): unknown {
  if (typeof wanted === "boolean") return !wanted;
  if (Array.isArray(wanted)) {
    if (how.includes("bitmask")) return 0;
    const [first, ...rest] = wanted as number[];
    return how.includes("range")
      ? [first, rest[0] - 1]
      : [...rest.length ? [first] : [], ...rest.map((each) => each - 1)];
  }
  return how.includes("min") ? (wanted as number) + 1 : (wanted as number) - 1;
}

function withMember(device: DeviceFacts, struct: string, path: readonly string[], change: () => unknown): DeviceFacts {
  const set = (value: Struct, [name, ...rest]: readonly string[]): Struct => ({
    ...value,
    [name]: rest.length === 0 ? change() : set(value[name] as Struct, rest),
  });
  return over(device, { struct: (name) => name === struct ? set(device.struct(name)!, path) : device.struct(name) });
}

Deno.test(
  "every single thing that a known profile asks for is missed by a device that lacks it alone",
  needs("Mesa lavapipe", lavapipePath()),
  () => {
    using vulkan = loadVulkan({ driver: lavapipePath(), layers: perfectDevice() });
    using session = new DriverSession(vulkan, { instanceExtensions: [], provided: new Set() });
    const bare = remembered(session.devices[0]), { find } = openProfiles([]);
    // The extensions that the window system brings on Android.
    const known = [...knownProfiles().values()], seen = new Set<string>();
    const all = known.flatMap(({ capabilities }) => capabilities.flat()).flatMap((each) =>
      Object.entries(each.extensions)
    );
    const device = over(bare, { extensions: new Map([...bare.extensions, ...all]) });
    let count = 0;
    for (const profile of known) {
      const alone: Profile = { ...profile, requires: [] };
      assertEquals(evaluateProfile(alone, device, find).misses, []);
      for (const [capability] of profile.capabilities.filter((choices) => choices.length === 1)) {
        const text = JSON.stringify(capability);
        if (seen.has(text)) continue; // of another profile word for word
        seen.add(text);
        for (const lack of lacks(capability, device)) {
          const misses = evaluateProfile(alone, lack.device, find).misses.map(({ name }) => name);
          assert(misses.includes(lack.name), `${profile.name}: ${lack.name}`);
          count++;
        }
      }
    }
    assert(count > 1200, `${count} things were taken away`);
  },
);
