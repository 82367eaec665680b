import sharp, { type Sharp } from 'sharp'
import { type ImageInspection, type JpegOptions, UnusableFile } from './inspection.ts'

interface ImageFile {
  path: string
  mime: ImageInspection['mime']
  beginning: Uint8Array
}

/** Reads the dimensions from the header, then decodes the picture once to verify that it is complete. */
export async function inspectImage(file: ImageFile, maximumPixels: number): Promise<ImageInspection> {
  const probe = await measureImage(file, maximumPixels)
  await decoding(open(file.path, maximumPixels).resize(16, 16, { fit: 'fill', kernel: 'nearest' }).raw().toBuffer())
  return probe
}

/** Reads the header only and refuses pictures that are too large to decode. */
export async function measureImage(file: ImageFile, maximumPixels: number): Promise<ImageInspection> {
  const { path, mime } = file
  const { autoOrient, pages = 1, hasAlpha } = await decoding(open(path, false).metadata())
  const screen = screenOf(file)
  const [width, height] = [Math.max(autoOrient.width, screen.width), Math.max(autoOrient.height, screen.height)]
  if (width * height > maximumPixels) {
    throw new UnusableFile(
      `The picture has ${size(width, height)} pixels; at most ${millions(maximumPixels)} million are taken. Make it smaller.`,
    )
  }
  const animated = animationFactor * maximumPixels
  if (width * height * pages > animated) {
    throw new UnusableFile(
      `The animation has ${pages} frames of ${size(width, height)} pixels; at most ${millions(animated)} million pixels in all frames together are taken. Make it smaller or shorter.`,
    )
  }
  return { kind: 'image', mime, width, height, frames: pages, hasAlpha }
}

/** Upright, on white, in sRGB, without metadata, and within the size limits. */
export async function makeJpeg(path: string, options: JpegOptions, maximumPixels: number): Promise<Buffer> {
  const { maxBytes, maxWidth, quality = 88 } = options
  const upright = await decoding(
    open(path, maximumPixels)
      .autoOrient()
      .flatten({ background: 'white' })
      .toColourspace('srgb')
      .resize({ width: maxWidth ?? longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
      .raw()
      .toBuffer({ resolveWithObject: true }),
  )
  const { width, height, channels } = upright.info
  const encode = (scaledTo: number, at: number) =>
    sharp(upright.data, { raw: { width, height, channels }, limitInputPixels: maximumPixels })
      .resize({ width: scaledTo })
      .jpeg({ quality: at })
      .toBuffer()
  let jpeg = await encode(width, quality)
  if (jpeg.length > maxBytes && quality > modest) jpeg = await encode(width, modest)
  // The size is roughly proportional to the pixels, so this ends after very few rounds.
  for (let scaledTo = width; jpeg.length > maxBytes; jpeg = await encode(scaledTo, Math.min(quality, modest))) {
    scaledTo = Math.floor(scaledTo * Math.min(0.9, 0.95 * Math.sqrt(maxBytes / jpeg.length)))
    if (scaledTo < 1) throw new UnusableFile(`No picture can be made that has at most ${maxBytes} bytes.`)
  }
  return jpeg
}

/** A small WebP that keeps transparency; the first frame of an animation. */
export function makePreview(path: string, width: number, maximumPixels: number): Promise<Buffer> {
  const within = { width, height: width * tallest, fit: 'inside', withoutEnlargement: true } as const
  return decoding(
    open(path, maximumPixels).autoOrient().toColourspace('srgb').resize(within).webp({ quality: 78 }).toBuffer(),
  )
}

/** The canvas size in a GIF's header. The decoder replaces it by the size of the first frame for large files; viewers don't. */
function screenOf({ mime, beginning }: ImageFile): { width: number; height: number } {
  const [, , , , , , low = 0, high = 0, lower = 0, upper = 0] = beginning
  return mime === 'image/gif' ? { width: low + 256 * high, height: lower + 256 * upper } : { width: 0, height: 0 }
}

function open(path: string, maximumPixels: number | false): Sharp {
  // Warnings concern irregularities that every viewer tolerates.
  return sharp(path, { failOn: 'error', limitInputPixels: maximumPixels, sequentialRead: true })
}

async function decoding<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const message =
      'The picture is damaged or not complete; open it in an image program, save it again and upload that.'
    throw new UnusableFile(message, { cause: error })
  }
}

// Only these loaders may open a file, whatever its first bytes are; nothing is cached between files.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadNsgifFile'] })
sharp.cache(false)
sharp.concurrency(1)

const size = (width: number, height: number) => `${width.toLocaleString('en')} × ${height.toLocaleString('en')}`
const millions = (pixels: number) => (pixels / 1_000_000).toLocaleString('en')

/** X accepts animations of 300 million pixels in total, six times our largest picture. */
const animationFactor = 6
const modest = 72
/** Maximum dimension of a JPEG. */
const longestSide = 65_500
/** Otherwise strips of a few by thousands of pixels would exceed the maximum dimension of a WebP. */
const tallest = 4
