import type { Network } from '../manifests.ts'
import type { Content, ContentMedia } from './content.ts'

const file =
  (basis: ContentMedia) =>
  (more: Partial<ContentMedia> = {}) =>
    ({ ...basis, ...more }) as ContentMedia

const picture = { type: 'Image', bytes: 400_000, width: 1080, height: 1080, frames: 1 } as const

export const photo = file({ ...picture, name: 'photo.jpg', mime: 'image/jpeg' })
export const drawing = file({ ...picture, name: 'drawing.png', mime: 'image/png' })
export const stillGif = file({ ...picture, name: 'still.gif', mime: 'image/gif' })
export const loop = file({ ...picture, name: 'loop.gif', mime: 'image/gif', frames: 12 })

/** Accepted by every network. */
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

const text = 'Our robots learned to dance. #robots @acme 🤖'
const withText = (...media: ContentMedia[]): Content => ({ text, media })
const x = (length: number) => 'x'.repeat(length)

/** Content each network accepts unchanged, or after the service has converted an image. */
export const validContents: { readonly [network in Network]: readonly Content[] } = {
  Facebook: [
    { text, media: [] },
    { text: x(63_206), media: [] },
    { text: '', media: [], link },
    { text, media: [], link },
    { text: '', media: [photo()] },
    withText(...times(18, photo)),
    withText(photo(), drawing(), stillGif(), loop()),
    withText(photo({ bytes: 40_000_000, width: 12_000, height: 9000 })),
    withText(photo({ type: 'ImageUrl' })),
    withText(clip()),
    withText(clip({ mime: 'video/quicktime', seconds: 14_400, bytes: 9_999_999_999 })),
    withText(clip({ videoCodec: undefined, audioCodec: undefined, seconds: undefined })),
    { ...withText(clip()), title: x(500) },
    withText(loop({ bytes: 10_000_000 })),
  ],
  Instagram: [
    withText(photo()),
    { text: '', media: [photo()] },
    { text: x(2200), media: [photo()] },
    withText(drawing()),
    withText(stillGif()),
    withText(stillGif({ frames: undefined })),
    withText(photo({ bytes: 30_000_000, width: 8000, height: 8000 })),
    withText(photo({ width: 1080, height: 1351 })),
    withText(photo({ width: 1910, height: 1000 })),
    withText(photo({ width: undefined, height: undefined })),
    withText(...times(10, photo)),
    withText(...times(10, clip)),
    withText(photo(), clip(), drawing()),
    withText(clip({ width: 1080, height: 1920, seconds: 900, videoCodec: 'hevc' })),
    { text: '#a'.repeat(30) + ' @b'.repeat(20), media: [photo()] },
    { text: 'see https://acme.example', media: [photo()], title: x(500) },
  ],
  LinkedIn: [
    { text, media: [] },
    { text: x(3000), media: [] },
    { text: `${x(2996)}@[Acme](urn:li:organization:2414183)`, media: [] },
    { text: '(((*{}*)))'.repeat(300), media: [] },
    { text: '', media: [], link },
    { text, media: [], link },
    withText(...times(9, photo)),
    withText(photo(), drawing(), stillGif(), loop()),
    withText(photo({ bytes: 6_000_000 })),
    withText(drawing({ width: 10_000, height: 10_000 })),
    withText(clip()),
    withText(clip({ bytes: 500_000_000, seconds: 1800 })),
    withText(paper()),
    { text: '', media: [paper({ bytes: 100_000_000, pages: 300 })] },
    { ...withText(paper({ pages: undefined })), title: x(500) },
  ],
  Twitter: [
    { text, media: [] },
    { text: x(280), media: [] },
    { text: '日'.repeat(140), media: [] },
    { text: '🤖'.repeat(140), media: [] },
    { text: `${x(256)} https://acme.example/${x(500)}`, media: [] },
    { text: x(256), media: [], link: { url: `https://acme.example/${x(500)}` } },
    { text: `${x(252)} ${link.url}`, media: [], link },
    { text: ' ', media: [], link },
    { text: '', media: [photo()] },
    withText(...times(4, photo)),
    withText(photo(), drawing({ bytes: 9_000_000 })),
    withText(photo({ mime: 'image/webp', name: 'photo.webp' })),
    withText(loop({ bytes: 15_000_000 })),
    withText(stillGif({ bytes: 20_000_000 })),
    withText(clip()),
    { ...withText(clip({ seconds: 140, bytes: 512_000_000 })), title: x(500) },
  ],
  YouTube: [
    { text, title: 'Robots', media: [clip()] },
    { text, media: [clip()] },
    { text: '', title: 'Robots', media: [clip()] },
    { text: '', title: x(100), media: [clip()] },
    { text: '', title: ` ${x(100)} `, media: [clip()] },
    { text: x(5000), media: [clip()] },
    { text: 'ü'.repeat(2500), title: 'Robots', media: [clip()] },
    { text: ` ${x(5000)}\r\n`, media: [clip()] },
    { text: '\r\n\r\nThird line', title: ' ', media: [clip()] },
    withText(clip({ mime: 'video/webm', videoCodec: 'vp9', audioCodec: 'opus' })),
    withText(clip({ seconds: 43_200, bytes: 256 * 1024 ** 3 })),
    withText(clip({ width: 7680, height: 4320, framesPerSecond: 120 })),
  ],
  TikTok: [
    withText(clip()),
    { text: '', media: [clip()] },
    { text: x(2200), media: [clip()] },
    { ...withText(clip()), title: x(500) },
    withText(clip({ mime: 'video/webm', videoCodec: 'vp9', audioCodec: 'opus' })),
    withText(clip({ seconds: 600, width: 4096, height: 360, bytes: 1_000_000_000 })),
    withText(photo()),
    { text: x(4000), title: x(90), media: [photo()] },
    withText(...times(35, photo)),
    withText(drawing(), stillGif(), photo({ mime: 'image/webp', name: 'photo.webp' })),
    withText(photo({ bytes: 30_000_000, width: 9000, height: 900 })),
    withText(photo({ width: 3000, height: 2000 })),
    withText(photo({ mime: 'image/webp', name: 'photo.webp', width: 1080, height: 1920 })),
    withText(photo({ type: 'ImageUrl' })),
  ],
}
