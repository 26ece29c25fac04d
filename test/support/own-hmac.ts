/** SHA-256 by its own specification (FIPS 180-4), so that nothing of ours and nothing of OpenSSL is asked twice. */
export function sha256(message: Uint8Array): Uint8Array {
  const [initial, constants] = sha256Constants()
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  padded.set(message)
  padded[message.length] = 0x80
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(message.length) * 8n)
  const state = Uint32Array.from(initial)
  const rotate = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits))
  const at = (words: Uint32Array, index: number) => words[index] ?? 0
  for (let offset = 0; offset < padded.length; offset += 64) {
    const words = new Uint32Array(64)
    const block = new DataView(padded.buffer, offset, 64)
    for (let index = 0; index < 16; index += 1) words[index] = block.getUint32(index * 4)
    for (let index = 16; index < 64; index += 1) {
      const [early, late] = [at(words, index - 15), at(words, index - 2)]
      const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
      const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
      words[index] = at(words, index - 16) + first + at(words, index - 7) + second
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let index = 0; index < 64; index += 1) {
      const choice = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g))
      const one = (h + choice + at(constants, index) + at(words, index)) | 0
      const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g]
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, index) => {
      state[index] = at(state, index) + word
    })
  }
  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, index) => {
    digest.setUint32(index * 4, word)
  })
  return new Uint8Array(digest.buffer)
}

/** Section 4.2.2 and 5.3.3: fractional parts of the cube and square roots of the first primes. */
function sha256Constants(): [Uint32Array, Uint32Array] {
  const primes: number[] = []
  for (let number = 2; primes.length < 64; number += 1) if (primes.every((prime) => number % prime)) primes.push(number)
  const fraction = (root: number) => (root % 1) * 2 ** 32
  return [
    Uint32Array.from(primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))),
    Uint32Array.from(primes.map((prime) => fraction(Math.cbrt(prime)))),
  ]
}

/** RFC 2104. */
export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(64)
  block.set(key.length > 64 ? sha256(key) : key)
  const padded = (byte: number) => block.map((value) => value ^ byte)
  return sha256(Buffer.concat([padded(0x5c), sha256(Buffer.concat([padded(0x36), message]))]))
}
