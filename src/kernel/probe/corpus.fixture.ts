import { broken } from './broken.fixture.ts'
import { disguised } from './disguised.fixture.ts'
import { animation, flatPng, picture, telephonePhoto, transparentPng } from './images.fixture.ts'
import { mp4 } from './mp4.fixture.ts'
import { pdf } from './pdf.fixture.ts'
import type { Sample } from './sample.fixture.ts'

/** Every file the prober is tried with, made anew. */
export async function corpus(): Promise<Sample[]> {
  return [...(await good()), ...(await broken()), ...(await disguised())]
}

/** Files that are what they say. */
export async function good(): Promise<Sample[]> {
  const video = { kind: 'video', mime: 'video/mp4', durationMs: 2_000, framesPerSecond: 25 } as const
  const lying = { ...video, width: 640, height: 360 }
  const upright = { ...video, width: 360, height: 640 }
  const sound = { audioCodec: 'aac', audioChannels: 2, audioRate: 48_000 }
  const silent = { audioCodec: undefined, audioChannels: undefined, audioRate: undefined }
  const image = { kind: 'image', width: 64, height: 48, frames: 1, hasAlpha: false } as const
  return [
    ['a JPEG', await picture('jpeg'), { ...image, mime: 'image/jpeg' }],
    ['a PNG', await picture('png'), { ...image, mime: 'image/png' }],
    ['a GIF', await picture('gif'), { ...image, mime: 'image/gif' }],
    ['a transparent PNG', await transparentPng(), { mime: 'image/png', width: 40, height: 30, hasAlpha: true }],
    ['a photo held upright', await telephonePhoto(), { mime: 'image/jpeg', width: 40, height: 60 }],
    ['a PNG of 49 million pixels', flatPng(7_000, 7_000), { mime: 'image/png', width: 7_000, height: 7_000 }],
    ['an animation', animation(30, 20, 12), { mime: 'image/gif', width: 30, height: 20, frames: 12 }],
    ['an animation of 10,000 frames', animation(16, 16, 10_000), { mime: 'image/gif', frames: 10_000 }],
    ['an H.264 video', mp4(), { ...lying, ...sound, videoCodec: 'h264' }],
    ['a video with its index at the end', mp4({ order: 'index last' }), { ...lying, ...sound, videoCodec: 'h264' }],
    ['a silent HEVC video', mp4({ codec: 'hvc1', audio: false }), { ...lying, ...silent, videoCodec: 'hevc' }],
    ['a video turned by 90°', mp4({ degrees: 90 }), { ...upright, videoCodec: 'h264' }],
    ['a video turned by 180°', mp4({ degrees: 180 }), { ...lying, videoCodec: 'h264' }],
    ['an HEVC video turned by 270°', mp4({ codec: 'hvc1', degrees: 270, order: 'index last' }), { ...upright }],
    ['a video in fragments', mp4({ order: 'fragments', audio: false }), { ...lying, ...silent, videoCodec: 'h264' }],
    ['fragments turned by 90°', mp4({ order: 'fragments', degrees: 90 }), { ...upright, ...sound }],
    ['a video of a brand compatible with MP4', mp4({ major: 'XAVC' }), { ...lying, videoCodec: 'h264' }],
    ['a video in a codec nobody knows', mp4({ codec: 'abcd' }), { ...lying, videoCodec: 'abcd' }],
    ['a video of one picture', mp4({ frames: 1, audio: false }), { durationMs: 40, framesPerSecond: undefined }],
    ['a PDF of one page', pdf(1), { kind: 'pdf', mime: 'application/pdf', pages: 1 }],
    ['a PDF of 300 pages', pdf(300), { kind: 'pdf', pages: 300 }],
  ]
}
