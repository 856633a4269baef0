import assert from "node:assert/strict";
import { test } from "node:test";
import fastify from "fastify";
import { acceptForms, readForm } from "./readForm.ts";

test("a page of another site cannot send what needs no preflight and no client sends", async (t) => {
  const app = fastify();
  t.after(() => app.close());
  acceptForms(app);
  app.post("/", readForm);
  const send = async (headers: Readonly<Record<string, string>>) =>
    (await app.inject({ method: "POST", url: "/", payload: "a=b", headers: { host: "localhost", ...headers } }))
      .statusCode;
  const [form, plain] = ["application/x-www-form-urlencoded", "text/plain"];
  const foreign = [{ origin: "https://other.example" }, { "sec-fetch-site": "cross-site" }, { origin: "null" }];
  const own = [{}, { origin: "http://localhost" }, { "sec-fetch-site": "same-origin", origin: "http://localhost" }];

  for (const headers of foreign) {
    assert.equal(await send({ ...headers, "content-type": form }), 200);
    for (const type of [plain, "Text/Plain;charset=UTF-8", ""]) {
      assert.equal(await send({ ...headers, "content-type": type }), 415, type);
    }
  }
  for (const headers of own) {
    for (const type of [form, plain]) assert.equal(await send({ ...headers, "content-type": type }), 200, type);
  }
});
