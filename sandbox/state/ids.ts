import { randomBytes } from 'node:crypto'

let lastMillisecond = 0
let sequence = 0

/** 19 digits, increasing, above 2^53: the format of X, LinkedIn and TikTok. */
export function snowflake(): string {
  const { millisecond, step } = tick(4096)
  return String((BigInt(millisecond - 1_288_834_974_657) << 22n) | BigInt(step))
}

/** 17 digits, increasing: the format of Meta. */
export function graphId(): string {
  const { millisecond, step } = tick(10_000)
  return String(BigInt(millisecond) * 10_000n + BigInt(step))
}

/** 11 characters: the format of YouTube videos. */
export function videoCode(): string {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(snowflake()))
  return bytes.toString('base64url')
}

export function secret(prefix: string): string {
  return `${prefix}${randomBytes(24).toString('base64url')}`
}

/** Uses real time, so that ids are not reused after a reset or when the sandbox clock moves back. */
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
