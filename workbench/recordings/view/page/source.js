// The sources of answers: the server that gave the page, or the page itself, which then has some answers inside.

const inside = new Map(
  [...document.querySelectorAll("script[data-ask]")].map((element) => [element.dataset.ask, element]),
);

/** The beginning of an answer that is a failure. */
const FAILED = '{"error":';

/** Whether the page has its answers inside. */
export const isSealed = inside.size > 0;
/** The name of this page, and the number of the event's choice: a server leaves out what an earlier choice asked. */
const page = `${Math.random()}`.slice(2);
let choice = 0;

/** Tells that another event was chosen: what was asked before is not needed any more. */
export function nextChoice() {
  choice++;
}

/** Requests whose answers never change, by their address. */
const kept = new Map();

/** The name of a request with its members in the order of the alphabet, which is how answers inside the page are found. */
function addressOf(name, members) {
  const sorted = Object.entries(members).filter(([, value]) => value !== undefined).sort(([one], [other]) =>
    one < other ? -1 : 1
  );
  const query = `${new URLSearchParams(sorted)}`;
  return query === "" ? name : `${name}?${query}`;
}

/** Asks for data. Throws an `Error` whose message is a sentence for the reader. */
export async function ask(name, members = {}, signal) {
  const address = addressOf(name, members), known = kept.get(address);
  if (known) return known;
  const text = new TextDecoder().decode(await bytesOf(address, signal)), found = JSON.parse(text);
  if (kept.size > 200) kept.delete(kept.keys().next().value);
  kept.set(address, found);
  return found;
}

/** Asks for bytes behind a head: the members of the head, with the bytes. */
export async function askBytes(name, members = {}, signal) {
  const bytes = await bytesOf(addressOf(name, members), signal), size = new DataView(bytes.buffer).getUint32(0, true);
  return { ...JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size))), bytes: bytes.subarray(4 + size) };
}

async function bytesOf(address, signal) {
  if (isSealed) return await unpacked(address);
  let response;
  try {
    response = await fetch(`ask/${address}${address.includes("?") ? "&" : "?"}page=${page}&choice=${choice}`, {
      signal,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error("The server of this page does not answer: pumice view has ended.", { cause: error });
  }
  if (response.ok) return new Uint8Array(await response.arrayBuffer());
  const { error } = await response.json().catch(() => ({ error: `the server answers ${response.status}` }));
  throw new Error(error);
}

/** Answers inside the page are compressed, in base64. Failures are answers, too. */
async function unpacked(address) {
  const text = inside.get(address)?.textContent;
  if (text === undefined) {
    throw new Error("This page has no answer to that inside. Start pumice view on the recording to see everything.");
  }
  const packed = await (await fetch(`data:application/octet-stream;base64,${text}`)).arrayBuffer();
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const start = new TextDecoder().decode(bytes.subarray(0, FAILED.length));
  if (start === FAILED) throw new Error(JSON.parse(new TextDecoder().decode(bytes)).error);
  return bytes;
}

/** Whether the page can have an answer: a sealed one may lack the request. */
export function hasAnswer(name, members) {
  return !isSealed || inside.has(addressOf(name, members));
}
