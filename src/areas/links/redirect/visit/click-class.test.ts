import { expect, test } from 'vitest'
import { botUserAgents, humanUserAgents, previewUserAgents } from './click-class.fixture.ts'
import { classByRequest, classByUserAgent, readHeaders } from './request-class.ts'

const misread = (userAgents: string[], right: string) =>
  userAgents.filter((userAgent) => classByUserAgent(userAgent).class !== right)

test('over 200 robots and fetchers of previews are told from people, each with a reason', () => {
  expect(new Set([...botUserAgents, ...previewUserAgents]).size).toBeGreaterThanOrEqual(200)
  expect(misread(botUserAgents, 'bot')).toEqual([])
  expect(misread(previewUserAgents, 'preview')).toEqual([])
  for (const userAgent of [...botUserAgents, ...previewUserAgents]) {
    expect(classByUserAgent(userAgent).reason).toMatch(/^.+\.$/)
  }
})

test('60 browsers of people are people, those inside the apps of networks among them', () => {
  expect(new Set(humanUserAgents).size).toBeGreaterThanOrEqual(60)
  expect(misread(humanUserAgents, 'human')).toEqual([])
})

test('who does not say what it is, is no person', () => {
  for (const userAgent of ['', '  ']) expect(classByUserAgent(userAgent).class).toBe('bot')
})

test('what looks ahead is told by its headers', () => {
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
