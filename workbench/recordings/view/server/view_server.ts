import { pageResponse } from "../../../../wsi/web/page.ts";
import { type Server, startServer } from "../../../../wsi/web/server.ts";
import type { OpenRecording } from "../types.ts";
import { Answers, type PageAnswer, type ViewNames } from "./answers.ts";
import { VIEW_PAGE } from "./page_files.ts";
import { BadRequest } from "./request.ts";
import { Choices, GivenUp } from "./turns.ts";

/** Options of {@linkcode serveRecording}. */
export interface ServeOptions extends ViewNames {
  /** TCP port. Default 0: any free port. */
  readonly port?: number;
}

/** Bytes of the key in the address. */
const KEY_SIZE = 16;
const HOST = "127.0.0.1", JSON_TYPE = "application/json", BYTES_TYPE = "application/octet-stream";

/**
 * Serves a page that shows a recording, on this machine only. The address has a random key: other users of the machine
 * who do not know the address cannot ask anything. The caller keeps and closes the recording.
 *
 * @throws {WsiError} `cannot-serve` if the port is taken or not allowed.
 */
export function serveRecording(recording: OpenRecording, { port = 0, ...names }: ServeOptions): Server {
  const answers = new Answers(recording, names, { readsAhead: true }), choices = new Choices();
  const server = startServer(HOST, port, {
    key: crypto.getRandomValues(new Uint8Array(KEY_SIZE)).toHex(),
    files: () => Promise.resolve(VIEW_PAGE),
    respond: async (path, query) => {
      const [, name] = /^\/ask\/(\w+)$/.exec(path) ?? [];
      return name === undefined ? undefined : await respond(() => answers.answer(name, query, wanted(query, choices)));
    },
  });
  const close = async () => {
    answers.close();
    await server.close();
  };
  return { ...server, close };
}

/** Whether the page still waits for a request; requests of other programs are always waited for. */
function wanted(query: URLSearchParams, choices: Choices): (() => boolean) | undefined {
  const page = query.get("page"), choice = Number(query.get("choice"));
  return page && Number.isSafeInteger(choice) ? choices.note(page.slice(0, 2 * KEY_SIZE), choice) : undefined;
}

async function respond(answer: () => Promise<PageAnswer | undefined>): Promise<Response | undefined> {
  try {
    const found = await answer();
    if (!found) return undefined;
    return "json" in found
      ? pageResponse(JSON.stringify(found.json), JSON_TYPE)
      : pageResponse(found.bytes, BYTES_TYPE);
  } catch (error) {
    const status = error instanceof GivenUp
      ? 409
      : error instanceof BadRequest || error instanceof RangeError
      ? 400
      : 502;
    if (!(error instanceof Error)) throw error;
    return pageResponse(JSON.stringify({ error: error.message }), JSON_TYPE, status);
  }
}
