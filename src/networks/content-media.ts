import { imageProblems } from './content-image.ts'
import { type ContentMedia, isDocument, isImage, isVideo } from './content-parts.ts'
import { called, megabytes, mostProblems, pages, typeProblems } from './content-sentences.ts'
import type { Limits } from './limits.ts'
import { videoProblems } from './video-check.ts'

/** What is wrong with the files of a post: all together, and each for itself. */
export function mediaProblems(network: string, limits: Limits, media: readonly ContentMedia[]): string[] {
  const taken = media.filter((file) => isTaken(limits, file))
  return [
    ...kindProblems(network, limits, taken),
    ...countProblems(network, limits, taken),
    ...media.flatMap((file) => fileProblems(network, limits, file)),
  ]
}

function isTaken({ images, videos, document }: Limits, file: ContentMedia): boolean {
  if (isDocument(file)) return document !== undefined
  return (isImage(file) ? images : videos).max > 0
}

function kindProblems(network: string, limits: Limits, media: readonly ContentMedia[]): string[] {
  if (media.length < 2) return []
  const alone = media.find((file) => standsAlone(limits, file))
  if (alone) {
    const kind = isDocument(alone) ? 'PDF' : 'GIF'
    return [`${called(alone)} is a ${kind}, which stands alone on ${network}; this post has ${media.length} files.`]
  }
  const isMixed = media.some(isImage) && media.some(isVideo)
  return isMixed && !limits.mixesMedia ? [`The post has images and videos; ${network} takes one kind in a post.`] : []
}

const standsAlone = ({ images }: Limits, file: ContentMedia) =>
  isDocument(file) || (isGif(file) && images.rule?.gif?.alone === true)

// Also one that does not move: it goes out as what it is.
const isGif = ({ mime }: ContentMedia) => mime === 'image/gif'

function countProblems(network: string, { images, videos, mixesMedia }: Limits, media: readonly ContentMedia[]) {
  const [pictures, clips] = [media.filter(isImage).length, media.filter(isVideo).length]
  const counts: [string, number, number][] = [
    ['images', pictures, images.max],
    ['videos', clips, videos.max],
  ]
  if (mixesMedia && pictures && clips)
    counts.push(['images and videos', pictures + clips, Math.max(images.max, videos.max)])
  return counts
    .filter(([, count, max]) => count > max)
    .map(([what, count, max]) => `The post has ${count} ${what}; ${network} takes ${max} at most.`)
}

function fileProblems(network: string, limits: Limits, file: ContentMedia): string[] {
  const { images, videos, document } = limits
  if (!isTaken(limits, file)) return [`${called(file)} is ${kinds[file.type]}; ${network} takes none.`]
  if (isDocument(file)) return document ? documentProblems(network, document, file) : []
  if (isImage(file)) return images.rule ? imageProblems(network, images.rule, file) : []
  return videos.rule ? videoProblems(videos.rule, file).map((sentence) => `${called(file)}: ${sentence}`) : []
}

const documentProblems = (network: string, rule: NonNullable<Limits['document']>, file: ContentMedia) => [
  ...typeProblems(network, file, rule.mimes),
  ...mostProblems(network, file, file.bytes, rule.maxBytes, megabytes),
  ...mostProblems(network, file, file.pages, rule.maxPages, pages),
]

const kinds: { readonly [type in ContentMedia['type']]: string } = {
  Image: 'an image',
  ImageUrl: 'an image',
  Video: 'a video',
  PDF: 'a PDF',
}
