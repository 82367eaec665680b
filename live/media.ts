import { readFile } from 'node:fs/promises'
import type { MediaRef } from '#networks/connector/draft.ts'
import type { MediaFacts } from './recording.ts'
import type { MediaName } from './steps.ts'

/** Demo files that every network accepts without conversion. */
const files: { readonly [name in MediaName]: Omit<MediaFacts, 'bytes'> } = {
  image: { name: 'mountain-dawn.jpg', mime: 'image/jpeg', width: 1200, height: 675 },
  secondImage: { name: 'forest-trail.jpg', mime: 'image/jpeg', width: 1200, height: 675 },
  video: { name: 'range-in-motion.mp4', mime: 'video/mp4', width: 960, height: 540, durationMs: 6000 },
  document: { name: 'field-guide.pdf', mime: 'application/pdf' },
}

export type MediaFiles = { readonly [name in MediaName]: MediaFacts & { content: Buffer } }

export async function readMedia(): Promise<MediaFiles> {
  const read = Object.entries(files).map(async ([name, file]) => {
    const content = await readFile(new URL(`../demo/media/${file.name}`, import.meta.url))
    return [name, { ...file, bytes: content.length, content }]
  })
  return Object.fromEntries(await Promise.all(read))
}

/** Media metadata without the content, for a recording. */
export const factsOf = (media: MediaFiles): { [name in MediaName]: MediaFacts } =>
  Object.fromEntries(Object.entries(media).map(([name, { content: _, ...facts }]) => [name, facts])) as {
    [name in MediaName]: MediaFacts
  }

/** A file for a connector; `content` returns a byte range of it. */
export const mediaRef = (
  id: string,
  { name, mime, bytes, width, height, durationMs }: MediaFacts,
  url: string,
  content: (from: number, to: number) => Uint8Array,
): MediaRef => ({
  id,
  mime,
  bytes,
  name,
  width,
  height,
  durationMs,
  publicUrl: `${url}/media/${name}`,
  async *open(from = 0, to = bytes) {
    yield content(from, to)
  },
})

export const mediaFrom =
  (media: MediaFiles, url: string) =>
  (name: MediaName): MediaRef =>
    mediaRef(name, media[name], url, (from, to) => media[name].content.subarray(from, to))
