import { GLES_LIBRARY_FILE } from "../../workbench/layer_server/gles/in_place.ts";
import { placeServed } from "../../workbench/layer_server/serve.ts";
import type { ServingOptions } from "../../workbench/layer_server/served.ts";
import { LAYER_NAME, LIBRARY_FILE } from "../../workbench/layer_server/manifest.ts";
import type { Process, Request } from "../command.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { untilStopped } from "../../workbench/process/stop.ts";
import { refusing, runsOnOf, serveNamed, type Serving } from "./served_layers.ts";

/** Serves layers at an address until the command is told to end: the exit code. */
export async function serve(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const options = optionsOf(request), { gles } = request.values;
  using end = untilStopped({ hangup: true, second: "nothing" }); // nothing interrupts the tidying
  const serving = await serveNamed({ command: "serve", request, process, options });
  const { server } = serving;
  try {
    (request.json ? process.warn : print)(where(server, Boolean(gles)));
    await end.told;
  } finally {
    await serving[Symbol.asyncDispose]();
  }
  const reports = serving.reports();
  if (request.json) print(JSON.stringify({ address: server.address, connected: server.connected, reports }, null, 2));
  else reports.forEach((text) => print(text));
  return serving.isWhole() ? 0 : 1;
}

/** Puts memory where programs expect it. */
export function place(request: Request): void {
  const options = optionsOf(request);
  refusing("serve", () => placeServed(options));
}

function optionsOf({ values }: Request): ServingOptions {
  const { listen, connect, "key-file": keyFile } = values as Record<string, string | undefined>;
  if (listen === undefined) {
    throw new WrongUse("serve: --listen=ADDRESS is missing, such as --listen=tcp:127.0.0.1:7007");
  }
  return { listen, connect, keyFile, runsOn: runsOnOf("serve", values.target) };
}

function where({ address, folder }: Serving["server"], isGles: boolean): string {
  const how = isGles
    ? `${folder}/${GLES_LIBRARY_FILE} is the layer library for programs`
    : `${folder}/${LIBRARY_FILE} is the layer library for programs:\n` +
      `VK_ADD_LAYER_PATH=${folder} VK_INSTANCE_LAYERS=${LAYER_NAME} PROGRAM`;
  return `Layers are served at ${address} until Ctrl-C\n${how}`;
}
