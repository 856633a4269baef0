import { Agent, request } from "node:http";

/** A client in a process of its own, so that its CPU is not counted with the server's. It ends when its parent does. */
export interface Load {
  readonly origin: string;
  readonly paths: readonly string[];
  /** Bodies to POST to the paths; without them the paths are read by GET. */
  readonly bodies?: readonly string[] | undefined;
  /** Requests under way at once. */
  readonly width: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

process.on("message", async ({ origin, paths, bodies, width }: Load) => {
  const start = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < paths.length) {
      const at = next++;
      await send(origin + paths[at]!, bodies?.[at]);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  process.send?.(performance.now() - start);
});
process.on("disconnect", () => process.exit());

function send(url: string, body: string | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const post = { method: "POST", headers: { "content-type": "application/json" } };
  const call = request(url, { agent, ...(body !== undefined && post) }, (response) => {
    response.resume();
    response.on("end", () => {
      if (response.statusCode === 200) resolve();
      else reject(new Error(`${url} answered ${response.statusCode}`));
    });
  });
  call.on("error", reject);
  call.end(body);
  return promise;
}
