import { openRecording } from "../../workbench/recordings/view/open_recording.ts";
import type { OpenRecording } from "../../workbench/recordings/view/types.ts";
import { type ServeOptions, serveRecording } from "../../workbench/recordings/view/server/view_server.ts";
import type { ViewNames } from "../../workbench/recordings/view/server/answers.ts";
import { sealedAnswers } from "../../workbench/recordings/view/server/sealed_answers.ts";
import { validationMessages } from "../../workbench/recordings/view/validation_messages.ts";
import { sealedPage } from "../../workbench/recordings/view/server/sealed_page.ts";
import { RecordingError } from "../../workbench/recordings/replay/error.ts";
import { WrongUse } from "../../workbench/process/exit_code.ts";
import { checkReport, existing, makeFolder, writeReport } from "../../workbench/process/files.ts";
import { Progress } from "../../workbench/process/progress.ts";
import { type Stop, STOPPED, untilStopped } from "../../workbench/process/stop.ts";
import { counted } from "../../workbench/process/terminal.ts";
import { WsiError } from "../../wsi/error.ts";
import { scaled } from "../compare/arguments.ts";
import type { Process, Request } from "../command.ts";
import { eventsOf, portOf, viewDrivers } from "./arguments.ts";

/**
 * Shows a recording as a page until Ctrl-C, or writes the page. Returns 0, 1 if a written page lacks something, 2 for
 * wrong use, and 130 if writing was stopped.
 */
export async function view(request: Request, print: (text: string) => void, process: Process): Promise<number> {
  const path = existing("view", request.operand!), { values } = request, drivers = viewDrivers(request);
  const html = values.html as string | undefined,
    port = portOf(values),
    timeout = scaled("view", values, "timeout", 1000);
  const wanted = eventsOf(values);
  if (html === undefined && wanted.length > 0) {
    throw new WrongUse("view: --events is for --html; the page shows all events");
  }
  const page = html === undefined ? undefined : pageIn(html);
  await using recording = opened(path, {
    drivers,
    unsealed: values.unsealed === true,
    ...timeout !== undefined && { timeout },
  });
  const names = { recording: path, drivers: drivers.map(({ driver }) => `${driver}`) };
  using stop = untilStopped({ hangup: true });
  if (page !== undefined) return await write(recording, { ...names, page, wanted }, stop, print, process);
  const [driver] = drivers, validate = () => validationMessages(path, driver, timeout ?? TIMEOUT);
  const tell = request.json ? (url: string) => print(JSON.stringify({ url })) : print;
  return await serve(recording, { ...names, port, validate }, stop, tell, process);
}

/** Milliseconds that a driver may take for an answer. */
const TIMEOUT = 60_000;

/** Makes the folder of a page that is written. Returns the page's path. */
function pageIn(folder: string): string {
  const page = `${folder}/view.html`;
  makeFolder("--html", folder);
  checkReport("--html", page);
  return page;
}

/** The names that the page shows. */
type Names = Pick<ViewNames, "recording" | "drivers">;

/** Opens the recording. Throws {@linkcode WrongUse} for a file that is none. */
function opened(path: string, options: Parameters<typeof openRecording>[1]): OpenRecording {
  try {
    return openRecording(path, options);
  } catch (error) {
    if (error instanceof RecordingError) throw new WrongUse(`view: ${error.message}`, { cause: error });
    throw error;
  }
}

async function serve(
  recording: OpenRecording,
  options: ServeOptions,
  stop: Stop,
  print: (text: string) => void,
  { warn }: Process,
): Promise<number> {
  const server = started(recording, options), { gaps } = recording;
  if (gaps.length > 0) warn(`view: the recorder did not see ${counted(gaps.length, "thing")}; a replay may be refused`);
  print(server.url);
  warn("view: the page is served until Ctrl-C");
  await stop.told;
  await server.close();
  return 0;
}

function started(recording: OpenRecording, options: ServeOptions) {
  try {
    return serveRecording(recording, options);
  } catch (error) {
    if (error instanceof WsiError) throw new WrongUse(`view: ${error.message}`, { cause: error });
    throw error;
  }
}

async function write(
  recording: OpenRecording,
  { page, wanted, ...names }: Names & { readonly page: string; readonly wanted: readonly number[] },
  stop: Stop,
  print: (text: string) => void,
  { warn }: Process,
): Promise<number> {
  const beyond = wanted.find((each) => each >= recording.events.length);
  if (beyond !== undefined) {
    throw new WrongUse(`view: there is no event ${beyond}; the recording has ${recording.events.length}`);
  }
  using progress = new Progress("view");
  try {
    const onEvent = (done: number, of: number) => progress.show(`contents at event ${done + 1} of ${of}`);
    const sealed = await sealedAnswers(recording, { ...names, events: wanted, onEvent, signal: stop.signal });
    const text = await sealedPage(sealed);
    progress.show("");
    writeReport("--html", page, text);
    const size = (text.length / 2 ** 20).toFixed(1);
    print(
      `wrote ${page}, ${size} MiB: ${
        counted(recording.events.length, "event")
      }, with the contents at ${sealed.events.length}`,
    );
    for (const each of sealed.missing) warn(`view: not inside: ${each}`);
    return sealed.missing.length === 0 ? 0 : 1;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    progress.show("");
    warn("view: stopped; no page was written");
    return STOPPED;
  }
}
