import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { MAX_FIELDS } from "../src/api/http/formError.ts";
import { MAX_FORM } from "../src/api/http/readForm.ts";
import { MAX_BODY } from "../src/api/rpc/routes.ts";
import { ContractStore } from "../src/store/contracts/contractStore.ts";
import { Compilers } from "../src/verify/compilers.ts";
import type { Served } from "./support/api.ts";
import { serveChain } from "./support/api.ts";
import { DevelopmentNode } from "./support/developmentNode.ts";
import { typicalEventLoopDelay } from "./support/eventLoopDelay.ts";
import { temporaryDirectory } from "./support/program.ts";
import { routesOf } from "./support/routes.ts";

/** Milliseconds of its thread that a request may take before others have their turn: 50 alone, more on a core that other tests share. */
const MAX_DELAY = 75;

const ADDRESS = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

/** An app whose node runs on the same thread, so that what either holds is seen. */
async function open(t: TestContext): Promise<Served> {
  const { node } = await DevelopmentNode.open();
  const contracts = await ContractStore.open(temporaryDirectory(t));
  const accounts = async () => node.accounts;
  const served = await serveChain({
    seed: 3,
    blocks: 2,
    rpc: () => node,
    verification: { contracts, compilers: new Compilers({ cache: temporaryDirectory(t), fetches: false }) },
    settings: { devMethods: "none", web: { coin: "ETH", isTestnet: false, others: [], accounts } },
  });
  t.after(async () => {
    await served.app.close();
    await contracts.close();
  });
  return served;
}

const fill = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const numbered = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(",");

const LIMIT = Math.min(MAX_FORM, MAX_BODY) - 1000;
const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const MULTIPART_TYPE = "multipart/form-data; boundary=X";
const part = (name: string, content: string) =>
  `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;
const slot = (index: number) => `0x${index.toString(16).padStart(64, "0")}`;
const overriding = (slots: number) =>
  `{"jsonrpc":"2.0","id":1.5,"method":"eth_call","params":[{"to":"${ADDRESS}"},"latest",{"${ADDRESS}":{"stateDiff":{${numbered(
    slots,
    (index) => `"${slot(index)}":"${slot(1)}"`,
  )}}}}]}`;

/** The worst that each parser can be fed, within the bytes that it reads. */
const BODIES: readonly (readonly [name: string, type: string, body: string])[] = [
  ["keys", JSON_TYPE, `{${numbered(400_000, (index) => `"k${index}":0`)}}`],
  ["keys within the limit", JSON_TYPE, `{${numbered(19_000, (index) => `"k${index}":0`)}}`],
  ["empty objects", JSON_TYPE, `[${fill("{},", LIMIT)}{}]`],
  ["objects of other keys", JSON_TYPE, `[${numbered(9000, (index) => `{"k${index}":1}`)}]`],
  ["depth", JSON_TYPE, fill("[", LIMIT)],
  [
    "depth in a call",
    JSON_TYPE,
    `{"jsonrpc":"2.0","id":1.5,"method":"x","params":${"[".repeat(9000)}${"]".repeat(9000)}}`,
  ],
  ["digits", JSON_TYPE, fill("1", LIMIT)],
  ["digits in an object", JSON_TYPE, `{"a":${fill("1", LIMIT)}}`],
  ["escapes", JSON_TYPE, `{"a":"${fill("\\n", LIMIT)}"}`],
  ["escaped quotes", JSON_TYPE, `{"a":"${fill('\\"', LIMIT)}"}`],
  ["spaces", JSON_TYPE, `{${fill(" ", LIMIT)}}`],
  ["calls", JSON_TYPE, `[${fill('{"jsonrpc":"2.0","id":1.5,"method":"eth_chainId"},', LIMIT)}{}]`],
  [
    "calls of a batch",
    JSON_TYPE,
    `[${numbered(1000, (index) => `{"jsonrpc":"2.0","id":1e${index},"method":"eth_chainId"}`)}]`,
  ],
  ["names of methods", JSON_TYPE, `{"jsonrpc":"2.0","id":1,"method":"${fill("x", LIMIT)}"}`],
  ["state overrides", JSON_TYPE, overriding(35_000)],
  ["state overrides within the limit", JSON_TYPE, overriding(19_000)],
  ["pairs", FORM_TYPE, fill("a&", LIMIT)],
  [
    "pairs within the limit",
    FORM_TYPE,
    numbered(MAX_FIELDS, (index) => `k${index}=${"%41".repeat(1500)}`).replaceAll(",", "&"),
  ],
  ["one long name", FORM_TYPE, fill("%41", LIMIT)],
  ["ampersands", FORM_TYPE, fill("&", LIMIT)],
  [
    "values in a value",
    FORM_TYPE,
    `libraries=${encodeURIComponent(`{${numbered(200_000, (index) => `"k${index}":0`)}}`)}`,
  ],
  ["parts", MULTIPART_TYPE, `${fill(part("a", ""), LIMIT)}--X--\r\n`],
  ["parts within the limit", MULTIPART_TYPE, `${part("a", "x".repeat(5000)).repeat(MAX_FIELDS)}--X--\r\n`],
  ["headers of a part", MULTIPART_TYPE, `--X\r\n${fill("A: b\r\n", LIMIT)}\r\n\r\n--X--\r\n`],
  ["near boundaries", MULTIPART_TYPE, `${part("a", fill("\r\n--Y", LIMIT - 1000))}--X--\r\n`],
  ["no boundary", MULTIPART_TYPE, fill("\r\n", LIMIT)],
  ["plain text", "text/plain", `{${numbered(400_000, (index) => `"k${index}":0`)}}`],
  ["bytes", "application/octet-stream", fill("\u0000", LIMIT)],
];

test("no request body blocks the thread that parses it, on any interface", async (t) => {
  const { app } = await open(t);
  const routes = (await routesOf(app, "POST")).map((route) => route.replace(/\{\w+\}/g, ADDRESS));
  const takesAll = ["/rpc", "/", "/api/eth-rpc", "/api", "/api/v1", "/v2/api", "/verify", "/developers/faucet"];
  for (const path of takesAll) assert.ok(routes.includes(path), `${path} of ${routes.join(" ")}`);

  for (const url of routes) {
    let isRead = true;
    for (const [name, type, payload] of BODIES) {
      if (!isRead) break;
      const send = async () => {
        const response = await app.inject({ method: "POST", url, payload, headers: { "content-type": type } });
        assert.notEqual(response.statusCode, 500, `${url}: ${name}: ${response.body.slice(0, 200)}`);
        isRead = response.statusCode !== 405;
      };
      const held = await typicalEventLoopDelay(send, MAX_DELAY);
      assert.ok(held < MAX_DELAY, `${url} is held for ${held} ms by ${name}`);
    }
  }
});
