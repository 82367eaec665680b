import { expect, test } from 'vitest'
import { botUserAgents, humanUserAgents, previewUserAgents } from './request-class.fixture.ts'
import { classByRequest, classByUserAgent, readHeaders } from './request-class.ts'

const misread = (userAgents: string[], right: string) =>
  userAgents.filter((userAgent) => classByUserAgent(userAgent).class !== right)

test('over 200 bots and preview fetchers are distinguished from people, each with a reason', () => {
  expect(new Set([...botUserAgents, ...previewUserAgents]).size).toBeGreaterThanOrEqual(200)
  expect(misread(botUserAgents, 'bot')).toEqual([])
  expect(misread(previewUserAgents, 'preview')).toEqual([])
  for (const userAgent of [...botUserAgents, ...previewUserAgents]) {
    expect(classByUserAgent(userAgent).reason).toMatch(/^.+\.$/)
  }
})

test('60 browsers are classified as people, including in-app ones', () => {
  expect(new Set(humanUserAgents).size).toBeGreaterThanOrEqual(60)
  expect(misread(humanUserAgents, 'human')).toEqual([])
})

test('an empty user agent is not a person', () => {
  for (const userAgent of ['', '  ']) expect(classByUserAgent(userAgent).class).toBe('bot')
})

test('prefetches are detected by their headers', () => {
  for (const [name, value] of [
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
    ['x-moz', 'prefetch'],
    ['x-purpose', 'preview'],
  ] as const) {
    const { purpose } = readHeaders(['Host', 'example.com', name, value])
    expect([name, classByRequest('GET', purpose)?.class]).toEqual([name, 'prefetch'])
    expect(classByRequest('HEAD', purpose)?.class).toBe('head')
  }
  expect(classByRequest('GET', readHeaders(['purpose', 'reading']).purpose)).toBeUndefined()
  expect(classByRequest('GET', readHeaders(['host', 'prefetch']).purpose)).toBeUndefined()
})
