import type { Range, VideoRule } from './limits.ts'

/** What is known of a video; what is not known breaks no rule. */
export interface VideoFacts {
  mime: string
  bytes: number
  seconds?: number | undefined
  width?: number | undefined
  height?: number | undefined
  framesPerSecond?: number | undefined
  videoCodec?: string | undefined
  audioCodec?: string | undefined
}

/** Every rule a video breaks, each with the limit and its own value. */
export function videoProblems(rule: VideoRule, facts: VideoFacts): string[] {
  const { mime, bytes, seconds, width, height, framesPerSecond } = facts
  const aspect = width && height ? width / height : undefined
  return [
    ...oneOf('The file type', mime, rule.mimes),
    ...within('The file has', bytes, rule.bytes, sizeOf),
    ...within('The video lasts', seconds, rule.seconds, (value) => `${rounded(value)} s`),
    ...within('The width is', width, rule.width, (value) => `${value} pixels`),
    ...within('The height is', height, rule.height, (value) => `${value} pixels`),
    ...within('The aspect ratio is', aspect, rule.aspect, (value) => `${rounded(value)}:1`),
    ...within('The video has', framesPerSecond, rule.framesPerSecond, (value) => `${rounded(value)} frames per second`),
    ...oneOf('The video codec', facts.videoCodec, rule.videoCodecs),
    ...oneOf('The audio codec', facts.audioCodec, rule.audioCodecs),
  ]
}

function within(
  what: string,
  value: number | undefined,
  range: Range | undefined,
  say: (value: number) => string,
): string[] {
  if (value === undefined || !range) return []
  if (range.min !== undefined && value < range.min) return [`${what} ${say(value)}; the minimum is ${say(range.min)}.`]
  if (range.max !== undefined && value > range.max) return [`${what} ${say(value)}; the maximum is ${say(range.max)}.`]
  return []
}

const oneOf = (what: string, value: string | undefined, allowed: readonly string[] | undefined): string[] =>
  value === undefined || !allowed || allowed.includes(value)
    ? []
    : [`${what} is ${value}; allowed is ${allowed.join(', ')}.`]

const rounded = (value: number) => String(Math.round(value * 100) / 100)

/** Rounded up: what is over a limit does not read like the limit. */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const [unit, name] = bytes < 1_000_000 ? [1000, 'KB'] : [1_000_000, 'MB']
  return `${Math.ceil(bytes / (unit / 100)) / 100} ${name}`
}
