import type { ImageProbe } from '#kernel/probe/probe.ts'
import type { ContentMedia } from './content-parts.ts'
import { called, megabytes, mostProblems, pixels, typeProblems } from './content-sentences.ts'
import type { ImageRule } from './limits.ts'

/** The service makes a JPEG that fits of any still picture it can read; only its shape stays as it is. */
export function imageProblems(network: string, rule: ImageRule, image: ContentMedia): string[] {
  const isChangeable = !isMoving(image) && readable.some((mime) => mime === image.mime)
  return [...(isChangeable ? [] : unchangedProblems(network, rule, image)), ...shapeProblems(network, rule, image)]
}

const readable: readonly ImageProbe['mime'][] = ['image/jpeg', 'image/png', 'image/gif']

const isMoving = ({ frames = 1 }: ContentMedia) => frames > 1

function unchangedProblems(network: string, rule: ImageRule, image: ContentMedia): string[] {
  const { mime, frames, bytes, width = 0, height = 0 } = image
  if (isMoving(image) && !rule.mimes.includes(mime))
    return [`${called(image)} is a moving image of ${frames} frames; ${network} takes still ones only.`]
  const most = isMoving(image) ? (rule.gif?.maxBytes ?? rule.maxBytes) : rule.maxBytes
  return [
    ...typeProblems(network, image, rule.mimes),
    ...mostProblems(network, image, bytes, most, megabytes),
    ...mostProblems(network, image, width * height, rule.maxPixels, pixels),
  ]
}

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
