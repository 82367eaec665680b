import { runInNewContext } from 'node:vm'
import { build } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'
import * as service from '#networks/content/content-check.ts'

type Check = Pick<typeof service, 'contentProblems' | 'commentProblems' | 'messageProblems' | 'audienceProblem'>

let browser: Check
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: ['src/networks/content/content-check.ts'],
    bundle: true,
    logLevel: 'silent',
    write: false,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    globalName: 'check',
  })
  // A context without Node globals: no Buffer, no process, no require.
  const page = { TextEncoder, check: undefined as Check | undefined }
  runInNewContext(`${outputFiles[0]?.text}\nglobalThis.check = check`, page)
  browser = page.check as Check
})

const photo = { type: 'Image', name: 'tall.png', mime: 'image/png', bytes: 400_000, width: 1080, height: 1920 } as const
const clip = { type: 'Video', name: 'clip.mp4', mime: 'video/mp4', bytes: 600_000_000, seconds: 200 } as const
const link = { url: 'https://acme.example/robots' }

test.each<[string, (check: Check) => string[], number]>([
  ['a text too long for X', (check) => check.contentProblems('Twitter', { text: '日'.repeat(141), media: [] }), 1],
  [
    'emoji and URLs on X',
    (check) => check.contentProblems('Twitter', { text: `${'🇩🇪'.repeat(130)} a.com`, media: [] }),
    1,
  ],
  [
    'a text with too many bytes for YouTube',
    (check) => check.contentProblems('YouTube', { text: 'ü'.repeat(2501), media: [clip] }),
    1,
  ],
  [
    'files of several types',
    (check) => check.contentProblems('Instagram', { text: '', link, media: [photo, clip] }),
    3,
  ],
  [
    'a text too long for LinkedIn',
    (check) => check.contentProblems('LinkedIn', { text: 'x'.repeat(3001), media: [photo, clip] }),
    3,
  ],
  ['a comment', (check) => check.commentProblems('TikTok', 'see https://acme.example'), 1],
  ['a message', (check) => check.messageProblems('Instagram', 'Hello'), 1],
  ['an audience', (check) => [check.audienceProblem('LinkedIn', { Industry: ['Robots'] }) ?? ''], 1],
  ['valid content', (check) => check.contentProblems('Facebook', { text: 'Robots', media: [] }), 0],
])('the content check in a browser reports the same problems as the service for %s', (_, ask, problems) => {
  // Arrays of another context have other prototypes.
  expect([...ask(browser)]).toEqual(ask(service))
  expect(ask(service)).toHaveLength(problems)
})
