import { randomBytes } from 'node:crypto'

let lastMillisecond = 0
let sequence = 0

/** Nineteen digits, rising with real time, above 2^53: the form of X, LinkedIn and TikTok. */
export function snowflake(): string {
  const { millisecond, step } = tick(4096)
  return String((BigInt(millisecond - 1_288_834_974_657) << 22n) | BigInt(step))
}

/** Seventeen digits, rising with real time: the form of Meta. */
export function graphId(): string {
  const { millisecond, step } = tick(10_000)
  return String(BigInt(millisecond) * 10_000n + BigInt(step))
}

/** Eleven characters, as a YouTube video has. */
export function videoCode(): string {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(snowflake()))
  return bytes.toString('base64url')
}

export function secret(prefix: string): string {
  return `${prefix}${randomBytes(24).toString('base64url')}`
}

/** Real time, not the sandbox's: ids are not reused after a reset or after the clock went back. */
function tick(steps: number) {
  const real = Date.now()
  if (real > lastMillisecond) {
    lastMillisecond = real
    sequence = 0
  } else if (++sequence >= steps) {
    lastMillisecond++
    sequence = 0
  }
  return { millisecond: lastMillisecond, step: sequence }
}
