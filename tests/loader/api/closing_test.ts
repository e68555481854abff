import { lavapipePath, validationManifest } from "../../../tools/setup/parts.ts";
import { needs } from "../../support/require.ts";
import { assertRows, rowsOf } from "../../support/rows.ts";

const driver = lavapipePath(), isValidated = validationManifest() !== undefined;

Deno.test(
  "what is closed amid its own calls, used afterwards, or never made ends no process",
  needs("Mesa lavapipe", driver),
  () => {
    assertRows(rowsOf("tests/loader/api/programs/amid.ts", [driver!, `${isValidated}`]), {
      "device.close() in a hook": "made, destroyed",
      "instance.close() in a hook": "made, destroyed",
      "vulkan.close() in a hook": "made, destroyed",
      "methods of a device, kept": "closed closed done done done",
      "methods of an instance, kept": "closed closed closed closed",
      "methods of a loader, kept": "closed closed closed closed closed",
      "a block's bytes": "true",
      "a block's view": "TypeError",
      "no instance": "vkCreateInstance returned success and no VkInstance",
      "no device": "vkCreateDevice returned success and no VkDevice",
      "no physical device": "the driver gave no VkPhysicalDevice",
      "a count above the room": "the driver says that 1000 elements were written, and there was room for 1",
      "half a billion devices": "the driver counts 536870912 elements",
      ...(isValidated && {
        "messenger.close() in its handler": "told",
        "device.close() in a handler": "told",
        "instance.close() in a handler": "told",
      }),
    });
  },
);
