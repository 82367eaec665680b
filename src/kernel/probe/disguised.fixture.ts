import { box } from './boxes.fixture.ts'
import { jpegWith, picture, pngWith } from './images.fixture.ts'
import { mp4 } from './mp4.fixture.ts'
import { pdf } from './pdf.fixture.ts'
import type { Sample } from './sample.fixture.ts'

/** Files of other types, and files that are two things at once. */
export async function disguised(): Promise<Sample[]> {
  return [...others(), ...(await twofold())]
}

/** Files that are two things at once. */
export async function twofold(): Promise<Sample[]> {
  const [jpeg, png, gif] = await Promise.all([picture('jpeg'), picture('png'), picture('gif')])
  return [...pages(jpeg, png, gif), ...harmless(jpeg, png, gif)]
}

export function others(): Sample[] {
  const samples: [string, string | Buffer, RegExp][] = [
    ['a page', '<!DOCTYPE html><html><script>alert(1)</script></html>', page],
    ['a page in capitals after blanks', '\ufeff \n\t <HTML><body>', page],
    ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', page],
    ['a drawing behind an XML declaration', '<?xml version="1.0"?>\n<!-- x -->\n<svg/>', page],
    ['a drawing in UTF-16', Buffer.from('\ufeff<svg onload="alert(1)"/>', 'utf16le'), page],
    ['XML', '<?xml version="1.0"?><a/>', only],
    ['a script', '#!/bin/sh\nrm -rf /\n', only],
    ['JavaScript', 'alert(document.cookie)', only],
    ['text', 'Hello.', only],
    ['a program for Linux', `\x7fELF\x02\x01\x01${'\0'.repeat(60)}`, only],
    ['a program for Windows', `MZ\x90\0${'\0'.repeat(200)}`, only],
    ['an archive', `PK\x03\x04\x14${'\0'.repeat(60)}`, only],
    ['a packed file', '\x1f\x8b\x08\0\0\0\0\0\0\x03abc', only],
    ['a text document of an office program', `\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${'\0'.repeat(600)}`, only],
    ['a WebP', 'RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0', /image\/webp.*only/],
    ['a BMP', `BM\x46\0\0\0${'\0'.repeat(70)}`, only],
    ['a TIFF', `II*\0\x08\0\0\0${'\0'.repeat(40)}`, only],
    ['an MP3', `ID3\x03${'\0'.repeat(60)}`, only],
    [
      'a WebM',
      Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701', 'hex'),
      /webm; export it as MP4/,
    ],
    ['an AVI', 'RIFF\x24\0\0\0AVI LIST\x18\0\0\0', /export it as MP4/],
    ['a QuickTime video', mp4({ major: 'qt  ' }), /QuickTime.*MP4/],
    ['a video for old telephones', mp4({ major: '3gp5' }), /export it as MP4/],
    ['an HEIC photo', mp4({ major: 'heic' }), only],
    ['an AVIF picture', mp4({ major: 'avif' }), only],
    ['an audio book', mp4({ major: 'M4A ' }), /MP4/],
    ['a PDF behind something else', Buffer.concat([Buffer.from('x = 1 //\n'), pdf(1)]), only],
  ]
  return samples.map(([name, bytes, sentence]) => [
    name,
    Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes, encoding(bytes)),
    sentence,
  ])
}

function pages(jpeg: Buffer, png: Buffer, gif: Buffer): Sample[] {
  const script = '<ScRiPt>alert(1)</ScRiPt>'
  const comment = Buffer.concat([Buffer.from([0x21, 0xfe, script.length]), Buffer.from(script), Buffer.from([0])])
  const behindScreen = 13 + 3 * 2 ** ((gif[10]! & 7) + 1)
  return [
    ['a script that begins like a GIF', Buffer.from(`GIF89a/*${script}*/=1;`), page],
    ['a JPEG with a page for a comment', jpegWith(jpeg, 0xfe, '<html><body onload=alert(1)>'), page],
    [
      'a JPEG with a script in UTF-16',
      jpegWith(jpeg, 0xfe, Buffer.from('<script>', 'utf16le').toString('latin1')),
      page,
    ],
    ['a PNG with a drawing for a comment', pngWith(png, 'tEXt', Buffer.from('Comment\0<svg onload=alert(1)>')), page],
    [
      'a GIF with a script for a comment',
      Buffer.concat([gif.subarray(0, behindScreen), comment, gif.subarray(behindScreen)]),
      page,
    ],
    ['a PDF that is a page too', pdf(1, { head: '%<!doctype html><body>\n' }), page],
    [
      'a video that is a page too',
      Buffer.concat([mp4().subarray(0, 24), box('free', Buffer.from('<html>')), mp4().subarray(24)]),
      page,
    ],
  ]
}

/** Harmless where they are served with their own type, nosniff and a sandbox. */
function harmless(jpeg: Buffer, png: Buffer, gif: Buffer): Sample[] {
  const script = Buffer.from('<script>alert(1)</script>')
  const archive = Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`)
  return [
    [
      'a JPEG with a page far inside',
      jpegWith(jpegWith(jpeg, 0xfe, '<html>'), 0xfe, 'x'.repeat(2_000)),
      { mime: 'image/jpeg' },
    ],
    ['a JPEG with odd metadata', jpegWith(jpeg, 0xe1, 'http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>'), { width: 64 }],
    ['a JPEG with an archive behind it', Buffer.concat([jpeg, archive]), { mime: 'image/jpeg' }],
    ['a PNG with a script behind it', Buffer.concat([png, script]), { mime: 'image/png' }],
    ['a GIF with a script behind it', Buffer.concat([gif, script]), { mime: 'image/gif' }],
    ['a PDF with a page behind it', Buffer.concat([pdf(20), script]), { pages: 20 }],
    ['a video with a page behind it', Buffer.concat([mp4(), box('free', script)]), { mime: 'video/mp4' }],
  ]
}

const encoding = (text: string) => (text.includes('\ufeff') ? 'utf8' : 'latin1')
const only = /only MP4, GIF, PNG, JPG and PDF are taken/
const page = /parts of a web page/
