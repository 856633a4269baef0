/** Keccak-256 over bytes of this memory. */

const RATE: u32 = 136;
const state = memory.data(200, 16);

const CONSTANTS = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
  0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
  0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
  0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
]);

/** Writes the 32 bytes of the hash of `length` bytes from `at` on to `target`. */
export function keccak(at: u32, length: u32, target: u32): void {
  memory.fill(state, 0, 200);
  let left = length;
  let from = at;
  while (left >= RATE) {
    for (let lane: u32 = 0; lane < RATE; lane += 8) {
      store<u64>(state + lane, load<u64>(state + lane) ^ load<u64>(from + lane));
    }
    permute();
    from += RATE;
    left -= RATE;
  }
  let lane: u32 = 0;
  for (; lane + 8 <= left; lane += 8) store<u64>(state + lane, load<u64>(state + lane) ^ load<u64>(from + lane));
  for (; lane < left; lane++) store<u8>(state + lane, load<u8>(state + lane) ^ load<u8>(from + lane));
  store<u8>(state + left, load<u8>(state + left) ^ 1);
  store<u8>(state + RATE - 1, load<u8>(state + RATE - 1) ^ 0x80);
  permute();
  v128.store(target, v128.load(state));
  v128.store(target + 16, v128.load(state + 16));
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one round, lane by lane, so that lanes stay in registers.
function permute(): void {
  let a0 = load<u64>(state);
  let a1 = load<u64>(state + 8);
  let a2 = load<u64>(state + 16);
  let a3 = load<u64>(state + 24);
  let a4 = load<u64>(state + 32);
  let a5 = load<u64>(state + 40);
  let a6 = load<u64>(state + 48);
  let a7 = load<u64>(state + 56);
  let a8 = load<u64>(state + 64);
  let a9 = load<u64>(state + 72);
  let a10 = load<u64>(state + 80);
  let a11 = load<u64>(state + 88);
  let a12 = load<u64>(state + 96);
  let a13 = load<u64>(state + 104);
  let a14 = load<u64>(state + 112);
  let a15 = load<u64>(state + 120);
  let a16 = load<u64>(state + 128);
  let a17 = load<u64>(state + 136);
  let a18 = load<u64>(state + 144);
  let a19 = load<u64>(state + 152);
  let a20 = load<u64>(state + 160);
  let a21 = load<u64>(state + 168);
  let a22 = load<u64>(state + 176);
  let a23 = load<u64>(state + 184);
  let a24 = load<u64>(state + 192);
  for (let round: u32 = 0; round < 24; round++) {
    const c0 = a0 ^ a5 ^ a10 ^ a15 ^ a20;
    const c1 = a1 ^ a6 ^ a11 ^ a16 ^ a21;
    const c2 = a2 ^ a7 ^ a12 ^ a17 ^ a22;
    const c3 = a3 ^ a8 ^ a13 ^ a18 ^ a23;
    const c4 = a4 ^ a9 ^ a14 ^ a19 ^ a24;
    const d0 = c4 ^ rotl(c1, 1);
    const d1 = c0 ^ rotl(c2, 1);
    const d2 = c1 ^ rotl(c3, 1);
    const d3 = c2 ^ rotl(c4, 1);
    const d4 = c3 ^ rotl(c0, 1);
    const b0 = a0 ^ d0;
    const b10 = rotl(a1 ^ d1, 1);
    const b20 = rotl(a2 ^ d2, 62);
    const b5 = rotl(a3 ^ d3, 28);
    const b15 = rotl(a4 ^ d4, 27);
    const b16 = rotl(a5 ^ d0, 36);
    const b1 = rotl(a6 ^ d1, 44);
    const b11 = rotl(a7 ^ d2, 6);
    const b21 = rotl(a8 ^ d3, 55);
    const b6 = rotl(a9 ^ d4, 20);
    const b7 = rotl(a10 ^ d0, 3);
    const b17 = rotl(a11 ^ d1, 10);
    const b2 = rotl(a12 ^ d2, 43);
    const b12 = rotl(a13 ^ d3, 25);
    const b22 = rotl(a14 ^ d4, 39);
    const b23 = rotl(a15 ^ d0, 41);
    const b8 = rotl(a16 ^ d1, 45);
    const b18 = rotl(a17 ^ d2, 15);
    const b3 = rotl(a18 ^ d3, 21);
    const b13 = rotl(a19 ^ d4, 8);
    const b14 = rotl(a20 ^ d0, 18);
    const b24 = rotl(a21 ^ d1, 2);
    const b9 = rotl(a22 ^ d2, 61);
    const b19 = rotl(a23 ^ d3, 56);
    const b4 = rotl(a24 ^ d4, 14);
    a0 = b0 ^ (~b1 & b2) ^ load<u64>(CONSTANTS + (round << 3));
    a1 = b1 ^ (~b2 & b3);
    a2 = b2 ^ (~b3 & b4);
    a3 = b3 ^ (~b4 & b0);
    a4 = b4 ^ (~b0 & b1);
    a5 = b5 ^ (~b6 & b7);
    a6 = b6 ^ (~b7 & b8);
    a7 = b7 ^ (~b8 & b9);
    a8 = b8 ^ (~b9 & b5);
    a9 = b9 ^ (~b5 & b6);
    a10 = b10 ^ (~b11 & b12);
    a11 = b11 ^ (~b12 & b13);
    a12 = b12 ^ (~b13 & b14);
    a13 = b13 ^ (~b14 & b10);
    a14 = b14 ^ (~b10 & b11);
    a15 = b15 ^ (~b16 & b17);
    a16 = b16 ^ (~b17 & b18);
    a17 = b17 ^ (~b18 & b19);
    a18 = b18 ^ (~b19 & b15);
    a19 = b19 ^ (~b15 & b16);
    a20 = b20 ^ (~b21 & b22);
    a21 = b21 ^ (~b22 & b23);
    a22 = b22 ^ (~b23 & b24);
    a23 = b23 ^ (~b24 & b20);
    a24 = b24 ^ (~b20 & b21);
  }
  store<u64>(state, a0);
  store<u64>(state + 8, a1);
  store<u64>(state + 16, a2);
  store<u64>(state + 24, a3);
  store<u64>(state + 32, a4);
  store<u64>(state + 40, a5);
  store<u64>(state + 48, a6);
  store<u64>(state + 56, a7);
  store<u64>(state + 64, a8);
  store<u64>(state + 72, a9);
  store<u64>(state + 80, a10);
  store<u64>(state + 88, a11);
  store<u64>(state + 96, a12);
  store<u64>(state + 104, a13);
  store<u64>(state + 112, a14);
  store<u64>(state + 120, a15);
  store<u64>(state + 128, a16);
  store<u64>(state + 136, a17);
  store<u64>(state + 144, a18);
  store<u64>(state + 152, a19);
  store<u64>(state + 160, a20);
  store<u64>(state + 168, a21);
  store<u64>(state + 176, a22);
  store<u64>(state + 184, a23);
  store<u64>(state + 192, a24);
}
