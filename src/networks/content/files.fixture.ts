import type { ContentMedia } from './content.ts'

const file =
  (basis: ContentMedia) =>
  (more: Partial<ContentMedia> = {}) =>
    ({ ...basis, ...more }) as ContentMedia

const picture = { type: 'Image', bytes: 400_000, width: 1080, height: 1080, frames: 1 } as const

export const photo = file({ ...picture, name: 'photo.jpg', mime: 'image/jpeg' })
export const drawing = file({ ...picture, name: 'drawing.png', mime: 'image/png' })
export const stillGif = file({ ...picture, name: 'still.gif', mime: 'image/gif' })
export const loop = file({ ...picture, name: 'loop.gif', mime: 'image/gif', frames: 12 })

/** One that every network takes. */
export const clip = file({
  type: 'Video',
  name: 'clip.mp4',
  mime: 'video/mp4',
  bytes: 5_000_000,
  width: 1280,
  height: 720,
  seconds: 20,
  framesPerSecond: 30,
  videoCodec: 'h264',
  audioCodec: 'aac',
})

export const paper = file({ type: 'PDF', name: 'paper.pdf', mime: 'application/pdf', bytes: 900_000, pages: 12 })

export const times = (count: number, make: () => ContentMedia) => Array.from({ length: count }, () => make())

export const link = { url: 'https://acme.example/robots' }
