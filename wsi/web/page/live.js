// What the pages of viewers share: the connection to the server that comes back by itself, and frames on a canvas.

const FIRST_DELAY = 200, LONGEST_DELAY = 5000; // milliseconds between attempts to connect

let socket, delay = FIRST_DELAY, retry, coming, listeners;

/** Connects; `on` has a function for each type of message that the page takes. */
export function start(on) {
  listeners = on;
  connect();
  addEventListener("online", hurry);
  addEventListener("focus", hurry);
  document.addEventListener("visibilitychange", hurry);
}

/** Tells the server something, if it is there. */
export function tell(message) {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function connect() {
  clearTimeout(retry);
  say("connecting", "connecting");
  socket = new WebSocket(new URL("live", location.href).href.replace(/^http/, "ws"));
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => typeof data === "string" ? receive(JSON.parse(data)) : show(data);
  socket.onclose = () => {
    const wait = delay * (0.8 + 0.4 * Math.random());
    delay = Math.min(LONGEST_DELAY, 1.6 * delay);
    say("lost", `disconnected, trying again in ${(wait / 1000).toFixed(1)} s`);
    retry = setTimeout(connect, wait);
  };
}

/** Tries at once when it is likely that it works again. */
function hurry() {
  if (socket.readyState !== WebSocket.CLOSED || document.hidden) return;
  delay = FIRST_DELAY;
  connect();
}

function say(state, text) {
  const element = document.getElementById("connection");
  element.dataset.state = state;
  element.textContent = text;
}

function receive(message) {
  if (message.type === "frame") return coming = message;
  if (message.type === "hello") welcome(message);
  listeners[message.type]?.(message);
  if (message.type === "news") tell({ type: "heard" });
}

function welcome({ title }) {
  delay = FIRST_DELAY;
  say("connected", "connected");
  document.title = document.getElementById("title").textContent = title;
}

function show(pixels) {
  listeners.frame(coming, pixels);
  tell({ type: "ack", shown: performance.timeOrigin + performance.now() });
}

/** Puts the rows that came with a frame onto a canvas. */
export function paint(canvas, { width, height, top, stride, left }, buffer) {
  resize(canvas, width, height);
  const pixels = new Uint32Array(buffer);
  if (pixels.length === 0) return; // nothing changed
  for (let at = 0; at < pixels.length; at++) pixels[at] |= 0xff000000; // a screen shows no alpha
  const image = new ImageData(new Uint8ClampedArray(buffer), stride);
  canvas.getContext("2d").putImageData(image, -left, top, left, 0, width, image.height);
}

/** Gives a canvas a size, if it is another one: that clears it. */
export function resize(canvas, width, height) {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

/** Writes a text, if it is another one. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** The next of 1, 2, 5, 10, 20, 50, … */
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((step) => step * power >= value);
}
