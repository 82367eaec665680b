import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connectedNetworks, manifestOf, manifests, networkNames, networkSpellings, profileUrl } from './manifests.ts'

test('the list of networks contains exactly the network folders', () => {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const networks = folders
    .map(({ name }) => name)
    .filter((name) => existsSync(`${import.meta.dirname}/${name}/manifest.ts`))
  expect(manifests.map(({ code }) => code).sort()).toEqual(networks.filter((name) => name !== 'connector').sort())
})

test('networks have the order of the API contract, on which profile ids depend', () => {
  const contract = ['LinkedIn', 'Twitter', 'YouTube', 'Instagram', 'Facebook', 'WeChat', 'Xing', 'TikTok']
  expect(networkNames.slice(0, contract.length)).toEqual(contract)
  for (const network of connectedNetworks) expect(networkNames[manifestOf(network).number]).toBe(network)
})

test('a network is found by each of its accepted spellings', () => {
  expect(networkSpellings).toEqual({ X: 'Twitter', Youtube: 'YouTube' })
})

test.each([
  ['Facebook', 'page', 'https://www.facebook.com/501'],
  ['Instagram', 'account', 'https://www.instagram.com/acme'],
  ['LinkedIn', 'page', 'https://www.linkedin.com/company/501'],
  ['LinkedIn', 'member', 'https://www.linkedin.com/in/acme'],
  ['Twitter', 'account', 'https://x.com/acme'],
  ['YouTube', 'channel', 'https://www.youtube.com/channel/501'],
  ['TikTok', 'account', 'https://www.tiktok.com/@acme'],
  ['Xing', 'page', ''],
] as const)('the public URL of a profile on %s (%s) is %j', (network, kind, url) => {
  expect(profileUrl({ network, kind, networkAccountId: '501', networkUsername: 'acme' })).toBe(url)
})

test.each(manifests)('$network: likes are listed exactly where likes are supported', ({ likes, capabilities }) => {
  expect(likes.length > 0).toBe(capabilities.like !== 'no')
})

test('streams have a unique prefix, and the one of own posts is among them', () => {
  const streams = connectedNetworks.flatMap((network) => manifestOf(network).streams ?? [])
  expect(streams.map(({ prefix }) => prefix)).toEqual(['fb', 'ig', 'li', 'tw'])
  for (const { own, types } of streams) expect(Object.keys(types)).toContain(own)
})
