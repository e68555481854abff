/**
 * Plans with messengers and report callbacks: in chains, made by hand, with
 * filters, several, and what a driver has of names.
 *
 * @module
 */
import { plan, type Planned } from "./planned.ts";

const UTILS = "+VK_EXT_debug_utils", REPORT = "+VK_EXT_debug_report", SEARCH = "Searching for driver manifest files";
const COUNT = "VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter", TRIM = "Trimming device count";
const HAS = "instance VK_EXT_debug_utils",
  NAMES = "vkCreateDebugUtilsMessengerEXT vkSubmitDebugUtilsMessageEXT vkSetDebugUtilsObjectNameEXT";

/** Chained to vkCreateInstance, with these words, there is so much of something to hear. */
function chained(title: string, words: string, heard: string, gets: string, drivers = "gpus 1"): Planned {
  return plan(`chain: ${title}`, drivers, `instance ${words}; heard ${heard}; destroy instance`, gets);
}

/** A listener of this kind, then something happens, and so much is heard. */
function made(title: string, listener: string, happens: string, heard: string, gets: string): Planned {
  const extension = listener.startsWith("utils") ? UTILS : REPORT;
  return plan(
    `made: ${title}`,
    "gpus 2",
    `instance ${extension}; ${listener}; forget; ${happens}; destroy ${
      listener.split(" ")[0]
    }; heard ${heard}; destroy instance`,
    gets,
  );
}

