import type { Driver } from "../../driver/driver.ts";
import type { Finding } from "../../driver/finding.ts";
import type { FoundDriver } from "../../driver/found_driver.ts";
import type { Host } from "../../driver/host.ts";
import type { DeviceConfiguration, LoaderSettings } from "../../driver/settings_types.ts";
import { Variables } from "../../driver/variables.ts";
import { readDeviceId } from "./device_facts.ts";
import { parseDeviceSelect } from "./device_order.ts";
import { visibleDevices } from "./id_filter.ts";
import { joinDrivers } from "./join.ts";
import type { LiveMember } from "./live_member.ts";
import { memberOf } from "./member.ts";
import type { DeviceChoice } from "./physical_devices.ts";
import type { Say } from "./say.ts";

/** What else it goes by. */
export interface JoinFoundOptions {
  /** Takes the loader's messages. */
  readonly say: Say;
  /** What the settings file says. */
  readonly settings?: LoaderSettings;
}

/**
 * Puts the drivers a search found behind one, by the rules of Linux: what the
 * environment says of their devices is read now. Takes the drivers over unless
 * it returns `undefined`, where emitted code cannot be used.
 */
export function joinFound(
  found: readonly FoundDriver[],
  host: Host,
  report: Finding[],
  { say, settings }: JoinFoundOptions,
): Driver | undefined {
  const variables = new Variables(host, report), listed = settings?.deviceConfigurations;
  const choice = listed ? configuredDevices(listed) : readChoice(variables);
  const members = found.map(({ driver, ...hints }) => memberOf(driver, hints));
  const keep = variables.honour("VK_LOADER_DISABLE_INST_EXT_FILTER", "also unknown instance extensions are listed");
  const keepsUnknownExtensions = (Number.parseInt(keep) || 0) !== 0;
  return joinDrivers(members, { choice, keepsUnknownExtensions, raisesVersion: listed !== undefined, say });
}

function readChoice(variables: Variables): DeviceChoice {
  const unsorted = variables.honour("VK_LOADER_DISABLE_SELECT", "physical devices are not sorted");
  const chosen = variables.honour("VK_LOADER_DEVICE_SELECT", "the physical device it names goes first");
  const isVisible = visibleDevices((name) => variables.honour(name, "physical devices it does not match are hidden"));
  return { isSorted: unsorted === "", chosen: parseDeviceSelect(chosen), isVisible };
}

/** Exactly the devices of a list, in its order. */
function configuredDevices(list: readonly DeviceConfiguration[]): DeviceChoice {
  const equal = (left: Uint8Array, right: Uint8Array) => left.every((byte, index) => byte === right[index]);
  const placeOf = ({ table }: LiveMember, gpu: bigint) => {
    const found = readDeviceId(table, gpu);
    if (!found) return -1;
    return list.findIndex((each) =>
      each.driverVersion === found.driverVersion && equal(each.deviceUUID, found.deviceUUID) &&
      equal(each.driverUUID, found.driverUUID)
    );
  };
  return { isSorted: true, placeOf };
}
