import type { ImageRule, MediaLimits, Range, VideoRule } from './content.ts'
import { type ContentMedia, isDocument, isImage, isVideo, type Problem } from './content.ts'
import { about } from './text-check.ts'

/** Target of the files, as named in messages, and its limits. */
interface MediaTarget {
  network: string
  what: 'post' | 'comment' | 'message'
  limits: MediaLimits
}

/** Problems of the files together and of each file. */
export function mediaProblems(to: MediaTarget, media: readonly ContentMedia[]): Problem[] {
  const accepted = media.filter((file) => isAccepted(to.limits, file))
  return [
    ...about('media', [...kindProblems(to, accepted), ...countProblems(to, accepted)]),
    ...media.flatMap((file) =>
      accepted.includes(file) ? about('media', fileProblems(to, file)) : [notAccepted(to, file)],
    ),
  ]
}

function isAccepted({ images, videos, document }: MediaLimits, file: ContentMedia): boolean {
  if (isDocument(file)) return document !== undefined
  return (isImage(file) ? images : videos).max > 0
}

function notAccepted({ network, what }: MediaTarget, file: ContentMedia): Problem {
  const where = what === 'post' ? '' : ` in a ${what}`
  return { sentence: `${nameOf(file)} is ${kinds[file.type]}; ${network} takes none${where}.` }
}

function kindProblems({ network, what, limits }: MediaTarget, media: readonly ContentMedia[]): string[] {
  if (media.length < 2) return []
  const alone = media.find((file) => mustBeAlone(limits, file))
  if (alone) {
    const kind = isDocument(alone) ? 'PDF' : 'GIF'
    return [`${nameOf(alone)} is a ${kind}, which stands alone on ${network}; this ${what} has ${media.length} files.`]
  }
  const isMixed = media.some(isImage) && media.some(isVideo)
  return isMixed && !limits.mixesMedia
    ? [`The ${what} has images and videos; ${network} takes one kind in a ${what}.`]
    : []
}

const mustBeAlone = ({ images, document }: MediaLimits, file: ContentMedia) =>
  isDocument(file) ? document?.alone === true : isGif(file) && images.rule?.gif?.alone === true

// Includes GIFs that aren't animated: they are sent as GIFs.
const isGif = ({ mime }: ContentMedia) => mime === 'image/gif'

function countProblems({ network, what, limits }: MediaTarget, media: readonly ContentMedia[]): string[] {
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

function fileProblems({ network, limits }: MediaTarget, file: ContentMedia): string[] {
  const { images, videos, document, altText } = limits
  const described = maximumProblems(
    network,
    file,
    file.alt?.length,
    altText,
    (count) => `a description of ${count} characters`,
  )
  if (isImage(file)) return [...(images.rule ? imageProblems(network, images.rule, file) : []), ...described]
  if (isVideo(file))
    return videos.rule ? videoProblems(videos.rule, file).map((sentence) => `${nameOf(file)}: ${sentence}`) : []
  return document ? documentProblems(network, document, file) : []
}

const documentProblems = (network: string, rule: NonNullable<MediaLimits['document']>, file: ContentMedia) => [
  ...typeProblems(network, file, rule.mimes),
  ...maximumProblems(network, file, file.bytes, rule.maxBytes, sizeOf),
  ...maximumProblems(network, file, file.pages, rule.maxPages, (count) => `${count} pages`),
]

/** The service converts any readable still image to a fitting JPEG; only the aspect ratio stays. */
function imageProblems(network: string, rule: ImageRule, image: ContentMedia): string[] {
  const isChangeable = !image.isFinal && !isMoving(image) && convertibleTypes.some((mime) => mime === image.mime)
  return [...(isChangeable ? [] : unchangedProblems(network, rule, image)), ...shapeProblems(network, rule, image)]
}

/** Image types the service can convert. */
export const convertibleTypes = ['image/jpeg', 'image/png', 'image/gif'] as const

/** Unknown for files already being sent; animations that aren't accepted were rejected before. */
const isMoving = ({ frames = 1 }: ContentMedia) => frames > 1

function unchangedProblems(network: string, rule: ImageRule, image: ContentMedia): string[] {
  const { mime, frames, bytes, width = 0, height = 0, isFinal } = image
  if (isMoving(image) && !rule.mimes.includes(mime))
    return [`${nameOf(image)} is a moving image of ${frames} frames; ${network} takes still ones only.`]
  const asGif = isMoving(image) || (isFinal && isGif(image))
  const most = asGif ? (rule.gif?.maxBytes ?? rule.maxBytes) : rule.maxBytes
  return [
    ...typeProblems(network, image, rule.mimes),
    ...maximumProblems(network, image, bytes, most, sizeOf),
    ...maximumProblems(network, image, width * height, rule.maxPixels, (count) => `${count} pixels`),
    ...sideProblems(network, rule, image),
  ]
}

function sideProblems(network: string, { sides }: ImageRule, image: ContentMedia): string[] {
  const { width = 0, height = 0 } = image
  if (!sides || scaleToFit(sides, width, height) === 1) return []
  const { long, short } = sides
  return [
    `${nameOf(image)} has ${width} × ${height} pixels; ${network} takes ${long} × ${short} or ${short} × ${long} at most.`,
  ]
}

/** Factor to scale an image down to the maximum sides; 1 if it fits. */
export const scaleToFit = (sides: ImageRule['sides'], width: number, height: number): number =>
  sides ? Math.min(1, sides.long / Math.max(width, height), sides.short / Math.min(width, height)) : 1

/** Compared as displayed: 1080×1351 is shown as 0.8:1. */
function shapeProblems(network: string, { aspect }: ImageRule, image: ContentMedia): string[] {
  const { width, height } = image
  if (!aspect || !width || !height) return []
  const ratio = Math.round((width / height) * 100) / 100
  const aspectProblem = (what: string, limit: number) =>
    `${nameOf(image)} has an aspect ratio of ${ratio}:1; the ${what} on ${network} is ${limit}:1.`
  if (aspect.min !== undefined && ratio < aspect.min) return [aspectProblem('minimum', aspect.min)]
  if (aspect.max !== undefined && ratio > aspect.max) return [aspectProblem('maximum', aspect.max)]
  return []
}

const nameOf = ({ name }: ContentMedia) => name.trim() || 'A file'

const typeProblems = (network: string, file: ContentMedia, mimes: readonly string[]) =>
  mimes.includes(file.mime) ? [] : [`${nameOf(file)} is ${file.mime}; ${network} takes ${mimes.join(', ')}.`]

/** Unknown values and missing limits cause no problem. */
function maximumProblems(
  network: string,
  file: ContentMedia,
  value: number | undefined,
  most: number | undefined,
  say: (value: number) => string,
): string[] {
  if (value === undefined || most === undefined || value <= most) return []
  return [`${nameOf(file)} has ${say(value)}; ${network} takes ${say(most)} at most.`]
}

const kinds: { readonly [type in ContentMedia['type']]: string } = {
  Image: 'an image',
  ImageUrl: 'an image',
  Video: 'a video',
  PDF: 'a PDF',
}

/** Known properties of a video; unknown ones violate no rule. */
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

/** Every violated rule with the limit and the actual value. */
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

/** Rounded up, so that a value above the limit isn't displayed as the limit. */
function sizeOf(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const [unit, name] = bytes < 1_000_000 ? [1000, 'KB'] : [1_000_000, 'MB']
  return `${Math.ceil(bytes / (unit / 100)) / 100} ${name}`
}