/** Plans about the messages that messengers hear. */
export const MESSENGERS: readonly Planned[] = [
  chained("all severities", `utils:1111 ${UTILS}`, SEARCH, "0 | 1"),
  chained("without the extension", "utils:1111", SEARCH, "0 | 1"),
  chained("errors alone", `utils:1000 ${UTILS}`, SEARCH, "0 | 0"),
  chained("no severity", `utils:0 ${UTILS}`, SEARCH, "0 | 0"),
  chained("no types", `utils:1111:0 ${UTILS}`, SEARCH, "0 | 0"),
  chained("validation alone", `utils:1111:2 ${UTILS}`, SEARCH, "0 | 0"),
  chained("two messengers", `utils:1111 utils:1111 ${UTILS}`, SEARCH, "0 | 2"),
  chained("two messengers of other severities", `utils:1111 utils:1000 ${UTILS}`, SEARCH, "0 | 1"),
  chained("a messenger and a callback", `utils:1111 report:1f ${UTILS} ${REPORT}`, SEARCH, "0 | 2"),
  chained("a report callback", `report:1f ${REPORT}`, SEARCH, "0 | 1"),
  chained("a report callback without the extension", "report:1f", SEARCH, "0 | 1"),
  chained("a report callback for errors", `report:8 ${REPORT}`, SEARCH, "0 | 0"),
  chained("a report callback for information", `report:1 ${REPORT}`, SEARCH, "0 | 1"),
  chained("a layer that is not there", `utils:1000 layer:VK_LAYER_TEST_nobody`, "VK_LAYER_TEST_nobody", "-6 | 0"),
  chained("an extension that is not there", `utils:1000 +VK_TEST_nothing`, "VK_TEST_nothing", "-7 | 1"),
  chained("an extension that is not there, by report", `report:8 +VK_TEST_nothing`, "VK_TEST_nothing", "-7 | 1"),
  chained(
    "a driver that fails",
    "utils:1100",
    "vkCreateInstance call failed in ICD",
    "-9 | 0",
    "fails vkCreateInstance=-3",
  ),
  chained(
    "a driver without memory",
    "utils:1000",
    "vkCreateInstance call failed",
    "-1 | 0",
    "fails vkCreateInstance=-1",
  ),
  plan(
    "chain: it hears nothing in between",
    "gpus 1",
    `instance utils:1111; forget; gpus null; heard ${COUNT}; destroy instance`,
    "0 | -3 | 0",
  ),
  plan(
    "chain: a report hears nothing in between",
    "gpus 1",
    `instance report:1f; forget; gpus null; heard ${COUNT}; destroy instance`,
    "0 | -3 | 0",
  ),
  made("errors of a list", "utils 1000 7", "gpus null", COUNT, "0 | 0 | -3 | 1"),
  made("errors of a list, heard as validation", "utils 1000 2", "gpus null", COUNT, "0 | 0 | -3 | 1"),
  made("errors of a list, heard as general", "utils 1000 1", "gpus null", COUNT, "0 | 0 | -3 | 1"),
  made("errors of a list, warnings heard", "utils 100 7", "gpus null", COUNT, "0 | 0 | -3 | 0"),
  made("errors of a list, reported", "report 8", "gpus null", COUNT, "0 | 0 | -3 | 1"),
  made("errors of a list, warnings reported", "report 2", "gpus null", COUNT, "0 | 0 | -3 | 0"),
  made("a short list", "utils 10 7", "gpus 1", TRIM, "0 | 0 | 5 1.0 | 1"),
  made("a short list, errors heard", "utils 1000 7", "gpus 1", TRIM, "0 | 0 | 5 1.0 | 0"),
  made("a short list, reported", "report 1", "gpus 1", TRIM, "0 | 0 | 5 1.0 | 1"),
  made("a short list, errors reported", "report 8", "gpus 1", TRIM, "0 | 0 | 5 1.0 | 0"),
  made("submitted", "utils 10 1", "submit 10 1 hello there", "hello there", "0 | 0 | 1"),
  made("submitted of another severity", "utils 10 1", "submit 100 1 hello there", "hello there", "0 | 0 | 0"),
  made("submitted of another type", "utils 10 1", "submit 10 2 hello there", "hello there", "0 | 0 | 0"),
  made("submitted of two types", "utils 10 2", "submit 10 3 hello there", "hello there", "0 | 0 | 1"),
  made("submitted of no type", "utils 1111 7", "submit 10 0 hello there", "hello there", "0 | 0 | 0"),
  made("reported by hand", "report 1", "message 1 hello there", "hello there", "0 | 0 | 1"),
  made("reported by hand, of another flag", "report 1", "message 2 hello there", "hello there", "0 | 0 | 0"),
  made("reported by hand, of two flags", "report 2", "message 3 hello there", "hello there", "0 | 0 | 1"),
  plan(
    "made: by a report, submitted as a message",
    "gpus 1",
    `instance ${UTILS} ${REPORT}; report 1f; submit 1000 1 hello there; heard hello there`,
    "0 | 0 | 1",
  ),
  plan(
    "made: by a messenger, reported by hand",
    "gpus 1",
    `instance ${UTILS} ${REPORT}; utils 1111 7; message 8 hello there; heard hello there`,
    "0 | 0 | 1",
  ),
  ...[["1", "10"], ["2", "100"], ["4", "100"], ["8", "1000"], ["10", "1"], ["3", "10"], ["6", "100"]].map((
    [flags, severity],
  ) =>
    plan(
      `made: reported with flags ${flags}, heard by messengers`,
      "gpus 1",
      `instance ${UTILS} ${REPORT}; utils ${severity} 7; message ${flags} hello; heard hello; utils ${
        1111 - Number(severity)
      } 7; forget; message ${flags} hello; heard hello`,
      "0 | 0 | 1 | 0 | 1",
    )
  ),
  ...[["1", "1", "10"], ["10", "7", "1"], ["100", "1", "2"], ["100", "4", "4"], ["1000", "4", "8"]].map((
    [severity, types, flags],
  ) =>
    plan(
      `made: submitted with severity ${severity} and types ${types}, heard by callbacks`,
      "gpus 1",
      `instance ${UTILS} ${REPORT}; report ${flags}; submit ${severity} ${types} hello; heard hello; report ${
        (31 ^ parseInt(flags, 16)).toString(16)
      }; forget; submit ${severity} ${types} hello; heard hello`,
      "0 | 0 | 1 | 0 | 1",
    )
  ),
  plan(
    "made: several",
    "gpus 1",
    `instance ${UTILS}; utils 10 7; utils 1000 7; utils 1111 7; forget; submit 10 1 hello; heard hello; submit 1000 1 bad; heard bad`,
    "0 | 0 | 0 | 0 | 2 | 2",
  ),
  plan(
    "made: the second of three ends",
    "gpus 1",
    `instance ${UTILS}; utils 10 7; utils 10 7; utils 10 7; use utils 1; destroy utils; forget; submit 10 1 hello; heard hello`,
    "0 | 0 | 0 | 0 | 2",
  ),
  plan(
    "made: and ended",
    "gpus 1",
    `instance ${UTILS}; utils 1111 7; destroy utils; submit 10 1 hello; heard hello; destroy instance`,
    "0 | 0 | 0",
  ),
  plan(
    "made: 16 messengers",
    "gpus 1",
    `instance ${UTILS}${"; utils 10 7".repeat(16)}; submit 10 1 hello; heard hello; destroy instance`,
    "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 16",
  ),
  plan(
    "made: 16 callbacks",
    "gpus 1",
    `instance ${REPORT}${"; report 1".repeat(16)}; message 1 hello; heard hello; destroy instance`,
    "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 16",
  ),
  plan(
    "made: one of two instances",
    "gpus 1",
    `instance ${UTILS}; instance ${UTILS}; utils 1111 7; use instance 0; forget; submit 10 1 hello; heard hello; use instance 1; submit 10 1 hello; heard hello`,
    "0 | 0 | 0 | 0 | 1",
  ),
  plan(
    "made: a NULL messenger is destroyed",
    "gpus 1",
    `instance ${UTILS} ${REPORT}; destroy utils; destroy report; count`,
    "0 | 0 1",
  ),
  plan(
    "made: and a chained one",
    "gpus 1",
    `instance utils:1111 ${UTILS}; forget; utils 1111 7; submit 10 1 hello; heard hello`,
    "0 | 0 | 1",
  ),
  plan("without an extension", "gpus 1", `instance; has ${NAMES}; utils 1 1; report 1`, "0 | no no no | NULL | NULL"),
  plan("with the extension", "gpus 1", `instance ${UTILS}; has ${NAMES}`, "0 | yes yes yes"),
  plan(
    "with the older extension",
    "gpus 1",
    `instance ${REPORT}; has vkCreateDebugReportCallbackEXT vkDebugReportMessageEXT vkCreateDebugUtilsMessengerEXT`,
    "0 | yes yes no",
  ),
  plan(
    "a driver's own messengers",
    HAS,
    `instance ${UTILS}; utils 1111 7; submit 10 1 hello; heard hello; destroy utils; destroy instance`,
    "0 | 0 | 1",
  ),
  plan(
    "a driver's own messengers fail",
    `${HAS}; fails vkCreateDebugUtilsMessengerEXT=-1`,
    `instance ${UTILS}; utils 1111 7; submit 10 1 hello; heard hello; destroy instance`,
    "0 | -1 | 0",
  ),
  plan(
    "one of two drivers has messengers",
    [HAS, "gpus 1"],
    `instance ${UTILS}; utils 1111 7; submit 10 1 hello; heard hello; destroy utils; destroy instance`,
    "0 | 0 | 1",
  ),
  plan(
    "names of a driver that takes them",
    `${HAS} VK_KHR_surface VK_KHR_xcb_surface`,
    `instance ${UTILS} +VK_KHR_surface +VK_KHR_xcb_surface; surface xcb; gpus; device 0; name instance; name gpu; name surface; name device`,
    "0 | 0 | 0 1.0 | 0 | 0 | 0 | 0 | 0",
  ),
  plan(
    "names of a driver that knows none",
    "instance VK_KHR_surface VK_KHR_xcb_surface",
    `instance ${UTILS} +VK_KHR_surface +VK_KHR_xcb_surface; surface xcb; gpus; device 0; name instance; name gpu; name surface; name device`,
    "0 | 0 | 0 1.0 | 0 | 0 | 0 | 0 | 0",
  ),
  plan(
    "names of a driver that fails",
    `${HAS}; fails vkSetDebugUtilsObjectNameEXT=-1`,
    `instance ${UTILS}; gpus; device 0; name device`,
    "0 | 0 1.0 | 0 | -1",
  ),
  plan(
    "names without the extension",
    HAS,
    "instance; gpus; device 0; name device; devhas vkSetDebugUtilsObjectNameEXT vkCmdBeginDebugUtilsLabelEXT vkDebugMarkerSetObjectNameEXT",
    "0 | 0 1.0 | 0 | NULL | no no no",
    { differs: "older" },
  ),
  plan(
    "markers that the device has",
    "device VK_EXT_debug_marker",
    "instance; gpus; device 0 +VK_EXT_debug_marker; devhas vkDebugMarkerSetObjectNameEXT; has vkDebugMarkerSetObjectNameEXT",
    "0 | 0 1.0 | 0 | yes | yes",
  ),
  plan(
    "markers that no device has",
    "gpus 1",
    "instance; gpus; device 0 +VK_EXT_debug_marker; device 0; devhas vkDebugMarkerSetObjectNameEXT; has vkDebugMarkerSetObjectNameEXT",
    "0 | 0 1.0 | -7 | 0 | no | yes",
  ),
];
