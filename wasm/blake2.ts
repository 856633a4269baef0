/** The compression function of BLAKE2b (EIP-152) with any number of rounds. */

/** As in the input of the precompile, from its hash on: 8 words of state, 16 of the message, 2 of the offset; little-endian. */
const input = memory.data(208, 16);
const message = input + 64;

/** Words of the message in the order in which each of ten rounds takes them. */
const schedule = memory.data(1280, 16);

/** Between the rounds. */
const words = memory.data(128, 16);

const IV = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1,
  0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
]);

const SIGMA = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3, 11, 8, 12,
  0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4, 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8, 9, 0, 5, 7, 2, 4, 10,
  15, 14, 1, 11, 12, 6, 8, 3, 13, 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9, 12, 5, 1, 15, 14, 13, 4, 10, 0,
  7, 6, 3, 9, 2, 8, 11, 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10, 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7,
  1, 4, 10, 5, 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
]);

export function inputAt(): u32 {
  return input as u32;
}

/** Before the rounds of an input. */
export function begin(isLast: bool): void {
  for (let at: u32 = 0; at < 160; at++) {
    store<u64>(schedule + (at << 3), load<u64>(message + ((<u32>load<u8>(SIGMA + at)) << 3)));
  }
  memory.copy(words, input, 64);
  memory.copy(words + 64, IV, 64);
  store<u64>(words, load<u64>(words, 96) ^ load<u64>(input, 192), 96);
  store<u64>(words, load<u64>(words, 104) ^ load<u64>(input, 200), 104);
  if (isLast) store<u64>(words, ~load<u64>(words, 112), 112);
}

/** Rounds after others, whose number is a multiple of ten. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one round, word by word, so that words stay in registers.
export function mix(rounds: u32): void {
  let v0 = load<u64>(words);
  let v1 = load<u64>(words, 8);
  let v2 = load<u64>(words, 16);
  let v3 = load<u64>(words, 24);
  let v4 = load<u64>(words, 32);
  let v5 = load<u64>(words, 40);
  let v6 = load<u64>(words, 48);
  let v7 = load<u64>(words, 56);
  let v8 = load<u64>(words, 64);
  let v9 = load<u64>(words, 72);
  let v10 = load<u64>(words, 80);
  let v11 = load<u64>(words, 88);
  let v12 = load<u64>(words, 96);
  let v13 = load<u64>(words, 104);
  let v14 = load<u64>(words, 112);
  let v15 = load<u64>(words, 120);
  let from: usize = schedule;
  for (let round: u32 = 0; round < rounds; round++) {
    v0 += v4 + load<u64>(from);
    v12 = rotr(v12 ^ v0, 32);
    v8 += v12;
    v4 = rotr(v4 ^ v8, 24);
    v0 += v4 + load<u64>(from, 8);
    v12 = rotr(v12 ^ v0, 16);
    v8 += v12;
    v4 = rotr(v4 ^ v8, 63);
    v1 += v5 + load<u64>(from, 16);
    v13 = rotr(v13 ^ v1, 32);
    v9 += v13;
    v5 = rotr(v5 ^ v9, 24);
    v1 += v5 + load<u64>(from, 24);
    v13 = rotr(v13 ^ v1, 16);
    v9 += v13;
    v5 = rotr(v5 ^ v9, 63);
    v2 += v6 + load<u64>(from, 32);
    v14 = rotr(v14 ^ v2, 32);
    v10 += v14;
    v6 = rotr(v6 ^ v10, 24);
    v2 += v6 + load<u64>(from, 40);
    v14 = rotr(v14 ^ v2, 16);
    v10 += v14;
    v6 = rotr(v6 ^ v10, 63);
    v3 += v7 + load<u64>(from, 48);
    v15 = rotr(v15 ^ v3, 32);
    v11 += v15;
    v7 = rotr(v7 ^ v11, 24);
    v3 += v7 + load<u64>(from, 56);
    v15 = rotr(v15 ^ v3, 16);
    v11 += v15;
    v7 = rotr(v7 ^ v11, 63);
    v0 += v5 + load<u64>(from, 64);
    v15 = rotr(v15 ^ v0, 32);
    v10 += v15;
    v5 = rotr(v5 ^ v10, 24);
    v0 += v5 + load<u64>(from, 72);
    v15 = rotr(v15 ^ v0, 16);
    v10 += v15;
    v5 = rotr(v5 ^ v10, 63);
    v1 += v6 + load<u64>(from, 80);
    v12 = rotr(v12 ^ v1, 32);
    v11 += v12;
    v6 = rotr(v6 ^ v11, 24);
    v1 += v6 + load<u64>(from, 88);
    v12 = rotr(v12 ^ v1, 16);
    v11 += v12;
    v6 = rotr(v6 ^ v11, 63);
    v2 += v7 + load<u64>(from, 96);
    v13 = rotr(v13 ^ v2, 32);
    v8 += v13;
    v7 = rotr(v7 ^ v8, 24);
    v2 += v7 + load<u64>(from, 104);
    v13 = rotr(v13 ^ v2, 16);
    v8 += v13;
    v7 = rotr(v7 ^ v8, 63);
    v3 += v4 + load<u64>(from, 112);
    v14 = rotr(v14 ^ v3, 32);
    v9 += v14;
    v4 = rotr(v4 ^ v9, 24);
    v3 += v4 + load<u64>(from, 120);
    v14 = rotr(v14 ^ v3, 16);
    v9 += v14;
    v4 = rotr(v4 ^ v9, 63);
    from = from === schedule + 1152 ? schedule : from + 128;
  }
  store<u64>(words, v0);
  store<u64>(words, v1, 8);
  store<u64>(words, v2, 16);
  store<u64>(words, v3, 24);
  store<u64>(words, v4, 32);
  store<u64>(words, v5, 40);
  store<u64>(words, v6, 48);
  store<u64>(words, v7, 56);
  store<u64>(words, v8, 64);
  store<u64>(words, v9, 72);
  store<u64>(words, v10, 80);
  store<u64>(words, v11, 88);
  store<u64>(words, v12, 96);
  store<u64>(words, v13, 104);
  store<u64>(words, v14, 112);
  store<u64>(words, v15, 120);
}

/** Writes the next state where the state of the input is. */
export function finish(): void {
  for (let at: u32 = 0; at < 64; at += 8) {
    store<u64>(input + at, load<u64>(input + at) ^ load<u64>(words + at) ^ load<u64>(words + at, 64));
  }
}
