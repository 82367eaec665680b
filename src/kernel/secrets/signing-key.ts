import { createHmac, hash } from 'node:crypto'

const blockSize = 64
const maximumText = 64 * 1024
/** Block and text of the signature being made. */
const scratch = Buffer.alloc(blockSize + maximumText)

/**
 * A key for HMAC signatures of short texts. Two digests, as RFC 2104 defines it: an `Hmac` of Node for every signature takes twice the processor
 * time, and the garbage collector has to release its native half.
 */
export class SigningKey {
  private readonly algorithm: 'sha1' | 'sha256'
  private readonly key: Buffer
  private readonly inner: Buffer
  /** The outer block, followed by the inner digest. */
  private readonly outer: Buffer

  constructor(algorithm: 'sha1' | 'sha256', key: Buffer) {
    this.algorithm = algorithm
    this.key = key
    const block = Buffer.alloc(blockSize)
    const short = key.length > blockSize ? hash(algorithm, key, 'buffer') : key
    short.copy(block)
    this.inner = block.map((byte) => byte ^ 0x36) as Buffer
    this.outer = Buffer.concat([block.map((byte) => byte ^ 0x5c), Buffer.alloc(algorithm === 'sha1' ? 20 : 32)])
  }

  /** Signs the texts as if they were one; joining them would copy them. */
  sign(encoding: 'hex' | 'base64', ...texts: readonly string[]): string {
    const { algorithm, key, inner, outer } = this
    let length = 0
    for (const text of texts) length += text.length
    // A character takes three bytes at most.
    if (length * 3 > maximumText) return createHmac(algorithm, key).update(texts.join('')).digest(encoding)
    scratch.set(inner)
    let end = blockSize
    for (const text of texts) end += scratch.write(text, end, 'utf8')
    outer.write(hash(algorithm, scratch.subarray(0, end), 'binary'), blockSize, 'latin1')
    return hash(algorithm, outer, encoding)
  }
}
