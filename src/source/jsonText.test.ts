import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { outlineBlock } from "../chain/scan/scanner.ts";
import { BlockAnswer } from "./blockAnswer.ts";
import { JsonText, resultTexts } from "./jsonText.ts";

function textsOf(body: string, count: number, firstId: number) {
  const bytes = Buffer.from(body);
  const reply = { status: 200, headers: {}, text: body, body: bytes, bytes: bytes.length };
  return resultTexts(reply, count, firstId, () => [])?.map(({ result }) => result?.bytes.toString() ?? null);
}

test("results are cut out of single replies and batches as nodes write them", () => {
  const plain = '{"jsonrpc":"2.0","id":7,"result":{"a":1}}';
  const batch = '[{"jsonrpc":"2.0","id":7,"result":{"a":1}},{"jsonrpc":"2.0","id":8,"result":null}]';
  const idLast = '[{"jsonrpc":"2.0","result":[],"id":7},{"jsonrpc":"2.0","result":{"b":[]},"id":8}]';

  assert.deepEqual(textsOf(plain, 1, 7), ['{"a":1}']);
  assert.deepEqual(textsOf(`${plain}\n`, 1, 7), ['{"a":1}']);
  assert.deepEqual(textsOf(batch, 2, 7), ['{"a":1}', null]);
  assert.deepEqual(textsOf(idLast, 2, 7), ["[]", '{"b":[]}']);
});

test("replies with errors, other ids, orders or spellings are left to the parser", () => {
  const others: readonly [string, number][] = [
    ['{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no"}}', 1],
    ['{"jsonrpc":"2.0","id":7,"result":null,"error":{"code":-32000,"message":"no"}}', 1],
    ['{"jsonrpc":"2.0","id":7,"result":{},"error":null}', 1],
    ['{"jsonrpc":"2.0","id":6,"result":{}}', 1],
    ['{"jsonrpc":"2.0","id":"7","result":{}}', 1],
    ['{ "jsonrpc":"2.0","id":7,"result":{}}', 1],
    ['{"jsonrpc":"2.0","id":7,"result":{}', 1],
    ['{"jsonrpc":"2.0","id":7,"result":"0x1"}', 1],
    ['{"jsonrpc":"2.0","id":7,"result":}', 1],
    ['[{"jsonrpc":"2.0","id":8,"result":{}},{"jsonrpc":"2.0","id":7,"result":{}}]', 2],
    ['[{"jsonrpc":"2.0","id":7,"result":{}}]', 2],
    ['[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":""}}]', 2],
  ];

  for (const [body, count] of others) assert.equal(textsOf(body, count, 7), undefined, body);
});

test("a result in a reply with more members is that of the parsed reply", () => {
  const body = Buffer.from('{"jsonrpc":"2.0","id":7,"result":{"a":1},"usage":{"units":20}}');
  const reply = { status: 200, headers: {}, text: body.toString(), body, bytes: body.length };
  const parsed = () => [{ result: JSON.parse(reply.text).result as unknown }];

  const [outcome] = resultTexts(reply, 1, 7, parsed)!;

  assert.deepEqual(outcome!.result!.value, { a: 1 });
  assert.equal(outlineBlock(outcome!.result!.bytes), undefined);
});

test("a block whose text deceives its outline is refused", () => {
  const chain = new SimulatedChain({ seed: 3, traffic: { transactions: [1, 1] } });
  chain.mine(2);
  const [block, receipts] = [JSON.stringify(chain.wireBlock(1)), JSON.stringify(chain.wireReceipts(1))];
  const twice = block.replace(/^\{/, `{"hash":"0x${"ab".repeat(32)}",`);
  const hidden = `{"hash":"0x${"ab".repeat(32)}","number":"0x1","transactions":[{}],${block.slice(1)}`;

  for (const text of [twice, hidden]) {
    const answer = tryOf(text);
    const list = new JsonText(Buffer.from(receipts));
    if (answer === undefined || toHex(answer.hash) === chain.wireBlock(1)!.hash) continue;
    assert.equal(answer.scan(list), undefined);
    assert.throws(() => answer.decode(list.value as unknown[]), /block.hash: expected/);
  }
  assert.equal(toHex(tryOf(hidden)!.hash), `0x${"ab".repeat(32)}`);
});

function tryOf(text: string): BlockAnswer {
  return BlockAnswer.of(new JsonText(Buffer.from(text)));
}
