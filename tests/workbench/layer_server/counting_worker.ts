/**
 * Stands between programs and a server, whose port comes first, and counts the bytes that programs say:
 * a worker, since the server's thread waits for programs while it answers them. The answer to each message has the port
 * for programs and the bytes so far.
 */
const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
let port = 0, bytes = 0;

self.addEventListener("message", ({ data }: MessageEvent<number>) => {
  port ||= data;
  (self as unknown as Worker).postMessage({ port: listener.addr.port, bytes });
});

for await (const program of listener) {
  const server = await Deno.connect({ hostname: "127.0.0.1", port });
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      bytes += part.length;
      controller.enqueue(part);
    },
  });
  program.readable.pipeThrough(counted as never).pipeTo(server.writable as never).catch(() => {});
  server.readable.pipeTo(program.writable).catch(() => {});
}
