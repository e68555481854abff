import type { Driver } from "../../driver/interface/driver.ts";
import type { Finding } from "../../driver/report/finding.ts";
import type { FollowingHost } from "../../driver/host/following_host.ts";
import type { DriverSource } from "../../driver/found_driver.ts";
import type { Host } from "../../driver/host/host.ts";
import { Remembered } from "../../driver/host/remembered.ts";
import type { LoaderSettings } from "../../driver/manifest/settings_types.ts";
import { Variables } from "../../driver/environment/variables.ts";
import {
  DEVICE_VARIABLES,
  listedDevices,
  parseDeviceSelect,
  visibleDevices,
} from "./physical_devices/device_choice.ts";
import { joinDrivers, type JoinRules } from "./instances/join.ts";
import type { DeviceChoice } from "./physical_devices/physical_devices.ts";
import type { Say } from "../../driver/report/log.ts";

/** The rules, and the findings from reading them. */
type Reading = JoinRules & Pick<Read, "findings" | "listed">;
/** The part of the rules that holds for a whole instance. */
interface Read extends Omit<JoinRules, "choice"> {
  /** The findings. */
  readonly findings: readonly Finding[];
  /** The devices of the settings file, in whose place no variable counts. */
  readonly listed?: DeviceChoice;
}

/**
 * Joins the drivers of a source by the rules of Linux. The environment's rules
 * about extensions are read again for each instance, those about devices for
 * each list of devices. Takes ownership of the source, unless it returns
 * `undefined`, where emitted code cannot be used.
 */
export function joinFound(source: DriverSource, host: FollowingHost, say: Say): Driver | undefined {
  const remembered = new Remembered<Read>();
  let before: LoaderSettings | undefined;
  const read = (): Reading => {
    const { settings } = source.look();
    if (settings !== before) remembered.forget();
    before = settings;
    const { listed, ...rules } = remembered.get(host, (machine) => readRules(machine, settings));
    const choice = (mayBeSet: boolean) => {
      if (listed) return listed;
      const isUnset = !mayBeSet && host.noteUnset(DEVICE_VARIABLES);
      return isUnset ? BY_TYPE : readChoice(new Variables(host, []));
    };
    return { ...rules, listed, choice };
  };
  const findings = () => {
    const { findings: ofRules, listed } = read(), ofDevices: Finding[] = [];
    if (!listed) readChoice(new Variables(host, ofDevices));
    return [...ofDevices, ...ofRules];
  };
  return joinDrivers(source, { rules: read, findings, say });
}

function readRules(host: Host, settings?: LoaderSettings): Read {
  const findings: Finding[] = [],
    variables = new Variables(host, findings),
    configured = settings?.deviceConfigurations;
  const listed = configured && listedDevices(configured);
  const keep = variables.honour("VK_LOADER_DISABLE_INST_EXT_FILTER", "also unknown instance extensions are listed");
  const keepsUnknownExtensions = isSet(keep);
  return { listed, keepsUnknownExtensions, raisesVersion: listed !== undefined, findings };
}

/** Whether a variable's value is a number other than 0. */
function isSet(value: string): boolean {
  return (Number.parseInt(value) || 0) !== 0;
}

/** The choice without variables. */
const BY_TYPE: DeviceChoice = { isSorted: true };

function readChoice(variables: Variables): DeviceChoice {
  const unsorted = variables.honour("VK_LOADER_DISABLE_SELECT", "physical devices are not sorted");
  const chosen = variables.honour("VK_LOADER_DEVICE_SELECT", "the physical device it names goes first");
  const isVisible = visibleDevices((name) => variables.honour(name, "physical devices it does not match are hidden"));
  return { isSorted: !isSet(unsorted), chosen: parseDeviceSelect(chosen), isVisible };
}
