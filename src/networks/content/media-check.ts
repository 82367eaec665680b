import { type ContentMedia, isDocument, isImage, isVideo, type Problem } from './content.ts'
import type { ImageRule, MediaLimits, Range, VideoRule } from './limits.ts'
import { about } from './text-check.ts'

/** Where files go, as it is called in a sentence, and what may go there. */
interface Taker {
  network: string
  what: 'post' | 'comment' | 'message'
  limits: MediaLimits
}

/** What is wrong with files: all together, and each for itself. */
export function mediaProblems(to: Taker, media: readonly ContentMedia[]): Problem[] {
  const taken = media.filter((file) => isTaken(to.limits, file))
  return [
    ...about('media', [...kindProblems(to, taken), ...countProblems(to, taken)]),
    ...media.flatMap((file) => (taken.includes(file) ? about('media', fileProblems(to, file)) : [notTaken(to, file)])),
  ]
}

function isTaken({ images, videos, document }: MediaLimits, file: ContentMedia): boolean {
  if (isDocument(file)) return document !== undefined
  return (isImage(file) ? images : videos).max > 0
}

function notTaken({ network, what }: Taker, file: ContentMedia): Problem {
  const where = what === 'post' ? '' : ` in a ${what}`
  return { sentence: `${called(file)} is ${kinds[file.type]}; ${network} takes none${where}.` }
}

function kindProblems({ network, what, limits }: Taker, media: readonly ContentMedia[]): string[] {
  if (media.length < 2) return []
  const alone = media.find((file) => standsAlone(limits, file))
  if (alone) {
    const kind = isDocument(alone) ? 'PDF' : 'GIF'
    return [`${called(alone)} is a ${kind}, which stands alone on ${network}; this ${what} has ${media.length} files.`]
  }
  const isMixed = media.some(isImage) && media.some(isVideo)
  return isMixed && !limits.mixesMedia
    ? [`The ${what} has images and videos; ${network} takes one kind in a ${what}.`]
    : []
}

const standsAlone = ({ images, document }: MediaLimits, file: ContentMedia) =>
  isDocument(file) ? document?.alone === true : isGif(file) && images.rule?.gif?.alone === true

// Also one that does not move: it goes out as what it is.
const isGif = ({ mime }: ContentMedia) => mime === 'image/gif'

function countProblems({ network, what, limits }: Taker, media: readonly ContentMedia[]): string[] {
  const { images, videos, mixesMedia } = limits
  const [pictures, clips] = [media.filter(isImage).length, media.filter(isVideo).length]
  const counts: [string, number, number][] = [
    ['images', pictures, images.max],
    ['videos', clips, videos.max],
  ]
  if (mixesMedia && pictures && clips)
    counts.push(['images and videos', pictures + clips, Math.max(images.max, videos.max)])
  return counts
    .filter(([, count, max]) => count > max)
    .map(([kind, count, max]) => `The ${what} has ${count} ${kind}; ${network} takes ${max} at most.`)
}

function fileProblems({ network, limits }: Taker, file: ContentMedia): string[] {
  const { images, videos, document, altText } = limits
  const described = mostProblems(
    network,
    file,
    file.alt?.length,
    altText,
    (count) => `a description of ${count} characters`,
  )
  if (isImage(file)) return [...(images.rule ? imageProblems(network, images.rule, file) : []), ...described]
  if (isVideo(file))
    return videos.rule ? videoProblems(videos.rule, file).map((sentence) => `${called(file)}: ${sentence}`) : []
  return document ? documentProblems(network, document, file) : []
}

const documentProblems = (network: string, rule: NonNullable<MediaLimits['document']>, file: ContentMedia) => [
  ...typeProblems(network, file, rule.mimes),
  ...mostProblems(network, file, file.bytes, rule.maxBytes, sizeOf),
  ...mostProblems(network, file, file.pages, rule.maxPages, (count) => `${count} pages`),
]

