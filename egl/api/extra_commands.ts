import type { Command } from "../command/spec.ts";

/** Commands of Android's libEGL that the registry lacks. */
const EXTRA: readonly Command[] = [{
  name: "eglQueryStringImplementationANDROID",
  result: "*c",
  params: [
    { name: "dpy", code: "EGLDisplay", stars: 0, isConst: false, len: "" },
    { name: "name", code: "i", stars: 0, isConst: false, len: "" },
  ],
}];

/** A command of Android's own by its name. */
export function extraCommand(name: string): Command | undefined {
  return EXTRA.find((each) => each.name === name);
}