/** The service makes a JPEG that fits of any still picture it can read; only its shape stays as it is. */
function imageProblems(network: string, rule: ImageRule, image: ContentMedia): string[] {
  const isChangeable = !image.isFinal && !isMoving(image) && changeableTypes.some((mime) => mime === image.mime)
  return [...(isChangeable ? [] : unchangedProblems(network, rule, image)), ...shapeProblems(network, rule, image)]
}

/** What the service can read and make another picture of. */
export const changeableTypes = ['image/jpeg', 'image/png', 'image/gif'] as const

/** Of a file that is on its way it is not known any more; what would be refused for moving was refused before. */
const isMoving = ({ frames = 1 }: ContentMedia) => frames > 1

function unchangedProblems(network: string, rule: ImageRule, image: ContentMedia): string[] {
  const { mime, frames, bytes, width = 0, height = 0, isFinal } = image
  if (isMoving(image) && !rule.mimes.includes(mime))
    return [`${called(image)} is a moving image of ${frames} frames; ${network} takes still ones only.`]
  const asGif = isMoving(image) || (isFinal && isGif(image))
  const most = asGif ? (rule.gif?.maxBytes ?? rule.maxBytes) : rule.maxBytes
  return [
    ...typeProblems(network, image, rule.mimes),
    ...mostProblems(network, image, bytes, most, sizeOf),
    ...mostProblems(network, image, width * height, rule.maxPixels, (count) => `${count} pixels`),
    ...sideProblems(network, rule, image),
  ]
}

function sideProblems(network: string, { sides }: ImageRule, image: ContentMedia): string[] {
  const { width = 0, height = 0 } = image
  if (!sides || shrinkage(sides, width, height) === 1) return []
  const { long, short } = sides
  return [
    `${called(image)} has ${width} × ${height} pixels; ${network} takes ${long} × ${short} or ${short} × ${long} at most.`,
  ]
}

/** By how much a picture must be scaled down for its sides to fit; 1 where they do. */
export const shrinkage = (sides: ImageRule['sides'], width: number, height: number): number =>
  sides ? Math.min(1, sides.long / Math.max(width, height), sides.short / Math.min(width, height)) : 1

/** Compared as it is shown: 1080×1351 is 0.8:1 to everybody but a calculator. */
function shapeProblems(network: string, { aspect }: ImageRule, image: ContentMedia): string[] {
  const { width, height } = image
  if (!aspect || !width || !height) return []
  const ratio = Math.round((width / height) * 100) / 100
  const bound = (what: string, limit: number) =>
    `${called(image)} has an aspect ratio of ${ratio}:1; the ${what} on ${network} is ${limit}:1.`
  if (aspect.min !== undefined && ratio < aspect.min) return [bound('minimum', aspect.min)]
  if (aspect.max !== undefined && ratio > aspect.max) return [bound('maximum', aspect.max)]
  return []
}

/** How a file is spoken of. */
const called = ({ name }: ContentMedia) => name.trim() || 'A file'

const typeProblems = (network: string, file: ContentMedia, mimes: readonly string[]) =>
  mimes.includes(file.mime) ? [] : [`${called(file)} is ${file.mime}; ${network} takes ${mimes.join(', ')}.`]

/** What is not known, and what nobody limits, is no problem. */
function mostProblems(
  network: string,
  file: ContentMedia,
  value: number | undefined,
  most: number | undefined,
  say: (value: number) => string,
): string[] {
  if (value === undefined || most === undefined || value <= most) return []
  return [`${called(file)} has ${say(value)}; ${network} takes ${say(most)} at most.`]
}

const kinds: { readonly [type in ContentMedia['type']]: string } = {
  Image: 'an image',
  ImageUrl: 'an image',
  Video: 'a video',
  PDF: 'a PDF',
}

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
function sizeOf(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const [unit, name] = bytes < 1_000_000 ? [1000, 'KB'] : [1_000_000, 'MB']
  return `${Math.ceil(bytes / (unit / 100)) / 100} ${name}`
}
